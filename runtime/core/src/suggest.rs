//! "Did you mean" suggestions: the closest known word.

/// Returns the word of `known` closest to `word`, if it is close enough to be a typo.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut word = Folded::of(word);
    let mut limit = (word.letters.len() / 3).max(1);
    let mut nearest = None;
    let mut other = Folded::default();
    for candidate in known {
        other.set(candidate);
        // Skips most words by their length.
        if word.letters.len().abs_diff(other.letters.len()) > limit {
            continue;
        }
        let distance = word.distance(&other);
        if distance < limit || (distance == limit && nearest.is_none()) {
            (nearest, limit) = (Some(candidate), distance);
        }
    }
    nearest
}

/// A word without insignificant differences: case, and `-` for `_`.
#[derive(Default)]
struct Folded {
    letters: Vec<char>,
    /// Distances between prefixes: three rows, reused for each comparison.
    rows: [Vec<usize>; 3],
}

impl Folded {
    fn of(word: &str) -> Self {
        let mut folded = Self::default();
        folded.set(word);
        folded
    }

    fn set(&mut self, word: &str) {
        self.letters.clear();
        let lower = word.chars().flat_map(char::to_lowercase);
        self.letters.extend(lower.map(|letter| if letter == '-' { '_' } else { letter }));
    }

    /// Returns the number of single-character edits; a transposition counts as one.
    fn distance(&mut self, other: &Self) -> usize {
        let (a, b) = (&other.letters, &self.letters);
        let [before, last, row] = &mut self.rows;
        for each in [&mut *before, &mut *row] {
            each.resize(b.len() + 1, 0);
        }
        last.clear();
        last.extend(0..=b.len());
        for i in 1..=a.len() {
            row[0] = i;
            for j in 1..=b.len() {
                let change = usize::from(a[i - 1] != b[j - 1]);
                row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    row[j] = row[j].min(before[j - 2] + 1);
                }
            }
            std::mem::swap(before, last);
            std::mem::swap(last, row);
        }
        last[b.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn typos_are_found_and_other_words_are_not() {
        let known = ["read_only", "destructive", "title"];
        assert_eq!(nearest("readonly", known), Some("read_only"));
        assert_eq!(nearest("readOnly", known), Some("read_only"));
        assert_eq!(nearest("read-only", known), Some("read_only"));
        assert_eq!(nearest("tilte", known), Some("title"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("TITEL", ["tilt", "title", "titles"]), Some("title"));
        assert_eq!(nearest("ab", ["ba", "ab"]), Some("ab"), "the closest, regardless of order");
        assert_eq!(nearest("abd", ["abc", "abe"]), Some("abc"), "the first of two equally close");
    }
}
