//! Splits names into words, for all rules about names.

/// Words that change what the following words mean: `count_of_tokens` is a count, not a token.
const PREPOSITIONS: [&str; 10] = ["of", "for", "to", "from", "in", "on", "by", "with", "at", "as"];

/// Splits a name into lower-case words: `get_order`, `get-order`, `getOrder`, `GetOrder` and `GET_ORDER` have
/// the same two. An acronym is one word (`parseHTTPHeader`, `userIDs`), and so is a number (`oauth2Token`).
pub(super) fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut is_inside = false;
    for (at, letter) in letters.iter().copied().enumerate() {
        if !letter.is_alphanumeric() {
            is_inside = false;
            continue;
        }
        match words.last_mut().filter(|_| is_inside && !begins_a_word(&letters, at)) {
            Some(word) => word.extend(letter.to_lowercase()),
            None => words.push(letter.to_lowercase().collect()),
        }
        is_inside = true;
    }
    words
}

/// Returns whether a word ends before the letter at this index, which follows another letter.
fn begins_a_word(letters: &[char], at: usize) -> bool {
    let (before, letter) = (letters[at - 1], letters[at]);
    if before.is_numeric() || letter.is_numeric() {
        return before.is_numeric() != letter.is_numeric();
    }
    if !letter.is_uppercase() {
        return false;
    }
    // The last of several capitals begins the next word, unless only the `s` of a plural follows: `APIKey` and
    // `APIs`.
    let next_is_small = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
    !before.is_uppercase() || (next_is_small && !is_plural_s(letters, at + 1))
}

/// Returns whether the letter at this index is an `s` at the end of its word.
fn is_plural_s(letters: &[char], at: usize) -> bool {
    letters[at] == 's' && letters.get(at + 1).is_none_or(|next| !next.is_lowercase())
}

/// Returns how many words at the start of `words` form `phrase`, which is written like `api_key`: two in
/// `api_key`, one in `apikey`.
pub(super) fn starts_with(words: &[String], phrase: &str) -> Option<usize> {
    let mut rest = phrase.split('_').collect::<String>();
    for (at, word) in words.iter().enumerate() {
        rest = rest.strip_prefix(word.as_str())?.to_owned();
        if rest.is_empty() {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the main part of a name, without modifiers: `api_key` of `api_key_for_billing`.
pub(super) fn main_words(words: &[String]) -> &[String] {
    let end = words.iter().skip(1).position(|word| PREPOSITIONS.contains(&word.as_str()));
    &words[..end.map_or(words.len(), |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_split_into_its_words_however_it_is_written() {
        for (name, expected) in [
            ("get_order", "get order"),
            ("get-order", "get order"),
            ("get.order", "get order"),
            ("get order", "get order"),
            ("getOrder", "get order"),
            ("GetOrder", "get order"),
            ("GET_ORDER", "get order"),
            ("get__order", "get order"),
            ("_get_order_", "get order"),
            ("API_KEY", "api key"),
            ("apiKey", "api key"),
            ("APIKey", "api key"),
            ("myAPIKey", "my api key"),
            ("myAPI", "my api"),
            ("parseHTTPHeader", "parse http header"),
            ("HTTPServer2Port", "http server 2 port"),
            ("userIDs", "user ids"),
            ("userIDsOfTeam", "user ids of team"),
            ("listURLs", "list urls"),
            ("APIs_v2", "apis v 2"),
            ("IDString", "id string"),
            ("oauth2Token", "oauth 2 token"),
            ("oauth2_token", "oauth 2 token"),
            ("sha256", "sha 256"),
            ("password2", "password 2"),
            ("X-API-Key", "x api key"),
            ("x509Cert", "x 509 cert"),
            ("aB", "a b"),
            ("ABc", "a bc"),
            ("A", "a"),
            ("", ""),
            ("---", ""),
            ("größeÄndern", "größe ändern"),
            ("取得_order", "取得 order"),
            ("filter[status]", "filter status"),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn a_phrase_is_found_with_and_without_its_separators() {
        for (name, phrase, count) in [
            ("api_key", "api_key", Some(2)),
            ("apikey_name", "api_key", Some(1)),
            ("rollBackAll", "roll_back", Some(2)),
            ("rollback", "roll_back", Some(1)),
            ("api", "api_key", None),
            ("api_keyring", "api_key", None),
            ("", "api_key", None),
        ] {
            assert_eq!(starts_with(&words(name), phrase), count, "{name}");
        }
    }

    #[test]
    fn words_after_a_preposition_are_ignored() {
        for (name, expected) in [
            ("api_key_for_billing", "api key"),
            ("number_of_tokens", "number"),
            ("path_to_private_key", "path"),
            ("to_token", "to token"),
            ("token", "token"),
            ("", ""),
        ] {
            assert_eq!(main_words(&words(name)).join(" "), expected, "{name}");
        }
    }
}
