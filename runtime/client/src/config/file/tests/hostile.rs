//! Files of any kind: bounds hold, and nothing panics.

use proptest::prelude::*;

use super::*;

fn error(path: &str, text: &str) -> String {
    match reader().read_text(path, text) {
        Ok(config) => report(&config),
        Err(error) => error.to_string(),
    }
}

#[test]
fn size_depth_and_numbers_are_bounded() {
    let padding = " ".repeat(MAX_SMALL_FILE_SIZE);
    assert!(error("a.toml", &padding).contains("the file names no servers"));
    assert!(error("a.toml", &format!("{padding} ")).contains("more than 1048576 bytes"));
    assert!(error("a.json", &" ".repeat(MAX_FILE_SIZE + 1)).contains("more than 16777216 bytes"));

    for depth in [70, 600, 100_000] {
        let deep = format!("{{\"mcpServers\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(error("a.json", &deep).contains("more than 64 lists"), "{depth}");
        let yaml = format!("tools: {}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!error("a.yaml", &yaml).is_empty(), "{depth}");
        let toml = format!("servers = {}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!error("a.toml", &toml).is_empty(), "{depth}");
    }

    let many: Vec<String> =
        (0..=MAX_SERVERS).map(|index| format!("\"s{index}\":{{\"command\":\"x{index}\"}},")).collect();
    let many = many.concat();
    let config = read("a.json", &format!("{{\"servers\": {{{many}}}}}"));
    assert_eq!(config.servers().len(), MAX_SERVERS);
    assert!(report(&config).contains("1001 servers, more than 1000"));

    let unknown: Vec<String> = (0..2 * MAX_PROBLEMS).map(|index| format!("\"unknown_{index}\":1,")).collect();
    let unknown = unknown.concat();
    let config = read("a.json", &format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", {unknown}}}}}}}"));
    assert_eq!(config.problems().len(), MAX_PROBLEMS);
}

#[test]
fn what_variables_grow_to_is_bounded() {
    let big = "x".repeat(64 << 10);
    let reader = reader().with_variable("BIG", big);
    let one = format!(
        "{{\"servers\": {{\"a\": {{\"command\": \"x\", \"args\": [\"{}\"]}}}}}}",
        "${BIG}".repeat(17)
    );
    let config = reader.read_text("a.json", &one).unwrap();
    assert!(report(&config).contains("the value would have more than 1048576 bytes"), "{}", report(&config));
    let all = format!("\"{}\",", "${BIG}".repeat(16)).repeat(17);
    let config = reader
        .read_text(
            "a.json",
            &format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", \"args\": [{all}]}}}}}}"),
        )
        .unwrap();
    assert!(report(&config).contains("all values together would have more than 16777216 bytes"));
}

#[test]
fn files_that_are_not_text_are_refused_and_utf_16_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mcp.json");
    let text = "\u{feff}{\"mcpServers\": {\"a\": {\"command\": \"é\"}}}";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [text.as_bytes(), &little] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(stdio(&reader().read(&path).unwrap(), "a").command.expose(), "é");
    }
    std::fs::write(&path, [0x7b, 0x80]).unwrap();
    assert!(reader().read(&path).unwrap_err().to_string().contains("neither UTF-8 nor UTF-16"));
    assert!(reader().read(folder.path()).unwrap_err().to_string().contains("cannot read"));
    assert!(reader().read(folder.path().join("no.json")).unwrap_err().to_string().contains("No such file"));
}

proptest! {
    /// Whatever stands in a file, all of it is read to an end, and places are places of the file.
    #[test]
    fn every_text_is_read(text in any::<String>(), format in 0..3_usize) {
        let name = ["a.json", "a.toml", "a.yaml"][format];
        if let Ok(config) = reader().read_text(name, &text) {
            for problem in config.problems() {
                prop_assert!(config.source().shown_line(problem.line).is_some());
            }
        }
    }

    /// A good file with one piece of it changed is refused, or read without a panic.
    #[test]
    fn every_change_of_a_good_file_is_read(at in 0..400_usize, piece in "[\\PC]{0,3}|[\"{}\\[\\]:,$]{1,3}") {
        let good = r#"{"inputs": [{"id": "k", "type": "promptString"}], "mcpServers": {"a": {"command": "x", "args": ["${API_TOKEN}"], "env": {"K": "${A:-é}"}},
            "b": {"type": "http", "url": "https://b.example/${API_TOKEN}", "headers": {"X": "${input:k}"}, "timeout": 5, "config": {"a": [1, "${HOME}"]}}}}"#;
        let at = good.floor_char_boundary(at.min(good.len()));
        let end = good.ceil_char_boundary((at + 3).min(good.len()));
        let changed = format!("{}{piece}{}", &good[..at], &good[end..]);
        if let Ok(config) = reader().read_text("a.json", &changed) {
            for problem in config.problems() {
                prop_assert!(problem.line >= 1 && !config.source().shown_line(problem.line).unwrap().contains("s3cret"));
            }
        }
    }
}
