//! "did you mean": finds the known word that is closest to an unknown one.

/// Words that other libraries use, each with our word for the same thing.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("aliases", "was"),
    ("alias", "was"),
    ("address", "uri"),
    ("autocomplete", "complete"),
    ("completer", "complete"),
    ("completion", "complete"),
    ("content_type", "mime_type"),
    ("mime", "mime_type"),
    ("template", "uri"),
    ("uri_template", "uri"),
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
    ("url", "uri"),
    ("uri", "src"),
];

/// Returns the word of `known` that `unknown` most likely means, if one is close enough.
pub(crate) fn nearest<'k>(unknown: &str, known: impl Iterator<Item = &'k str> + Clone) -> Option<&'k str> {
    let ours = OTHER_WORDS.iter().filter(|(theirs, _)| *theirs == unknown).map(|(_, ours)| ours);
    if let Some(word) = ours.into_iter().find_map(|ours| known.clone().find(|word| word == ours)) {
        return Some(word);
    }
    let plain = normalize(unknown);
    known
        .map(|word| (distance(&plain, &normalize(word)), word))
        .filter(|(distance, word)| *distance <= word.len().div_ceil(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Normalizes `readOnlyHint`, `read-only` and `READ_ONLY`, which all mean the same.
fn normalize(word: &str) -> String {
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
    fn finds_misspelled_and_differently_styled_words() {
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
