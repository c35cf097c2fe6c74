//! "Did you mean": the known word nearest to an unknown one.

/// The word of `known` nearest to `word`, if one is near enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The number of single-character edits, a swap of neighbours counted as one, between two words; case and the
/// difference of `-` and `_` count as nothing.
fn distance(a: &str, b: &str) -> usize {
    let fold = |word: &str| -> Vec<char> {
        word.chars().flat_map(char::to_lowercase).map(|c| if c == '-' { '_' } else { c }).collect()
    };
    let (a, b) = (fold(a), fold(b));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_of_the_pen_are_found_and_others_are_not() {
        let known = ["read_only", "destructive", "title"];
        assert_eq!(nearest("readonly", known), Some("read_only"));
        assert_eq!(nearest("readOnly", known), Some("read_only"));
        assert_eq!(nearest("read-only", known), Some("read_only"));
        assert_eq!(nearest("tilte", known), Some("title"));
        assert_eq!(nearest("colour", known), None);
    }
}
