//! Every rule against the examples of its own data file.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolwright_core::manifest::Manifest;

use super::explain;
use super::rule::{LintRule, RULES};
use super::sample;
use super::subject::{Problem, Problems, Subject};

fn manifest(rule: &LintRule, example: &str) -> Manifest {
    sample::manifest(example).unwrap_or_else(|error| panic!("{}: {error}", rule.id()))
}

/// Returns the violations of a rule in a manifest.
fn found(rule: &LintRule, manifest: &Manifest) -> Vec<Problem> {
    found_in(rule, &Subject::new(manifest))
}

fn found_in(rule: &LintRule, subject: &Subject<'_>) -> Vec<Problem> {
    let mut problems = Problems::default();
    (rule.check)(rule, subject, &mut problems);
    problems.0
}

#[test]
fn every_rule_finds_its_example_and_not_its_repair() {
    for rule in RULES.iter() {
        let problems = found(rule, &manifest(rule, &rule.example));
        assert!(!problems.is_empty(), "{}: the example does not break the rule", rule.id());
        let problems = found(rule, &manifest(rule, &rule.fix));
        assert!(problems.is_empty(), "{}: the repair breaks the rule: {problems:?}", rule.id());
    }
}

#[test]
fn no_repair_breaks_a_rule_that_its_example_keeps() {
    let breaks = |rule: &LintRule| {
        let broken = |example: &str| -> BTreeSet<&str> {
            let manifest = manifest(rule, example);
            let subject = Subject::new(&manifest);
            RULES.iter().filter(|other| !found_in(other, &subject).is_empty()).map(LintRule::id).collect()
        };
        let new: Vec<_> = broken(&rule.fix).difference(&broken(&rule.example)).copied().collect();
        (!new.is_empty()).then(|| format!("{}: its repair breaks {new:?}", rule.id()))
    };
    let wrong: Vec<_> = RULES.iter().filter_map(breaks).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Checks that a location exists, except for its last step if that is missing.
#[test]
fn every_place_is_in_the_manifest() {
    for rule in RULES.iter() {
        let manifest = manifest(rule, &rule.example);
        for problem in found(rule, &manifest) {
            let of = match &problem.place.of {
                Some(of) => manifest
                    .entries(of.kind)
                    .into_iter()
                    .flatten()
                    .find(|entry| of.kind.name_of(entry) == Some(&of.name))
                    .map(serde_json::Value::from),
                None => Some(serde_json::json!(manifest)),
            };
            let of = of.unwrap_or_else(|| panic!("{}: no {:?}", rule.id(), problem.place.of));
            let pointer = problem.place.pointer.as_str();
            let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            assert!(
                of.pointer(pointer).or(of.pointer(parent)).is_some(),
                "{}: nothing at {pointer}",
                rule.id()
            );
        }
    }
}

#[test]
fn every_data_file_has_a_rule_and_is_complete() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lint/rules");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.map(|file| file.trim_end_matches(".toml").to_owned()).collect();
    let rules: BTreeSet<String> = RULES.iter().map(|rule| rule.id().to_owned()).collect();
    assert_eq!(files, rules);
    assert!(rules.len() >= 40);
    for rule in RULES.iter() {
        let id = rule.id();
        assert!(
            rule.info.sources.iter().all(|source| source.starts_with("https://")),
            "{id}: a source is no address"
        );
        assert!(!rule.info.sources.is_empty() && rule.info.why.trim().ends_with('.'), "{id}: why?");
        for fragment in [&rule.info.summary, &rule.info.advice] {
            assert!(
                !fragment.ends_with('.') && !fragment.contains('\n'),
                "{id}: a fragment of one line: {fragment}"
            );
            assert!(fragment.chars().count() <= 110, "{id}: too long to read at once: {fragment}");
        }
    }
}

/// `cargo mcp lint --explain` fits a terminal, except for URLs and quotes of examples.
#[test]
fn explanations_fit_a_terminal() {
    for rule in RULES.iter() {
        for line in explain::rule(rule).lines().filter(|line| !line.starts_with(' ')) {
            assert!(line.chars().count() <= 130, "{}: {line}", rule.id());
        }
    }
}

/// `UPDATE=1 cargo test -p toolwright-cli lints_md` rewrites the document.
#[test]
fn docs_lints_md_matches_the_data_files() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lints.md");
    let expected = explain::document();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    let actual = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        actual == expected,
        "docs/lints.md is out of date: UPDATE=1 cargo test -p toolwright-cli lints_md"
    );
}
