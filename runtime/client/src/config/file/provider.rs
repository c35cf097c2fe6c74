//! Tokens from programs and files.

use std::fmt;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use crate::config::{BoxFuture, Expanded, Token, TokenError, TokenProvider};

/// The maximum size of a token, and of the output of a token program, in bytes.
pub const MAX_TOKEN_SIZE: usize = 64 << 10;

/// The default timeout of a token program: 30 seconds.
pub const DEFAULT_TOKEN_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum length of the standard error in an error message, in characters.
const MAX_SHOWN_STDERR: usize = 200;

/// A token that a program prints on its standard output.
///
/// The output is the token itself, with optional whitespace around it, or a JSON object with `token` or `access_token`, and
/// optionally the lifetime in seconds as `expires_in`.
///
/// The program is started without a shell, with the environment of this process and an empty standard input, and is killed after
/// [`DEFAULT_TOKEN_TIMEOUT`].
#[derive(Debug, Clone)]
pub struct CommandToken {
    program: Expanded,
    args: Vec<Expanded>,
    timeout: Duration,
}

impl CommandToken {
    /// Creates a provider that runs a program without arguments.
    pub fn new(program: impl Into<Expanded>) -> Self {
        Self { program: program.into(), args: Vec::new(), timeout: DEFAULT_TOKEN_TIMEOUT }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl Into<Expanded>) -> Self {
        self.args.push(argument.into());
        self
    }

    /// Sets the timeout.
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    async fn run(&self) -> Result<Token, TokenError> {
        let failed = |problem: String| TokenError::Failed {
            origin: format!("the program `{}`", self.program),
            problem,
        };
        let mut child = Command::new(self.program.expose())
            .args(self.args.iter().map(Expanded::expose))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(format!("it cannot be started: {error}")))?;
        let output = read_limited(child.stdout.take());
        // Read concurrently, so that a program that writes a lot to stderr does not block.
        let stderr = tokio::spawn(read_limited(child.stderr.take()));
        let ended = timeout(self.timeout, async {
            let output = output.await;
            (output, stderr.await.ok().flatten(), child.wait().await)
        });
        let (output, stderr, status) = ended.await.map_err(|_| {
            failed(format!(
                "it did not exit within {} seconds; check whether it waits for input",
                self.timeout.as_secs()
            ))
        })?;
        let status = status.map_err(|error| failed(format!("it cannot be waited for: {error}")))?;
        if !status.success() {
            let reason = last_line(&stderr.unwrap_or_default(), output.as_deref().unwrap_or_default());
            return Err(failed(format!("it failed with {status}{reason}")));
        }
        let output = output.ok_or_else(|| failed(format!("it printed more than {MAX_TOKEN_SIZE} bytes")))?;
        let text = String::from_utf8(output).map_err(|_| failed("it did not print UTF-8".to_owned()))?;
        parse_token(&text).ok_or_else(|| {
            failed(
                "it did not print a token: a single line, or JSON with `token` or `access_token`".to_owned(),
            )
        })
    }
}

impl TokenProvider for CommandToken {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(self.run())
    }
}

/// A token in a file, which is read at each fetch, since mounted secrets are replaced when they change.
///
/// The file contains the token itself, with optional whitespace around it, or JSON in the format of [`CommandToken`].
#[derive(Clone)]
pub struct FileToken {
    path: PathBuf,
    /// The path for messages, with its variables unexpanded.
    shown_path: String,
}

impl FileToken {
    /// Creates a provider that reads the file at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { shown_path: path.display().to_string(), path }
    }

    /// Creates a provider for a path that may contain variables.
    pub(super) fn from_expanded(path: &Expanded) -> Self {
        Self { path: path.expose().into(), shown_path: path.to_string() }
    }

    fn read(&self) -> Result<Token, TokenError> {
        use std::io::Read as _;
        let failed = |problem: String| TokenError::Failed { origin: self.shown_path.clone(), problem };
        let unreadable = |error: std::io::Error| failed(format!("it cannot be read: {error}"));
        // Reading a pipe or a device may never end.
        if !std::fs::metadata(&self.path).map_err(unreadable)?.is_file() {
            return Err(failed("it is not a regular file".to_owned()));
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&self.path).map_err(unreadable)?;
        file.take(MAX_TOKEN_SIZE as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() > MAX_TOKEN_SIZE {
            return Err(failed(format!("it is larger than {MAX_TOKEN_SIZE} bytes")));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8".to_owned()))?;
        parse_token(&text).ok_or_else(|| failed("it has no token: a single line is expected".to_owned()))
    }
}

impl fmt::Debug for FileToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileToken").field("path", &self.shown_path).finish()
    }
}

impl TokenProvider for FileToken {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(std::future::ready(self.read()))
    }
}

/// Reads a stream to its end; returns `None` if it is larger than the limit. The rest is discarded, so that the writer can exit.
async fn read_limited(stream: Option<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut stream = stream?;
    let limit = MAX_TOKEN_SIZE as u64 + 1;
    let _ = (&mut stream).take(limit).read_to_end(&mut bytes).await;
    if bytes.len() <= MAX_TOKEN_SIZE {
        return Some(bytes);
    }
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    None
}

/// Returns the last line of the standard error, unless it repeats a part of the output, which may be a token.
fn last_line(stderr: &[u8], output: &[u8]) -> String {
    let (stderr, output) = (String::from_utf8_lossy(stderr), String::from_utf8_lossy(output));
    let Some(line) = stderr.lines().rev().map(str::trim).find(|line| !line.is_empty()) else {
        return String::new();
    };
    let repeats = output.split_whitespace().any(|word| word.len() > 3 && line.contains(word));
    let shown: String = line.chars().filter(|c| !c.is_control()).take(MAX_SHOWN_STDERR).collect();
    if repeats { String::new() } else { format!(": {shown}") }
}

fn parse_token(text: &str) -> Option<Token> {
    let text = text.trim();
    if text.starts_with('{') {
        let object: Value = serde_json::from_str(text).ok()?;
        let value = object.get("token").or_else(|| object.get("access_token"))?.as_str()?;
        let seconds = object.get("expires_in").and_then(Value::as_f64).filter(|seconds| *seconds >= 0.0);
        let expires = seconds
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .and_then(|lifetime| Instant::now().checked_add(lifetime));
        let token = Token { value: value.into(), expires };
        return is_token(value).then_some(token);
    }
    is_token(text).then(|| Token::new(text))
}

/// Whether the text is a valid token, which a header can contain.
fn is_token(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Tokens;

    fn shell(script: &str) -> CommandToken {
        CommandToken::new("sh").arg("-c").arg(Expanded::new(script, "…"))
    }

    #[tokio::test]
    async fn programs_print_a_token_or_json() {
        for (script, token, expires) in [
            ("printf '  abc\\n'", "abc", false),
            ("printf '{\"access_token\": \"abc\", \"expires_in\": 60}'", "abc", true),
            ("printf '{\"token\": \"abc\"}'", "abc", false),
        ] {
            let found = shell(script).fetch().await.unwrap();
            assert_eq!((found.value.expose(), found.expires.is_some()), (token, expires), "{script}");
        }
    }

    #[tokio::test]
    async fn errors_of_programs_have_no_secrets() {
        let limit = MAX_TOKEN_SIZE + 1;
        for (program, part) in [
            (shell("echo not logged in >&2; exit 3"), "exit status: 3: not logged in"),
            (shell("echo s3cret; echo refused s3cret >&2; exit 1"), "exit status: 1"),
            (shell("printf 'a\\nb'"), "did not print a token"),
            (shell("true"), "did not print a token"),
            (shell(&format!("head -c {limit} /dev/zero")), "more than 65536 bytes"),
            (shell("printf '\\377'"), "UTF-8"),
            (shell("sleep 60").with_timeout(Duration::from_millis(50)), "did not exit"),
            (CommandToken::new("no-such-program-here"), "cannot be started"),
        ] {
            let error = program.fetch().await.unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("s3cret"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_file_is_read_again_after_a_rejection() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "one\n").unwrap();
        let tokens = Tokens::new().with("a", FileToken::new(&path));
        let first = tokens.get("a").await.unwrap();
        std::fs::write(&path, "two\n").unwrap();
        assert_eq!(tokens.get("a").await.unwrap().expose(), "one");
        assert_eq!(tokens.renew("a", &first).await.unwrap().expose(), "two");
        std::fs::write(&path, "x".repeat(MAX_TOKEN_SIZE + 1)).unwrap();
        let error = FileToken::new(&path).fetch().await.unwrap_err().to_string();
        assert!(error.contains("larger than 65536 bytes"), "{error}");
        let error = FileToken::new(folder.path()).fetch().await.unwrap_err().to_string();
        assert!(error.contains("not a regular file"), "{error}");
    }
}
