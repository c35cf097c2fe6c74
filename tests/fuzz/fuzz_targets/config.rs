//! Any text as a configuration file: it is read to an end, within its bounds, every problem has a place in it, no secret is
//! shown, and what can be converted can be read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwright_client::config::{
    ConfigError, ConfigReader, Dialect, MAX_PROBLEMS, MAX_SERVERS, Problem, Source, convert,
};

/// What variables hold. The fuzzer finds it out and writes it into files, which may then show it: such inputs say nothing.
const SECRET: &str = "s3crét-v4lue";

fuzz_target!(|input: &[u8]| {
    let Some((format, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    if text.contains(SECRET) {
        return;
    }
    let (name, to) = [("a.json", Dialect::Toml), ("a.toml", Dialect::VsCode), ("a.yaml", Dialect::Toml)]
        [usize::from(format % 3)];
    let reader =
        ConfigReader::without_environment().with_variable("A", SECRET).with_variable("HOME", "/users/me");
    match reader.read_text(name, text) {
        Ok(config) => {
            assert!(config.servers().len() <= MAX_SERVERS && config.problems().len() <= MAX_PROBLEMS);
            check(config.source(), config.problems());
            assert!(!format!("{config:?}").contains(SECRET), "{config:?}");
        }
        Err(ConfigError::Invalid { file, problems }) => check(&file, &problems),
        Err(_) => return,
    }
    if let Ok(converted) = convert(name, text, to) {
        let other = if to == Dialect::Toml { "b.toml" } else { "b.json" };
        let again = ConfigReader::without_environment().check_only().read_text(other, &converted.text);
        assert!(again.is_ok(), "{}: {}", again.unwrap_err(), converted.text);
    }
});

fn check(source: &Source, problems: &[Problem]) {
    for problem in problems {
        assert!(source.text().get(problem.span.clone()).is_some(), "{problem:?}");
        let line = source.redacted_line(problem.line).expect("the line is there");
        let shown = format!("{problem} {line} {:?}", problem.help);
        assert!(!shown.contains(SECRET), "{shown}");
    }
}
