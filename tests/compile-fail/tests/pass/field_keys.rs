//! Every key of a field, and what the schema says for it.
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::Tool;

type Count = u64;

/// Search the orders.
#[derive(Tool, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the definition is looked at")]
struct Search {
    /// Order id: `#W` and seven digits.
    #[mcp(title = "Order id", pattern = r"^#W\d{7}$", example = "#W0000001")]
    order_id: String,
    /// Not taken.
    #[mcp(description = "Who ordered.", format = "email", min_length = 3, max_length = 80)]
    email: Option<String>,
    #[mcp(minimum = 1, maximum = 100, multiple_of = 5, examples(5, 10), header = "Page-Size")]
    page_size: Count,
    #[mcp(exclusive_minimum = -1.5, exclusive_maximum = 2., example = -0.5)]
    weight: f64,
    #[mcp(min_items = 1, max_items = 3, example = ["new", "sent"])]
    #[serde(rename = "states", alias = "state")]
    state: Vec<String>,
    #[mcp(header = "Region")]
    region: Option<String>,
    #[mcp(secret, min_length = 4)]
    pin: String,
    #[mcp(credential)]
    api_key: String,
    #[mcp(secret = false, credential = false, example = true)]
    verbose: Option<bool>,
    #[mcp(minimum = 1)]
    foreign: Foreign,
}

/// A type whose JSON is not known before the program runs.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[expect(dead_code, reason = "only the definition is looked at")]
struct Foreign(i32);

fn main() {
    let schema = Search::definition().input_schema;
    let property = |name: &str| -> Value { schema["properties"][name].clone() };
    let has = |name: &str, keyword: &str, value: Value| {
        assert_eq!(property(name)[keyword], value, "{keyword} of {name}: {}", property(name));
    };
    has("order_id", "title", json!("Order id"));
    has("order_id", "description", json!("Order id: `#W` and seven digits."));
    has("order_id", "pattern", json!(r"^#W\d{7}$"));
    has("order_id", "examples", json!(["#W0000001"]));
    has("email", "description", json!("Who ordered."));
    has("email", "format", json!("email"));
    has("email", "minLength", json!(3));
    has("email", "maxLength", json!(80));
    has("page_size", "minimum", json!(1));
    has("page_size", "maximum", json!(100));
    has("page_size", "multipleOf", json!(5));
    has("page_size", "examples", json!([5, 10]));
    has("page_size", "x-mcp-header", json!("Page-Size"));
    has("weight", "exclusiveMinimum", json!(-1.5));
    has("weight", "exclusiveMaximum", json!(2.0));
    has("weight", "examples", json!([-0.5]));
    has("states", "minItems", json!(1));
    has("states", "maxItems", json!(3));
    has("states", "examples", json!([["new", "sent"]]));
    has("region", "x-mcp-header", json!("Region"));
    has("pin", "writeOnly", json!(true));
    has("verbose", "writeOnly", Value::Null);
    has("foreign", "minimum", json!(1));
    assert_eq!(property("api_key"), Value::Null, "a credential is not an argument");
    let required = schema["required"].as_array().unwrap();
    assert!(!required.contains(&json!("api_key")), "{required:?}");

    let fields = <Search as Tool>::METADATA.fields;
    let states = fields.iter().find(|field| field.name == "states").unwrap();
    assert_eq!(states.aliases, ["state"]);
    assert!(fields.iter().any(|field| field.name == "api_key" && field.credential));
    assert!(fields.iter().any(|field| field.name == "pin" && field.secret));
}
