//! The words of the project: names of tests, citations, and the glossary in `CONTRIBUTING.md`.

use test_rules::{SourceFile, files, has_extension, root, rust_files};

/// The most characters of a test's name, so that it fits on a line of a report.
const NAME_LIMIT: usize = 60;

/// Identifiers that look like ids of documents, but name a standard, an algorithm or a public proposal.
const STANDARDS: [&str; 12] =
    ["AES", "BCP", "CVE", "ECMA", "FIPS", "FNV", "ISO", "P", "RFC", "SEP", "SHA", "UTF"];

/// Without the phrases of the glossary, a rule that compares with them would hold for any text.
const LEAST_PHRASES: usize = 10;

#[test]
fn test_names_are_short_and_carry_no_ids() {
    let mut found = Vec::new();
    let mut seen = 0;
    for file in rust_files(|_| true) {
        for (number, name) in test_names(&file) {
            seen += 1;
            let problem = match name.len() {
                length if length > NAME_LIMIT => format!("has {length} characters; {NAME_LIMIT} are allowed"),
                _ if starts_with_id(name) => "starts with an id; say the behaviour only".to_owned(),
                _ => continue,
            };
            found.push(format!("{}:{number}: `{name}` {problem}", file.path));
        }
    }
    assert!(seen > 1_000, "only {seen} tests are found");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn comments_and_documents_cite_no_private_ids() {
    let mut found = Vec::new();
    for file in files(|path| has_extension(path, "rs") || has_extension(path, "md")) {
        let is_rust = has_extension(&file.path, "rs");
        for (number, line) in file.lines() {
            let text = if is_rust { comment(line) } else { line };
            let ids = text.split(is_not_in_an_id).filter(|word| is_private_id(word));
            found.extend(ids.map(|id| format!("{}:{number}: `{id}`", file.path)));
        }
    }
    assert!(found.is_empty(), "cite a specification or a public issue instead:\n{}", found.join("\n"));
}

#[test]
fn phrases_of_the_glossary_are_not_used() {
    let phrases = phrases();
    assert!(phrases.len() >= LEAST_PHRASES, "the glossary is not found: {phrases:?}");
    let mut found = Vec::new();
    for file in files(|path| has_extension(path, "rs") || has_extension(path, "md")) {
        if file.path == "CONTRIBUTING.md" {
            continue;
        }
        let text = Prose::of(&file);
        for phrase in &phrases {
            let lines = text.lines_with(phrase);
            found.extend(lines.map(|number| format!("{}:{number}: `{phrase}`", file.path)));
        }
    }
    assert!(found.is_empty(), "see \"Words\" in CONTRIBUTING.md:\n{}", found.join("\n"));
}

#[test]
fn phrases_are_found_across_lines_and_in_names() {
    let text = "/// Once in a Blue\n/// moon.\nfn blue_moon() {}\n// A blue moonlight is none.\n";
    let file = SourceFile { path: "sample.rs".to_owned(), text: text.to_owned() };
    assert_eq!(Prose::of(&file).lines_with("blue moon").collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn ids_are_distinguished_from_standards() {
    let ids = |text: &'static str| text.split(is_not_in_an_id).filter(|word| is_private_id(word));
    assert_eq!(ids("see XY-12, and X-3.").collect::<Vec<_>>(), ["XY-12", "X-3"]);
    assert_eq!(ids("UTF-8, SHA-256, P-256, rust-sdk#30, error -32602, x-3, E0277").next(), None);
    assert!(["x_01_opens", "req_23_opens", "x01_opens"].into_iter().all(starts_with_id));
    assert!(!["opens_2025_03_26", "offers_15_tools", "utf_16_opens"].into_iter().any(starts_with_id));
}

/// The names of a file's tests with their lines, also of those inside macros.
fn test_names(file: &SourceFile) -> impl Iterator<Item = (usize, &str)> {
    let mut is_test = false;
    file.lines().filter_map(move |(number, line)| {
        let line = line.trim_start();
        is_test |= ["#[test]", "#[tokio::test"].iter().any(|attribute| line.starts_with(attribute));
        let (before, rest) = line.split_once("fn ")?;
        let is_function = matches!(before.trim(), "" | "async" | "pub" | "pub async");
        if !is_function || !std::mem::take(&mut is_test) {
            return None;
        }
        let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_')?;
        Some((number, &rest[..end]))
    })
}

/// Whether a name starts like `x_01_…` or `x01_…`.
fn starts_with_id(name: &str) -> bool {
    let mut words = name.split('_');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let letters = first.trim_end_matches(|character: char| character.is_ascii_digit());
    let digits = match &first[letters.len()..] {
        "" => second,
        digits => digits,
    };
    letters.len() <= 5
        && !STANDARDS.contains(&letters.to_uppercase().as_str())
        && digits.len() == 2
        && digits.chars().all(|character| character.is_ascii_digit())
}

/// The comment of a line, if it has one.
fn comment(line: &str) -> &str {
    let line = line.trim_start();
    if line.starts_with("//") { line } else { line.split_once(" // ").map_or("", |(_, comment)| comment) }
}

fn is_not_in_an_id(character: char) -> bool {
    !character.is_ascii_alphanumeric() && character != '-' && character != '_'
}

/// Whether a word is capital letters, a hyphen and a number: an id of a document that readers do not have.
fn is_private_id(word: &str) -> bool {
    word.split_once('-').is_some_and(|(letters, digits)| {
        (1..=5).contains(&letters.len())
            && letters.chars().all(|character| character.is_ascii_uppercase())
            && (1..=3).contains(&digits.len())
            && digits.chars().all(|character| character.is_ascii_digit())
            && !STANDARDS.contains(&letters)
    })
}

/// The phrases in code font in the right column of the glossary.
fn phrases() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("CONTRIBUTING.md")).expect("CONTRIBUTING.md is read");
    let glossary =
        text.split("\n## ").find(|section| section.starts_with("Words\n")).expect("a section Words");
    let columns = glossary.lines().filter_map(|line| line.trim_end_matches(['|', ' ']).split(" | ").nth(1));
    columns.flat_map(|column| column.split('`').skip(1).step_by(2)).map(str::to_lowercase).collect()
}

/// A file as running text: in lower case, without marks of comments, and with names taken apart.
struct Prose {
    text: String,
    /// Where in `text` each line starts.
    starts: Vec<usize>,
}

impl Prose {
    fn of(file: &SourceFile) -> Self {
        let (mut text, mut starts) = (String::new(), Vec::new());
        for (_, line) in file.lines() {
            starts.push(text.len());
            let line = line.trim().trim_start_matches(['/', '!', '>', '*']).trim_start();
            text.push_str(&line.to_lowercase().replace('_', " "));
            text.push(' ');
        }
        Self { text, starts }
    }

    /// The lines in which `phrase` starts, as whole words.
    fn lines_with(&self, phrase: &str) -> impl Iterator<Item = usize> {
        self.text.match_indices(phrase).filter_map(move |(start, _)| {
            let before = self.text[..start].chars().next_back();
            let after = self.text[start + phrase.len()..].chars().next();
            let is_whole = ![before, after].into_iter().flatten().any(char::is_alphanumeric);
            is_whole.then(|| self.starts.partition_point(|line| *line <= start))
        })
    }
}
