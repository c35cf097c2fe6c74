//! Secrets: parameters for secrets, and secrets in definitions.

use serde_json::Value;

use super::super::rule::{self, LintRule};
use super::super::schema;
use super::super::subject::{Problems, Subject};
use super::super::words;

pub(super) fn secret_parameter(_: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    for tool in &subject.tools {
        let root = &tool.definition.input_schema;
        for (node, name) in tool.input.iter().filter_map(|node| Some((node, node.property?))) {
            let takes_text = may_hold_string(root, node.schema, MAX_STEPS);
            if takes_text && !is_marked(node.schema) && sounds_secret(name) {
                let message =
                    format!("the name `{name}` suggests a secret, but the parameter is not marked as one");
                problems.at(tool, &*node.pointer, message);
            }
        }
    }
}

/// Maximum number of references, lists and arms between a parameter and its string.
const MAX_STEPS: usize = 8;

/// Returns whether values of the schema are strings or lists of strings. A choice between published values is
/// not secret.
fn may_hold_string(root: &Value, schema: &Value, steps: usize) -> bool {
    let Some(steps) = steps.checked_sub(1) else { return false };
    let below = |schema| may_hold_string(root, schema, steps);
    if schema.get("enum").or(schema.get("const")).is_some() {
        return false;
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str).and_then(|to| schema::target(root, to)) {
        return below(target);
    }
    let types = schema::types(schema);
    if types.is_empty() {
        let branches = ["anyOf", "oneOf"].into_iter().find_map(|keyword| schema.get(keyword)?.as_array());
        return branches.is_none_or(|branches| branches.iter().any(below));
    }
    types.contains(&"string") || (types.contains(&"array") && schema.get("items").is_some_and(below))
}

/// Returns whether the schema, or that of its items, marks its values as secret.
fn is_marked(schema: &Value) -> bool {
    let is_written_only = |schema: &Value| schema.get("writeOnly") == Some(&Value::Bool(true));
    is_written_only(schema) || schema.get("items").is_some_and(is_written_only)
}

/// First words of names that ask for or state something about a secret.
const ABOUT: [&str; 12] =
    ["is", "has", "use", "uses", "needs", "require", "requires", "show", "hide", "allow", "with", "without"];

/// Last words of names that do not change their meaning.
const FILLERS: [&str; 19] = [
    "value",
    "values",
    "text",
    "string",
    "str",
    "plain",
    "plaintext",
    "raw",
    "pem",
    "base",
    "b",
    "env",
    "param",
    "arg",
    "input",
    "confirm",
    "confirmation",
    "repeat",
    "again",
];

/// Returns whether a name refers to a secret: `API_KEY`, `githubToken` and `passwords` do, `token_count`,
/// `next_page_token` and `path_to_private_key` do not. The words are those of the rule `secret-parameter`.
pub(super) fn sounds_secret(name: &str) -> bool {
    let Some(rule) = rule::find("secret-parameter") else { return false };
    let words = words::words(name);
    let mut main = words::main_words(&words);
    if main.first().is_some_and(|first| ABOUT.contains(&first.as_str())) {
        return false;
    }
    loop {
        if ends_with_a_secret(rule, main) {
            return true;
        }
        match main.split_last() {
            Some((last, rest)) if is_filler(last) => main = rest,
            _ => return false,
        }
    }
}

fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word) || word.chars().all(char::is_numeric)
}

/// Minimum length of a phrase that is recognized at the end of a longer word: `dbpassword`, but not `shipping`
/// by `pin`.
const MIN_ENDING_LENGTH: usize = 5;

fn ends_with_a_secret(rule: &LintRule, words: &[String]) -> bool {
    let name = words.concat();
    let mut starts = vec![0];
    starts.extend(words.iter().scan(0, |end, word| {
        *end += word.len();
        Some(*end)
    }));
    let last_word = words.last().map_or(0, |word| name.len() - word.len());
    let singular = name.strip_suffix('s').filter(|singular| !singular.ends_with('s'));
    std::iter::once(name.as_str()).chain(singular).any(|name| {
        rule.words.iter().any(|phrase| {
            let joined = phrase.replace('_', "");
            let Some(before) = name.strip_suffix(joined.as_str()) else { return false };
            let is_in_last_word = before.len() >= last_word && joined.len() >= MIN_ENDING_LENGTH;
            (starts.contains(&before.len()) || is_in_last_word) && !is_excepted(rule, phrase, words, before)
        })
    })
}

/// Returns whether a word before `phrase` means that it is not a secret; `before` has the same letters without
/// separators.
fn is_excepted(rule: &LintRule, phrase: &str, words: &[String], before: &str) -> bool {
    let Some(exceptions) = rule.except.get(phrase) else { return false };
    exceptions.iter().any(|word| {
        words.contains(word)
            || before == word.as_str()
            || (word.len() >= 4 && before.ends_with(word.as_str()))
    })
}

/// Minimum length of the random part of a token, to ignore placeholders.
const MIN_RANDOM_LENGTH: usize = 16;

pub(super) fn secret_in_definition(rule: &LintRule, subject: &Subject<'_>, problems: &mut Problems) {
    let find = |text: &str| {
        rule.words.iter().find(|prefix| {
            text.match_indices(prefix.as_str()).any(|(at, _)| {
                let is_start = !text[..at].ends_with(|before: char| before.is_ascii_alphanumeric());
                let rest = text[at + prefix.len()..].chars();
                let rest: Vec<char> =
                    rest.take_while(|next| next.is_ascii_alphanumeric() || "_-".contains(*next)).collect();
                // Placeholders repeat one character or contain words without digits.
                is_start && rest.len() >= MIN_RANDOM_LENGTH && rest.iter().any(char::is_ascii_digit)
            })
        })
    };
    for tool in &subject.tools {
        for text in &tool.strings {
            if let Some(prefix) = find(&text.value) {
                problems.at(
                    tool,
                    &*text.pointer,
                    format!("this string contains what looks like a token: `{prefix}…`"),
                );
            }
        }
    }
    for feature in &subject.features {
        for text in &feature.strings {
            if let Some(prefix) = find(&text.value) {
                let message = format!("this string contains what looks like a token: `{prefix}…`");
                problems.at_feature(feature, &*text.pointer, message);
            }
        }
    }
    if let Some(prefix) = subject.manifest.instructions.as_deref().and_then(find) {
        problems
            .at_server("/instructions", format!("this string contains what looks like a token: `{prefix}…`"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRETS: &str = "\
        password PASSWORD userPassword user_password dbpassword Password2 password_2 new_password confirm_password \
        passwordConfirmation passwords passwd DB_PASS smtpPass pwd PWD dbPwd user-pwd passphrase passcode \
        API_KEY apiKey APIKey apikey api-key X-API-Key api_keys openaiApiKey OPENAI_API_KEY api_key_for_billing \
        api_key_value myAPIKey GITHUB_TOKEN githubToken githubtoken github_token_2 token tokens Token accessToken \
        access_token ACCESS_TOKEN accesstoken refreshToken id_token sessionToken bearer_token oauth2Token csrfToken \
        auth.token botToken SLACK_BOT_TOKEN private_key privateKey PRIVATE_KEY_PEM privateKeyB64 client_secret \
        clientSecret CLIENT_SECRET webhookSecret secret secrets secretKey SECRET_KEY_BASE aws_secret_access_key \
        secretAccessKey accountKey signingKey ssh_key encryptionKey credential credentials creds otp totpCode jwt \
        pin cardPin cvv verificationCode recovery_codes seedPhrase connectionString DB_CONNECTION_STRING authorization \
        GITHUB_PAT next_access_token";

    const OTHERS: &str = "\
        page_token pageToken next_page_token nextPageToken NEXT_PAGE_TOKEN NextToken previousPageToken \
        continuation_token continuationToken ContinuationToken cursor_token cursor nextCursor sync_token nextSyncToken \
        skipToken $skiptoken deltaToken resume_token startingToken pagetoken nextpagetoken page_token_value pagination_token \
        max_tokens maxTokens MAX_TOKENS max_output_tokens max_new_tokens num_tokens total_tokens promptTokens \
        input_tokens completion_tokens token_count tokenCount TOKEN_COUNT number_of_tokens token_limit token_budget \
        tokens_per_minute stop_token eos_token progressToken clientRequestToken idempotency_token token_type tokenUrl \
        token_id token_expiry password_length passwordPolicy password_hint has_password isSecret use_token \
        path_to_private_key private_key_path key keys primary_key public_key publicKey sort_key issueKey keyboard \
        secret_name secretId secretary tokenizer api_key_id AWS_ACCESS_KEY_ID shipping spin gpio_pin pinned opinion \
        compass passage bypass passenger author authority max_paid_tokens count_of_api_keys hotpot psk_mode";

    #[test]
    fn secrets_are_detected_by_the_words_of_names() {
        let names = || SECRETS.split_whitespace().map(|name| (name, true));
        let others = || OTHERS.split_whitespace().map(|name| (name, false));
        assert!(names().count() >= 80 && others().count() >= 80);
        let wrong: Vec<_> =
            names().chain(others()).filter(|(name, expected)| sounds_secret(name) != *expected).collect();
        assert_eq!(wrong, []);
    }

    #[test]
    fn only_free_text_can_be_a_secret() {
        let root = json!({"$defs": {"Key": {"type": "string"}, "Loop": {"$ref": "#/$defs/Loop"}}});
        for (schema, expected) in [
            (json!({"type": "string"}), true),
            (json!({"type": ["string", "null"]}), true),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), true),
            (json!({"type": "array", "items": {"type": "string"}}), true),
            (json!({"$ref": "#/$defs/Key"}), true),
            (json!({"oneOf": [{"$ref": "#/$defs/Key"}, {"type": "integer"}]}), true),
            (json!({"description": "Anything."}), true),
            (json!({"type": "integer"}), false),
            (json!({"type": "array", "items": {"type": "integer"}}), false),
            (json!({"anyOf": [{"type": "object"}, {"type": "null"}]}), false),
            (json!({"type": "string", "enum": ["BTC", "ETH"]}), false),
            (json!({"$ref": "#/$defs/Loop"}), false),
        ] {
            assert_eq!(may_hold_string(&root, &schema, MAX_STEPS), expected, "{schema}");
        }
    }
}
