//! What the documentation of public items must have.

use test_rules::rust_files;

/// Traits that are written for the compiler's messages or for derived code; nobody names them.
const WITHOUT_EXAMPLE: [&str; 5] =
    ["DescribesArguments", "NoTool", "ReadsArguments", "Serves", "UnknownKind"];

#[test]
fn every_public_trait_has_an_example() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for file in rust_files(|path| path.starts_with("runtime/") && path.contains("/src/")) {
        let mut example = false;
        for (number, line) in file.lines() {
            let line = line.trim_start();
            if line.starts_with("///") {
                example |= line.contains("```") || line.contains("The example of [`");
            } else if let Some(rest) = line.strip_prefix("pub trait ") {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
                seen += 1;
                if !example && !WITHOUT_EXAMPLE.contains(&name.as_str()) {
                    missing.push(format!("{}:{number}: {name}", file.path));
                }
            }
            // Attributes, which may take several lines, stand between the documentation and the trait.
            if line.is_empty() || line == "}" || line.starts_with("pub ") {
                example = false;
            }
        }
    }
    assert!(seen > 20, "only {seen} traits are found");
    assert!(missing.is_empty(), "a doc test shows how it is implemented:\n{}", missing.join("\n"));
}
