//! What opens, what does not, and what errors say.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER: &str = "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f";
const CANARY: &[u8] = b"c4nary-s3cret";

const PLACE: Place<'static> = Place { org: Some("acme"), run: "run-1", node: "abuseipdb", field: "apiKey" };

fn keys(text: &str) -> MasterKeys {
    MasterKeys::from_text("KEY", text).unwrap()
}

fn kid(text: &str) -> String {
    keys(text).ids().next().unwrap().to_owned()
}

/// An envelope whose stored form was changed.
fn changed(envelope: &Envelope, change: impl FnOnce(&mut Value)) -> Result<Envelope, SecretError> {
    let mut value = serde_json::to_value(envelope).unwrap();
    change(&mut value);
    Envelope::parse(&value.to_string())
}

#[test]
fn what_is_sealed_opens_at_its_place() {
    let keys = keys(KEY);
    let envelope = keys.seal(&PLACE, CANARY).unwrap();
    let stored = envelope.to_text();
    assert!(!stored.contains("c4nary") && stored.contains(&kid(KEY)), "{stored}");
    let opened = keys.open(&PLACE, &Envelope::parse(&stored).unwrap()).unwrap();
    assert_eq!((opened.expose(), opened.expose_str()), (CANARY, Some("c4nary-s3cret")));
    assert_eq!(
        serde_json::from_str::<Envelope>(&serde_json::to_string(&envelope).unwrap()).unwrap(),
        envelope
    );
    assert_ne!(keys.seal(&PLACE, CANARY).unwrap(), envelope, "the nonce is random");
}

/// Envelopes of earlier versions of this program must open, so the form and every derivation stay.
#[test]
fn the_form_of_envelopes_does_not_change() {
    let envelope = keys(KEY).seal_with(&PLACE, CANARY, [7; 24]).unwrap();
    assert_eq!(envelope.to_text(), GOLDEN);
    assert_eq!(keys(KEY).open(&PLACE, &Envelope::parse(GOLDEN).unwrap()).unwrap().expose(), CANARY);
}

const GOLDEN: &str = r#"{"v":1,"kid":"1f7cc4cdf85db691","nonce":"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH","sealed":"MHqKx+08XlTEO1RYuMewOaAFsSZw28fZhW35+Kg="}"#;

#[test]
fn without_a_key_nothing_is_stored() {
    let error = MasterKeys::none().seal(&PLACE, CANARY).unwrap_err();
    assert_eq!(error, SecretError::NoKey);
    assert!(error.to_string().contains("openssl rand -base64 32"), "{error}");
    assert!(MasterKeys::none().is_empty());
}

/// A credential that cannot be opened is never used as it is (Extra-Chill/data-machine#3503).
#[test]
fn what_does_not_open_is_an_error_that_names_the_key() {
    let envelope = keys(KEY).seal(&PLACE, CANARY).unwrap();
    let error = keys(OTHER).open(&PLACE, &envelope).unwrap_err();
    assert_eq!(error, SecretError::UnknownKey { kid: kid(KEY) });
    assert!(error.to_string().contains(&kid(KEY)), "{error}");

    // Another key that claims the same id.
    let claimed = changed(&envelope, |value| value["kid"] = kid(OTHER).into()).unwrap();
    let error = keys(OTHER).open(&PLACE, &claimed).unwrap_err();
    assert_eq!(error, SecretError::DoesNotOpen { kid: kid(OTHER) });

    for stored in [
        "",
        "c4nary-s3cret",
        "\"c4nary-s3cret\"",
        "{}",
        "null",
        "[]",
        r#"{"v":1,"kid":"c4nary","nonce":"","sealed":""}"#,
        r#"{"v":0,"kid":"0123456789abcdef","nonce":"","sealed":""}"#,
    ] {
        assert_eq!(Envelope::parse(stored), Err(SecretError::NotSealed), "{stored}");
        let error = serde_json::from_str::<Envelope>(stored).unwrap_err().to_string();
        assert!(!error.contains("c4nary"), "{error}");
    }
    assert_eq!(changed(&envelope, |value| value["v"] = json!(2)), Err(SecretError::Newer(2)));
    let long = "A".repeat(MAX_SECRET_BYTES * 2);
    assert_eq!(changed(&envelope, |value| value["sealed"] = long.into()), Err(SecretError::NotSealed));
}

#[test]
fn lengths_are_bounded() {
    let keys = keys(KEY);
    assert_eq!(keys.seal(&PLACE, b""), Err(SecretError::Empty));
    let longest = vec![1; MAX_SECRET_BYTES];
    let envelope = keys.seal(&PLACE, &longest).unwrap();
    assert_eq!(keys.open(&PLACE, &Envelope::parse(&envelope.to_text()).unwrap()).unwrap().expose(), longest);
    let error = keys.seal(&PLACE, &vec![1; MAX_SECRET_BYTES + 1]).unwrap_err();
    assert_eq!(error, SecretError::TooLong(MAX_SECRET_BYTES + 1));
}

#[test]
fn keys_are_rotated_without_losing_a_credential() {
    let old = keys(KEY).seal(&PLACE, CANARY).unwrap();
    let both = keys(OTHER).with_previous(keys(KEY)).with_previous(keys(OTHER));
    assert_eq!(both.ids().collect::<Vec<_>>(), [kid(OTHER), kid(KEY)]);
    let new = both.rekey(&PLACE, &old).unwrap().unwrap();
    assert_eq!((new.kid(), both.rekey(&PLACE, &new)), (&*kid(OTHER), Ok(None)));
    assert_eq!(keys(OTHER).open(&PLACE, &new).unwrap().expose(), CANARY);
    let elsewhere = Place { run: "run-2", ..PLACE };
    assert_eq!(both.rekey(&elsewhere, &old), Err(SecretError::DoesNotOpen { kid: kid(KEY) }));
}

#[test]
fn nothing_secret_is_shown() {
    let keys = keys(&format!("{KEY}\n{OTHER}"));
    let envelope = keys.seal(&PLACE, CANARY).unwrap();
    let opened = keys.open(&PLACE, &envelope).unwrap();
    assert_eq!(format!("{opened} {opened:?}"), "[secret] [secret]");
    assert_eq!(format!("{keys:?}"), format!("[\"{}\", \"{}\"]", kid(KEY), kid(OTHER)));
    assert_eq!(format!("{envelope:?}"), format!("Envelope {{ kid: \"{}\", .. }}", kid(KEY)));
}

/// A placeholder is a password that everyone knows (FMXExpress/PasClaw#255).
#[test]
fn placeholders_and_weak_keys_are_refused_by_setting() {
    for text in ["", " \n", "${MASTER_KEY}", "changeme", "<key>"] {
        let error = MasterKeys::from_text("MASTER_KEY", text).unwrap_err();
        assert!(matches!(&error, KeyError::Placeholder(name) if name == "MASTER_KEY"), "{text:?}: {error}");
    }
    let zeros = "A".repeat(43) + "=";
    for text in ["correct horse battery staple", "AAEC", &zeros, &"0".repeat(64), &format!("{KEY}\nno-key")] {
        let error = MasterKeys::from_text("MASTER_KEY", text).unwrap_err();
        assert!(matches!(&error, KeyError::Form(name) if name == "MASTER_KEY"), "{text:?}: {error}");
    }
    assert!(matches!(MasterKeys::from_text("K", &format!("{KEY}\n{KEY}")), Err(KeyError::Count(_))));
    assert!(matches!(MasterKeys::from_env("TOOLWRIGHT_TEST_UNSET_KEY"), Err(KeyError::Placeholder(_))));
}

#[test]
fn a_key_has_one_id_however_it_is_written() {
    let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    for text in [digits, &digits.to_uppercase(), KEY.trim_end_matches('='), &format!("\n  {KEY}\r\n")] {
        assert_eq!(kid(text), kid(KEY), "{text}");
    }
    let dashes = "-_-_-_-_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBk";
    assert_eq!(kid(dashes), kid(&(dashes.replace('-', "+").replace('_', "/") + "=")));
}

#[cfg(unix)]
#[test]
fn a_key_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    std::fs::write(&path, format!("{KEY}\n")).unwrap();
    let with_mode = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        MasterKeys::from_file(&path)
    };
    for mode in [0o644, 0o640, 0o604, 0o666] {
        let error = with_mode(mode).unwrap_err();
        assert!(matches!(error, KeyError::Readable { mode: found, .. } if found == mode), "{error}");
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
    for mode in [0o600, 0o400] {
        assert_eq!(with_mode(mode).unwrap().ids().collect::<Vec<_>>(), [kid(KEY)]);
    }
    assert!(matches!(MasterKeys::from_file(&folder.path().join("none")), Err(KeyError::File { .. })));
}

#[cfg(unix)]
#[test]
fn a_command_can_print_the_key() {
    let sh = |script: &str| MasterKeys::from_command("sh", ["-c", script]);
    assert_eq!(sh(&format!("echo {KEY}")).unwrap().ids().collect::<Vec<_>>(), [kid(KEY)]);
    let failed = sh(&format!("echo {KEY}; exit 3")).unwrap_err().to_string();
    assert!(failed.contains("exit status: 3") && !failed.contains(KEY), "{failed}");
    assert!(matches!(sh("true"), Err(KeyError::Placeholder(_))));
    assert!(matches!(MasterKeys::from_command("no-such-program", []), Err(KeyError::Command { .. })));
}

/// Parts of names that could be taken for one another if they were only joined.
fn part() -> impl Strategy<Value = String> {
    prop_oneof!["[a|/\0]{0,3}", Just("acme".to_owned()), "\\PC{0,8}"]
}

type Parts = (Option<String>, String, String, String);

fn parts() -> impl Strategy<Value = Parts> {
    (proptest::option::of(part()), part(), part(), part())
}

fn place((org, run, node, field): &Parts) -> Place<'_> {
    Place { org: org.as_deref(), run, node, field }
}

proptest! {
    #[test]
    fn an_envelope_opens_at_no_other_place(here in parts(), there in parts(), secret in "\\PC{1,40}") {
        let keys = keys(KEY);
        let envelope = keys.seal(&place(&here), secret.as_bytes()).unwrap();
        let opened = keys.open(&place(&there), &envelope);
        if here == there {
            let value = opened.unwrap();
            prop_assert_eq!(value.expose(), secret.as_bytes());
        } else {
            prop_assert_eq!(opened.unwrap_err(), SecretError::DoesNotOpen { kid: kid(KEY) });
        }
    }

    /// One part of a place is another one, the rest stays.
    #[test]
    fn no_part_of_a_place_can_be_exchanged(here in parts(), which in 0..4, other in part()) {
        let keys = keys(KEY);
        let mut there = here.clone();
        match which {
            0 => there.0 = if there.0.as_deref() == Some(&*other) { None } else { Some(other) },
            1 => there.1 = other,
            2 => there.2 = other,
            _ => there.3 = other,
        }
        prop_assume!(here != there);
        let envelope = keys.seal(&place(&here), CANARY).unwrap();
        prop_assert!(keys.open(&place(&there), &envelope).is_err());
    }

    #[test]
    fn a_flipped_bit_is_noticed(byte in 0_usize..CANARY.len() + 16 + 24, bit in 0..8) {
        let keys = keys(KEY);
        let envelope = keys.seal(&PLACE, CANARY).unwrap();
        let (member, at) = if byte < 24 { ("nonce", byte) } else { ("sealed", byte - 24) };
        let flipped = changed(&envelope, |value| {
            let text = value[member].as_str().unwrap();
            let mut bytes = toolwright_core::content::base64::decode(text).unwrap();
            bytes[at] ^= 1_u8 << bit;
            value[member] = toolwright_core::content::base64::encode(&bytes).into();
        });
        let error = keys.open(&PLACE, &flipped.unwrap()).unwrap_err();
        prop_assert_eq!(error, SecretError::DoesNotOpen { kid: kid(KEY) });
    }

    #[test]
    fn any_stored_text_is_read_or_refused(text in "\\PC{0,200}") {
        prop_assert!(Envelope::parse(&text).is_err());
    }
}
