//! What is measured: by criterion here, by instructions in `tests/bench-limits`.

use std::hint::black_box;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright_core::arguments::ArgumentReader;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Manifest, Server};
use toolwright_core::result::ToolResult;
use toolwright_core::schema::{Profile, output};
use toolwright_core::tool::Tool;
use toolwright_macros::Tool;

/// One thing to measure.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Makes ready what is then run many times.
    pub(crate) prepare: fn() -> Box<dyn FnMut()>,
}

pub(crate) const CASES: [Case; 8] = [
    Case { name: "arguments_fit", prepare: || reading::<FindOrders>(FITS) },
    Case { name: "arguments_fail", prepare: || refusing::<FindOrders>(FAILS) },
    Case { name: "arguments_fit_constraints", prepare: || reading::<ReturnItems>(FITS_CONSTRAINTS) },
    Case { name: "arguments_fail_constraints", prepare: || refusing::<ReturnItems>(FAILS_CONSTRAINTS) },
    Case { name: "schema_of_schemars", prepare: || run(schema_of_schemars) },
    // The portable pass costs the difference to the case above.
    Case { name: "schema_portable", prepare: || run(|| output::<ReturnItems>(Profile::Portable)) },
    Case { name: "definition", prepare: || run(ReturnItems::definition) },
    Case { name: "manifest_100_tools", prepare: || run(|| manifest(100)) },
];

/// Finds orders: a tool whose rules serde knows.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = toolwright_core, read_only)]
struct FindOrders {
    /// What to look for in the names of items.
    #[serde(rename = "query")]
    _query: String,
    /// Only orders in this state.
    #[serde(rename = "state")]
    _state: Option<State>,
    /// Whether cancelled orders are shown too.
    #[serde(rename = "with_cancelled", default)]
    _with_cancelled: bool,
    /// At most this many.
    #[serde(rename = "limit")]
    _limit: Option<u32>,
}

/// The state of an order.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum State {
    Pending,
    Packed,
    Delivered,
}

/// Sends items of a delivered order back: a tool with rules beyond those of serde, and a nested struct.
#[derive(Tool, Deserialize, Serialize, JsonSchema)]
#[mcp(crate = toolwright_core, title = "Return items", destructive, tags("orders"))]
struct ReturnItems {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    #[serde(rename = "order_id")]
    order: String,
    /// The items to send back.
    #[mcp(min_items = 1, max_items = 20)]
    #[serde(rename = "item_ids")]
    items: Vec<String>,
    /// What to pay back.
    #[mcp(minimum = 0, maximum = 10_000)]
    amount: f64,
    /// The day on which they are fetched.
    #[mcp(format = "date")]
    day: Option<String>,
    /// Where they are fetched.
    address: Address,
    /// The state in which the items are.
    state: State,
}

/// A postal address.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Address {
    /// Street and number.
    street: String,
    /// The city.
    city: String,
    /// The postal code.
    zip: String,
    /// The country, if it is not that of the shop.
    country: Option<String>,
}

const FITS: &str = r#"{"query":"desk lamp","state":"delivered","with_cancelled":true,"limit":20}"#;

/// A value of the wrong type, an unknown state and a misspelt name.
const FAILS: &str = r#"{"query":7,"state":"lost","limitt":20}"#;

const FITS_CONSTRAINTS: &str = r##"{"order_id":"#W0000042","item_ids":["4107812777","9647292434"],"amount":129.5,"day":"2026-07-28","address":{"street":"Main Street 1","city":"Austin","zip":"78701"},"state":"delivered"}"##;

/// A pattern, a count, a bound and a format that do not hold.
const FAILS_CONSTRAINTS: &str = r#"{"order_id":"W42","item_ids":[],"amount":-1,"day":"28.07.2026","address":{"street":"Main Street 1","city":"Austin","zip":"78701"},"state":"delivered"}"#;

fn run<T: 'static>(measured: impl Fn() -> T + 'static) -> Box<dyn FnMut()> {
    Box::new(move || drop(black_box(measured())))
}

/// Arguments that fit, from their text to the tool's struct.
fn reading<T: Tool>(text: &str) -> Box<dyn FnMut()> {
    let (reader, text) = reader_and_text::<T>(text);
    assert!(reader.read_tool::<T>(Some(&text), &[]).is_ok(), "{} takes {text}", T::NAME);
    run(move || reader.read_tool::<T>(black_box(Some(&text)), &[]))
}

/// Arguments that do not fit, from their text to the result that names every problem.
fn refusing<T: Tool>(text: &str) -> Box<dyn FnMut()> {
    let (reader, text) = reader_and_text::<T>(text);
    let refuse = move || -> Option<ToolResult> {
        reader.read_tool::<T>(black_box(Some(&text)), &[]).err().map(Into::into)
    };
    assert!(refuse().is_some(), "{} must not take these arguments", T::NAME);
    run(refuse)
}

fn reader_and_text<T: Tool>(text: &str) -> (ArgumentReader, Box<RawValue>) {
    let reader = ArgumentReader::of::<T>().expect("the schema can be enforced");
    (reader, RawValue::from_string(text.to_owned()).expect("the text is JSON"))
}

/// What schemars alone does for the same type.
fn schema_of_schemars() -> schemars::Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<ReturnItems>()
}

/// The document that the command line writes, from the derived structs on.
fn manifest(count: usize) -> String {
    let numbered = |number| {
        let mut tool = if number % 2 == 0 { FindOrders::definition() } else { ReturnItems::definition() };
        tool.name = format!("{}_{number}", tool.name);
        tool
    };
    let tools: Vec<ToolDefinition> = (0..count).map(numbered).collect();
    let server = Server::new("bench", "1.0.0");
    Manifest::new(server, None, tools).expect("the names are unique").to_json()
}
