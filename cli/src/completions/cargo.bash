
# `cargo mcp …`; the rest of cargo is completed as before.
if [[ "$(complete -p cargo 2>/dev/null)" =~ -F\ ([^ ]+) && "${BASH_REMATCH[1]}" != _cargo__mcp_or_cargo ]]; then
    _cargo__mcp_before="${BASH_REMATCH[1]}"
fi

_cargo__mcp_or_cargo() {
    local at=1 previous="$3" sysroot
    [[ "${COMP_WORDS[1]}" == +* ]] && at=2
    if [[ "${COMP_WORDS[at]}" == mcp && $COMP_CWORD -gt $at ]]; then
        COMP_WORDS=(cargo-mcp "${COMP_WORDS[@]:at+1}")
        COMP_CWORD=$((COMP_CWORD - at))
        [[ $COMP_CWORD -eq 1 ]] && previous=cargo-mcp
        _cargo__mcp cargo-mcp "$2" "$previous"
        return
    fi
    # The script of cargo needs the functions of bash-completion.
    if [[ -z "$_cargo__mcp_before" ]] && declare -F _get_comp_words_by_ref >/dev/null; then
        sysroot=$(rustc --print sysroot 2>/dev/null)
        [[ -r "$sysroot/etc/bash_completion.d/cargo" ]] && source "$sysroot/etc/bash_completion.d/cargo"
        _cargo__mcp_before=_cargo
        complete -F _cargo__mcp_or_cargo -o bashdefault -o default cargo
    fi
    [[ -n "$_cargo__mcp_before" ]] && declare -F "$_cargo__mcp_before" >/dev/null && "$_cargo__mcp_before" "$@"
}
complete -F _cargo__mcp_or_cargo -o bashdefault -o default cargo
