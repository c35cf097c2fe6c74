//! Hostile files: limits hold, and nothing panics.

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
    assert!(error("a.toml", &padding).contains("the file has no servers"));
    assert!(error("a.toml", &format!("{padding} ")).contains("larger than 1048576 bytes"));
    assert!(error("a.json", &" ".repeat(MAX_FILE_SIZE + 1)).contains("larger than 16777216 bytes"));

    for depth in [70, 600, 100_000] {
        let deep = format!("{{\"mcpServers\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(error("a.json", &deep).contains("more than 64 levels"), "{depth}");
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
    assert!(report(&config).contains("1001 servers; the limit is 1000"));

    let unknown: Vec<String> = (0..2 * MAX_PROBLEMS).map(|index| format!("\"unknown_{index}\":1,")).collect();
    let unknown = unknown.concat();
    let config = read("a.json", &format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", {unknown}}}}}}}"));
    assert_eq!(config.problems().len(), MAX_PROBLEMS);
}

#[test]
fn the_size_of_expanded_values_is_bounded() {
    let big = "x".repeat(64 << 10);
    let reader = reader().with_variable("BIG", big);
    let one = format!(
        "{{\"servers\": {{\"a\": {{\"command\": \"x\", \"args\": [\"{}\"]}}}}}}",
        "${BIG}".repeat(17)
    );
    let config = reader.read_text("a.json", &one).unwrap();
    assert!(report(&config).contains("the value would be larger than 1048576 bytes"), "{}", report(&config));
    let all = format!("\"{}\",", "${BIG}".repeat(16)).repeat(17);
    let config = reader
        .read_text(
            "a.json",
            &format!("{{\"servers\": {{\"a\": {{\"command\": \"x\", \"args\": [{all}]}}}}}}"),
        )
        .unwrap();
    assert!(report(&config).contains("all values together would be larger than 16777216 bytes"));
}

#[test]
fn utf_8_and_utf_16_are_decoded_and_others_rejected() {
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
    /// Any text is read without a panic, and every problem has a line of the file.
    #[test]
    fn any_text_is_read(text in any::<String>(), format in 0..3_usize) {
        let name = ["a.json", "a.toml", "a.yaml"][format];
        if let Ok(config) = reader().read_text(name, &text) {
            for problem in config.problems() {
                prop_assert!(config.source().redacted_line(problem.line).is_some());
            }
        }
    }

    /// A valid file with one change is read without a panic.
    #[test]
    fn any_change_of_a_valid_file_is_read(at in 0..400_usize, piece in "[\\PC]{0,3}|[\"{}\\[\\]:,$]{1,3}") {
        let valid = r#"{"inputs": [{"id": "k", "type": "promptString"}], "mcpServers": {"a": {"command": "x", "args": ["${API_TOKEN}"], "env": {"K": "${A:-é}"}},
            "b": {"type": "http", "url": "https://b.example/${API_TOKEN}", "headers": {"X": "${input:k}"}, "timeout": 5, "config": {"a": [1, "${HOME}"]}}}}"#;
        let at = valid.floor_char_boundary(at.min(valid.len()));
        let end = valid.ceil_char_boundary((at + 3).min(valid.len()));
        let changed = format!("{}{piece}{}", &valid[..at], &valid[end..]);
        if let Ok(config) = reader().read_text("a.json", &changed) {
            for problem in config.problems() {
                prop_assert!(problem.line >= 1 && !config.source().redacted_line(problem.line).unwrap().contains("s3cret"));
            }
        }
    }
}
