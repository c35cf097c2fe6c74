//! Resolves commands on Windows, where `npx` is a script, `npx.cmd`.
//!
//! The system only looks for `npx.exe` when a program starts another one. What is found here is started by its full
//! path; for a script, the standard library has `cmd.exe` run it, escapes the arguments, and rejects those that cannot
//! be escaped (CVE-2024-24576). Other programs are not wrapped (github/copilot-cli#3576, cline/cline#1948).

/// The extensions of executable files. Others, such as `.JS`, need an interpreter.
const STARTABLE: [&str; 4] = [".com", ".exe", ".bat", ".cmd"];
/// The default of `PATHEXT`.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// Returns the file of a command: in its folder if it names one, otherwise in the folders of `path`, with one of the
/// `extensions` (`PATHEXT`). The current folder is not searched, since anyone may have put a program there.
pub(crate) fn find(
    command: &str,
    path: &str,
    extensions: Option<&str>,
    is_file: impl Fn(&str) -> bool,
) -> Option<String> {
    let extensions: Vec<&str> = extensions
        .filter(|extensions| !extensions.is_empty())
        .unwrap_or(EXTENSIONS)
        .split(';')
        .filter(|extension| STARTABLE.iter().any(|known| known.eq_ignore_ascii_case(extension)))
        .collect();
    let has_extension = STARTABLE.iter().any(|extension| {
        let at = command.len().checked_sub(extension.len());
        at.and_then(|at| command.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(extension))
    });
    // Next to `npx.cmd` there is an `npx` without an extension: a script for other shells.
    let find_in_place = |file: &str| {
        let exact = Some(file.to_owned()).filter(|file| has_extension && is_file(file));
        exact.or_else(|| {
            extensions.iter().map(|extension| format!("{file}{extension}")).find(|file| is_file(file))
        })
    };
    if command.contains(['/', '\\', ':']) {
        return find_in_place(command);
    }
    let folders = path.split(';').map(|folder| folder.trim_matches('"').trim_end_matches('\\'));
    folders
        .filter(|folder| !folder.is_empty())
        .find_map(|folder| find_in_place(&format!("{folder}\\{command}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 6] = [
        r"C:\node\npx",
        r"C:\node\npx.cmd",
        r"C:\tools\uvx.exe",
        r"C:\tools\npx.exe",
        r"C:\my tools\run.bat",
        r"C:\node\server.js",
    ];

    #[track_caller]
    fn check(command: &str, path: &str, extensions: Option<&str>, expected: Option<&str>) {
        let is_file = |file: &str| FILES.iter().any(|known| known.eq_ignore_ascii_case(file));
        let found = find(command, path, extensions, is_file);
        let is_same = match (&found, expected) {
            (Some(found), Some(expected)) => found.eq_ignore_ascii_case(expected),
            (None, None) => true,
            _ => false,
        };
        assert!(is_same, "{command}: {found:?}");
    }

    #[test]
    fn scripts_are_found_as_the_shell_finds_them() {
        let path = r#"C:\Windows\;;C:\node;"C:\my tools";C:\tools"#;
        check("npx", path, None, Some(r"C:\node\npx.cmd"));
        check("NPX.CMD", path, None, Some(r"C:\node\npx.cmd"));
        check("npx", r"C:\tools;C:\node", None, Some(r"C:\tools\npx.exe"));
        check("uvx", path, Some(".COM;.EXE"), Some(r"C:\tools\uvx.exe"));
        check("run", path, Some(""), Some(r"C:\my tools\run.bat"));
        check("npx", path, Some(".EXE"), Some(r"C:\tools\npx.exe"));
        check("absent", path, None, None);
        check("npx", "", None, None);
        // A script needs an interpreter, whatever `PATHEXT` says.
        check("server", path, Some(".JS;.CMD"), None);
        check(r"C:\node\npx", path, None, Some(r"C:\node\npx.cmd"));
        check(r"C:\node\npx.cmd", "", None, Some(r"C:\node\npx.cmd"));
        check(r"C:\tools\uvx", "", Some(".CMD"), None);
        check(r".\npx", path, None, None);
        check("né", path, None, None);
    }
}
