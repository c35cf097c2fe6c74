//! Types of every shape that can be a tool.
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolwright::{Tool, Toolset};

/// modelcontextprotocol/rust-sdk#303
#[derive(Tool, Deserialize, JsonSchema)]
struct Empty {}

/// modelcontextprotocol/rust-sdk#445
#[derive(Tool, Deserialize, JsonSchema)]
struct Unit;

#[derive(Tool, Deserialize, JsonSchema)]
struct Newtype(Inner);

#[derive(Tool, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Transparent {
    inner: Inner,
}

#[derive(Tool, Deserialize, JsonSchema)]
#[serde(from = "Inner")]
struct From {
    number: u32,
}

impl std::convert::From<Inner> for From {
    fn from(inner: Inner) -> Self {
        Self { number: inner.number }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Inner {
    number: u32,
}

/// eric-tramel/moraine#256
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Record {
    Create {
        #[mcp(min_length = 1)]
        name: String,
    },
    Delete(Inner),
    Ping,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct Page<Item, const SIZE: usize>
where
    Item: Clone,
{
    items: Vec<Item>,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct WithDefault<T = String> {
    value: T,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct Flat {
    #[serde(flatten)]
    inner: Inner,
    #[serde(skip)]
    skipped: Option<String>,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct Tree {
    #[mcp(max_items = 3)]
    children: Vec<Self>,
}

/// What a function reads has a schema of its own.
#[derive(Tool, Deserialize, JsonSchema)]
struct Wait {
    #[serde(deserialize_with = "seconds")]
    #[schemars(with = "String")]
    time: u64,
}

fn seconds<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<u64, D::Error> {
    String::deserialize(reader)?.parse().map_err(serde::de::Error::custom)
}

/// NousResearch/hermes-agent#110530
#[derive(Tool, Deserialize, JsonSchema)]
#[allow(non_camel_case_types)]
struct r#type {
    r#type: String,
    #[mcp(minimum = 1)]
    r#fn: u32,
    #[cfg(any())]
    #[mcp(nonsense)]
    absent: Nowhere,
    #[cfg(all())]
    #[cfg_attr(all(), mcp(example = "x"))]
    present: String,
}

mod private {
    use super::*;

    #[derive(Tool, Deserialize, JsonSchema)]
    pub(super) struct Hidden {
        pub(super) number: u32,
    }

    #[derive(Toolset)]
    pub(super) enum HiddenTools {
        Hidden(Hidden),
        #[cfg(any())]
        Absent(Nowhere),
    }
}

#[derive(Toolset)]
enum All {
    Empty(Empty),
    Unit(Unit),
    Newtype(Newtype),
    Transparent(Transparent),
    From(From),
    Record(Record),
    Page(Page<u8, 3>),
    WithDefault(WithDefault),
    Flat(Flat),
    r#Type(r#type),
    Hidden(private::Hidden),
    Tree(Tree),
}

/// A tool inside a function, and in a macro.
fn local() {
    macro_rules! tool {
        ($name:ident, $title:literal, $maximum:expr, $type:ty) => {
            #[derive(Tool, Deserialize, JsonSchema)]
            #[mcp(title = $title)]
            struct $name {
                #[mcp(maximum = $maximum)]
                number: $type,
            }
        };
    }
    tool!(Local, "A title", 3, u8);
    let definition = Local::definition();
    assert_eq!(definition.title.as_deref(), Some("A title"));
    assert_eq!(definition.input_schema["properties"]["number"]["maximum"], 3);
    let arguments = RawValue::from_string(json!({"number": 2}).to_string()).unwrap();
    assert!(matches!(Local::decode("local", Some(&arguments)), Ok(local) if local.number == 2));
}

fn read(name: &str, arguments: serde_json::Value) -> All {
    let arguments = RawValue::from_string(arguments.to_string()).unwrap();
    All::decode(name, Some(&arguments)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn main() {
    for definition in All::definitions() {
        let schema = definition.input_schema;
        assert_eq!(schema["type"], "object", "{}: {schema}", definition.name);
        assert!(schema["properties"].is_object(), "{}: {schema}", definition.name);
    }
    assert!(matches!(read("empty", json!({})), All::Empty(_)));
    assert!(matches!(read("unit", json!({})), All::Unit(_)));
    assert!(matches!(All::decode("unit", None), Ok(All::Unit(_))));
    assert!(matches!(read("newtype", json!({"number": 1})), All::Newtype(Newtype(inner)) if inner.number == 1));
    assert!(matches!(read("transparent", json!({"number": 1})), All::Transparent(it) if it.inner.number == 1));
    assert!(matches!(read("from", json!({"number": 1})), All::From(it) if it.number == 1));
    assert!(matches!(read("record", json!({"op": "create", "name": "x"})), All::Record(Record::Create { name }) if name == "x"));
    assert!(matches!(read("record", json!({"op": "delete", "number": 1})), All::Record(Record::Delete(it)) if it.number == 1));
    assert!(matches!(read("record", json!({"op": "ping"})), All::Record(Record::Ping)));
    assert!(matches!(read("page", json!({"items": [1]})), All::Page(page) if page.items == [1]));
    assert!(matches!(read("with_default", json!({"value": "x"})), All::WithDefault(it) if it.value == "x"));
    assert!(matches!(read("flat", json!({"number": 1})), All::Flat(it) if it.inner.number == 1 && it.skipped.is_none()));
    let All::r#Type(raw) = read("type", json!({"type": "x", "fn": 1, "present": "y"})) else { panic!("another") };
    assert_eq!((raw.r#type.as_str(), raw.r#fn, raw.present.as_str()), ("x", 1, "y"));
    assert!(matches!(read("hidden", json!({"number": 1})), All::Hidden(it) if it.number == 1));
    let tree = json!({"children": [{"children": []}]});
    assert!(matches!(read("tree", tree), All::Tree(tree) if tree.children[0].children.is_empty()));
    assert_eq!(private::HiddenTools::definitions().len(), 1);
    assert_eq!(r#type::ARGUMENT_NAMES, ["type", "fn", "present"]);
    assert_eq!(Wait::definition().input_schema["properties"]["time"]["type"], "string");
    let time = RawValue::from_string(json!({"time": "7"}).to_string()).unwrap();
    assert_eq!(toolwright::__private::decode::<Wait>(Some(&time)).unwrap().time, 7);
    local();
}
