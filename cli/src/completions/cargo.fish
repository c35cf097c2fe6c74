
# `cargo mcp …`
function __fish_cargo_mcp_is_subcommand
    set -l words (commandline -opc)
    test "$words[2]" = mcp
end

function __fish_cargo_mcp_as_program
    set -l words (commandline -opc)
    complete -C "cargo-mcp "(string join " " -- (string escape -- $words[3..-1]) (commandline -ct))
end

complete -c cargo -n __fish_cargo_mcp_is_subcommand -f -a '(__fish_cargo_mcp_as_program)'
