//! Addresses of servers that are programs.

/// The scheme of a program's address.
pub const STDIO_SCHEME: &str = "stdio:";

/// Builds the address of a program that serves on its standard input and output: `stdio:` and its command line.
///
/// Words are quoted as in a POSIX shell, so that people can run the command. [`stdio_command`] parses it.
///
/// ```
/// use toolwright_agent::value::{stdio_command, stdio_uri};
///
/// let uri = stdio_uri(["npx", "-y", "my server"]);
/// assert_eq!(uri, "stdio:npx -y 'my server'");
/// assert_eq!(stdio_command(&uri), Some(Ok(vec!["npx".into(), "-y".into(), "my server".into()])));
/// assert_eq!(stdio_command("https://example.com/mcp"), None);
/// ```
pub fn stdio_uri<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.into_iter().map(quote).collect();
    format!("{STDIO_SCHEME}{}", words.join(" "))
}

/// Parses a `stdio:` address into the program and its arguments. `None` if the address has another scheme.
///
/// Words are separated by whitespace. `'…'` and `"…"` quote text, with `\"` and `\\` in the latter. Outside of quotes,
/// `\'` and `\"` are quotes, and any other `\` is literal, as in Windows paths. There is no expansion of variables or
/// patterns, and no shell is involved.
///
/// # Errors
/// [`AddressError`] if the address has no program, or an unterminated quote.
pub fn stdio_command(uri: &str) -> Option<Result<Vec<String>, AddressError>> {
    uri.strip_prefix(STDIO_SCHEME).map(split)
}

/// An invalid `stdio:` address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// There is no program.
    #[error("the address `{STDIO_SCHEME}` has no program; write `{STDIO_SCHEME}PROGRAM ARGUMENT…`")]
    NoProgram,
    /// A quote is not terminated.
    #[error("the address has an unterminated {quote}; quote each word as in a shell")]
    OpenQuote {
        /// The quote character.
        quote: char,
    },
}

fn quote(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,@+\\".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn split(line: &str) -> Result<Vec<String>, AddressError> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            _ if character.is_ascii_whitespace() => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        None => return Err(AddressError::OpenQuote { quote: character }),
                        Some(end) if end == character => break,
                        Some('\\') if character == '"' => {
                            word.push(characters.next_if(|next| matches!(next, '"' | '\\')).unwrap_or('\\'));
                        }
                        Some(other) => word.push(other),
                    }
                }
            }
            '\\' => {
                let quote = characters.next_if(|next| matches!(next, '"' | '\''));
                word.get_or_insert_default().push(quote.unwrap_or('\\'));
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match words.first() {
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err(AddressError::NoProgram),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does_without_expansion() {
        for (uri, expected) in [
            ("stdio:a", vec!["a"]),
            ("stdio: a  b\tc ", vec!["a", "b", "c"]),
            (r#"stdio:a "b c" 'd "e"' f'g'"h""#, vec!["a", "b c", "d \"e\"", "fgh"]),
            (r"stdio:C:\bin\server.exe --in C:\x", vec![r"C:\bin\server.exe", "--in", r"C:\x"]),
            (r#"stdio:a "C:\\x \"y\" \n" '' \'"#, vec!["a", "C:\\x \"y\" \\n", "", "'"]),
            ("stdio:a $HOME `b` ; c *", vec!["a", "$HOME", "`b`", ";", "c", "*"]),
        ] {
            let words = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(stdio_command(uri), Some(Ok(words)), "{uri}");
        }
    }

    #[test]
    fn addresses_without_a_program_are_errors() {
        for uri in ["stdio:", "stdio:  ", "stdio:'' a"] {
            assert_eq!(stdio_command(uri), Some(Err(AddressError::NoProgram)), "{uri}");
        }
        for (uri, quote) in [("stdio:'a", '\''), ("stdio:a \"b'", '"')] {
            assert_eq!(stdio_command(uri), Some(Err(AddressError::OpenQuote { quote })), "{uri}");
        }
        for uri in ["https://example.com/mcp", "STDIO:a", "stdio", ""] {
            assert_eq!(stdio_command(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn addresses_round_trip(program in ".{1,12}", words in prop::collection::vec(".{0,12}", 0..5)) {
            let all: Vec<String> = std::iter::once(program).chain(words).collect();
            let uri = stdio_uri(all.iter().map(String::as_str));
            prop_assert_eq!(stdio_command(&uri), Some(Ok(all)), "{}", uri);
        }
    }
}
