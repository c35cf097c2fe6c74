//! "did you mean": the known word that is nearest to an unknown one.

/// Words that other libraries use for the same thing, and ours.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("aliases", "was"),
    ("alias", "was"),
    ("desc", "description"),
    ("doc", "description"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("range", "minimum"),
    ("regex", "pattern"),
    ("rename", "name"),
    ("returns", "output"),
    ("sensitive", "secret"),
    ("length", "max_length"),
    ("url", "src"),
    ("uri", "src"),
];

/// The word of `known` that `unknown` most likely stands for, if one is near.
pub(crate) fn nearest<'k>(unknown: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    if let Some((_, ours)) = OTHER_WORDS.iter().find(|(theirs, _)| *theirs == unknown)
        && let Some(word) = known.clone().find(|word| word == ours)
    {
        return Some(word);
    }
    let plain = without_style(unknown);
    known
        .map(|word| (distance(&plain, &without_style(word)), word))
        .filter(|(distance, word)| *distance <= word.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `readOnlyHint`, `read-only` and `READ_ONLY` are all written differently and mean the same.
fn without_style(word: &str) -> String {
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    plain.strip_suffix("hint").map_or(plain.clone(), str::to_owned)
}

/// The number of letters to insert, remove or replace (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, from) in left.chars().enumerate() {
        let mut diagonal = above;
        row[0] = above + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_misspelt_and_differently_styled_words() {
        let known = ["read_only", "maximum", "max_length", "src", "title"];
        let nearest = |word| nearest(word, known.into_iter());
        assert_eq!(nearest("readOnlyHint"), Some("read_only"));
        assert_eq!(nearest("readonly"), Some("read_only"));
        assert_eq!(nearest("maxium"), Some("maximum"));
        assert_eq!(nearest("max"), Some("maximum"));
        assert_eq!(nearest("url"), Some("src"));
        assert_eq!(nearest("titel"), Some("title"));
        assert_eq!(nearest("colour"), None);
    }
}
