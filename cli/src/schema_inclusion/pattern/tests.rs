use super::{Found, Sets};

fn found(text: &str) -> Found {
    Found::Text(text.to_owned())
}

#[test]
fn patterns_are_searched_for_in_texts() {
    let mut sets = Sets::default();
    for (pattern, yes, no) in [
        ("^a", &["a", "ab"][..], &["", "ba"][..]),
        ("b$", &["b", "ab"], &["ba", ""]),
        ("^[ab]*$", &["", "abba"], &["c"]),
        ("^.{2}$", &["ab", "éü"], &["a", "a\n", "a\r", "abc"]),
        ("", &["", "x"], &[]),
        ("^$", &[""], &["a"]),
        ("(^a|b)c", &["ac", "xbc"], &["xac"]),
        ("^(?:x|y)+?z{2,}$", &["xzz", "xyzzz"], &["xz", "zz"]),
        (r"^#W\d{7}$", &["#W1234567"], &["#W123456", "#W12345678"]),
        (r"^[^\s@]+@[\w.-]+$", &["a@b-c.d"], &["a b@c", "@"]),
        (r"^(?<year>\d{4})$", &["2024"], &["224"]),
        (r"^\u00e9\x41\u{1f600}$", &["éA😀"], &["eA"]),
        ("^[a-]$", &["a", "-"], &["b"]),
        ("a{0}$", &["", "b"], &[]),
    ] {
        let set = sets.pattern(pattern).unwrap_or_else(|| panic!("{pattern}"));
        for text in yes {
            assert!(sets.has(set, text), "{pattern} {text:?}");
        }
        for text in no {
            assert!(!sets.has(set, text), "{pattern} {text:?}");
        }
    }
}

#[test]
fn irregular_patterns_are_unsupported() {
    for pattern in ["(?=a)", r"(a)\1", r"\bword", "a**", "(", "[b-a]", r"\p{L}", "x{2", "a^b", "(^a)*", "{1}"]
    {
        assert!(Sets::default().pattern(pattern).is_none(), "{pattern}");
    }
}

#[test]
fn differences_have_a_text_or_none() {
    let mut sets = Sets::default();
    let mut without = |left: &str, right: &str| {
        let [left, right] = [left, right].map(|pattern| sets.pattern(pattern).unwrap());
        let not = sets.not(right);
        let both = sets.both([left, not]);
        sets.shortest(both)
    };
    assert_eq!(without("^a{2,3}$", "^a+$"), Found::Nothing);
    assert_eq!(without("^a+$", "^a{2,3}$"), found("a"));
    assert_eq!(without("^(a|b)*$", "^[ab]*$"), Found::Nothing);
    assert_eq!(without(r"^\d{7}$", r"^\d{8}$"), found("0000000"));
    assert_eq!(without(r"^\d{8}$", r"\d{7}"), Found::Nothing);
    assert_eq!(without("^[a-z][a-z0-9_]*$", "^[a-z0-9_]+$"), Found::Nothing);
}

#[test]
fn lengths_and_single_texts_are_sets() {
    let mut sets = Sets::default();
    let pattern = sets.pattern("^(ab)*$").unwrap();
    let length = sets.length(3, Some(5));
    let both = sets.both([pattern, length]);
    assert_eq!(sets.shortest(both), found("abab"));
    let text = sets.text("abab");
    let other = sets.not(text);
    let rest = sets.both([both, other]);
    assert_eq!(sets.shortest(rest), Found::Nothing);
}

/// A pattern that multiplies is given up after a bounded number of steps.
#[test]
fn oversized_problems_are_unknown() {
    let mut sets = Sets::default();
    let set = sets.pattern("^[ab]*a[ab]{40}$").unwrap();
    let other = sets.pattern("^[ab]*b[ab]{40}$").unwrap();
    let not = [sets.not(set), sets.not(other)];
    let all = sets.pattern("^[ab]{41,}$").unwrap();
    let both = sets.both([not[0], not[1], all]);
    assert_eq!(sets.shortest(both), Found::Unknown);
}
