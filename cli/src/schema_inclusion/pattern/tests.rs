use super::{Search, Sets};

fn found(text: &str) -> Search {
    Search::Found(text.to_owned())
}

#[test]
fn patterns_match_anywhere_in_strings() {
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
        let set = sets.parse_pattern(pattern).unwrap_or_else(|| panic!("{pattern}"));
        for text in yes {
            assert!(sets.contains(set, text), "{pattern} {text:?}");
        }
        for text in no {
            assert!(!sets.contains(set, text), "{pattern} {text:?}");
        }
    }
}

#[test]
fn irregular_patterns_are_unsupported() {
    for pattern in ["(?=a)", r"(a)\1", r"\bword", "a**", "(", "[b-a]", r"\p{L}", "x{2", "a^b", "(^a)*", "{1}"]
    {
        assert!(Sets::default().parse_pattern(pattern).is_none(), "{pattern}");
    }
}

#[test]
fn differences_have_a_string_or_are_empty() {
    let mut sets = Sets::default();
    let mut without = |left: &str, right: &str| {
        let [left, right] = [left, right].map(|pattern| sets.parse_pattern(pattern).unwrap());
        let not = sets.complement(right);
        let both = sets.intersect([left, not]);
        sets.find_shortest(both)
    };
    assert_eq!(without("^a{2,3}$", "^a+$"), Search::NotFound);
    assert_eq!(without("^a+$", "^a{2,3}$"), found("a"));
    assert_eq!(without("^(a|b)*$", "^[ab]*$"), Search::NotFound);
    assert_eq!(without(r"^\d{7}$", r"^\d{8}$"), found("0000000"));
    assert_eq!(without(r"^\d{8}$", r"\d{7}"), Search::NotFound);
    assert_eq!(without("^[a-z][a-z0-9_]*$", "^[a-z0-9_]+$"), Search::NotFound);
}

#[test]
fn lengths_and_literals_are_sets() {
    let mut sets = Sets::default();
    let pattern = sets.parse_pattern("^(ab)*$").unwrap();
    let length = sets.strings_of_length(3, Some(5));
    let both = sets.intersect([pattern, length]);
    assert_eq!(sets.find_shortest(both), found("abab"));
    let text = sets.literal("abab");
    let other = sets.complement(text);
    let rest = sets.intersect([both, other]);
    assert_eq!(sets.find_shortest(rest), Search::NotFound);
}

/// A pattern with exponentially many derivatives reaches the limit.
#[test]
fn searches_in_oversized_sets_reach_the_limit() {
    let mut sets = Sets::default();
    let set = sets.parse_pattern("^[ab]*a[ab]{40}$").unwrap();
    let other = sets.parse_pattern("^[ab]*b[ab]{40}$").unwrap();
    let not = [sets.complement(set), sets.complement(other)];
    let all = sets.parse_pattern("^[ab]{41,}$").unwrap();
    let both = sets.intersect([not[0], not[1], all]);
    assert_eq!(sets.find_shortest(both), Search::LimitReached);
}
