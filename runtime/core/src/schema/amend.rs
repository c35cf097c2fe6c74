//! What a type says of itself, put into its schema.

use serde_json::{Map, Value, json};

/// One thing that a schema is to say in addition, and where.
#[derive(Debug, Clone)]
pub(crate) struct Amendment {
    /// JSON Pointer to the schema, in the form that arguments are read by.
    pub(crate) pointer: String,
    pub(crate) change: Change,
}

/// What is to be said.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// `dependentRequired`.
    Needs(Map<String, Value>),
    /// Beside the texts that are listed, but for the last, any other is taken.
    AnyOther,
    /// The same for the member that tells variants apart, whose other values these are.
    AnyOtherTag(Vec<Value>),
}

/// Makes the changes in the schema that arguments are read by.
pub(super) fn apply(exact: &mut Value, amendments: &[Amendment]) {
    for Amendment { pointer, change } in amendments {
        if let Some(Value::Object(place)) = exact.pointer_mut(pointer) {
            make(change, place, false);
        }
    }
}

/// Makes them in the schema that is shown, where the same object stands there.
pub(super) fn apply_to_shown(shown: &mut Value, amendments: &[Amendment]) {
    for Amendment { pointer, change } in amendments {
        let at_root = tag_at_root(pointer);
        if let Some(Value::Object(place)) = shown.pointer_mut(at_root.as_deref().unwrap_or(pointer)) {
            make(change, place, at_root.is_some());
        }
    }
}

/// Where the member that tells variants apart stands once an enum at the root is one object.
fn tag_at_root(pointer: &str) -> Option<String> {
    let rest = pointer.strip_prefix("/anyOf/").or_else(|| pointer.strip_prefix("/oneOf/"))?;
    let (position, rest) = rest.split_once('/')?;
    let name = rest.strip_prefix("properties/").filter(|name| !name.contains('/'))?;
    position.bytes().all(|digit| digit.is_ascii_digit()).then(|| format!("/properties/{name}"))
}

fn make(change: &Change, place: &mut Map<String, Value>, is_merged: bool) {
    match change {
        Change::Needs(needs) => {
            let lists_all = |names: &Value| place_lists(place, names);
            if needs.iter().all(|(name, others)| lists_all(&json!([name])) && lists_all(others)) {
                place.insert("dependentRequired".to_owned(), Value::Object(needs.clone()));
            }
        }
        Change::AnyOther => any_other(place),
        Change::AnyOtherTag(_) if is_merged => any_other(place),
        Change::AnyOtherTag(others) => {
            place.shift_remove("enum");
            place.shift_remove("const");
            place.insert("type".to_owned(), json!("string"));
            place.insert("not".to_owned(), json!({ "enum": others }));
        }
    }
}

fn place_lists(place: &Map<String, Value>, names: &Value) -> bool {
    let properties = place.get("properties").and_then(Value::as_object);
    let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
    properties.is_some_and(|properties| names.into_iter().all(|name| properties.contains_key(name)))
}

/// A list of texts becomes any text, with the list in words. The last one is the variant for all others, and no choice.
fn any_other(place: &mut Map<String, Value>) {
    let Some(Value::Array(mut values)) = place.shift_remove("enum") else { return };
    let other = values.pop();
    let other = other.as_ref().and_then(Value::as_str).unwrap_or_default();
    let about = place.shift_remove("description");
    let about = about.as_ref().and_then(Value::as_str).unwrap_or_default();
    let of_other = format!("`{other}`: ");
    let mut lines: Vec<String> =
        about.lines().filter(|line| !line.starts_with(&of_other)).map(str::to_owned).collect();
    let names: Vec<String> =
        values.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
    lines.push(if names.is_empty() {
        "Any string.".to_owned()
    } else {
        format!("Known: {}. Any other string is taken as well.", names.join(", "))
    });
    place.insert("description".to_owned(), lines.join("\n").into());
}
