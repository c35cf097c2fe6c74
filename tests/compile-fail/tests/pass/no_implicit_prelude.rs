//! A crate without the prelude.
#![no_implicit_prelude]

use ::serde::Deserialize;
use ::toolwright::{Context, Handler, Tool, ToolError, Toolset};

/// Doc.
#[derive(Tool, Deserialize)]
#[mcp(title = "T", read_only, was("former"), output = u8)]
struct Bare {
    #[mcp(minimum = 1, example = 2, header = "N")]
    #[serde(alias = "m")]
    number: u8,
}

// The derive of schemars needs the prelude.
impl ::schemars::JsonSchema for Bare {
    fn schema_name() -> ::std::borrow::Cow<'static, ::core::primitive::str> {
        ::std::borrow::Cow::Borrowed("Bare")
    }

    fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
        use ::std::prelude::v1::*;
        ::schemars::json_schema!({"type": "object", "properties": {"number": {"type": "integer"}}})
    }
}

struct Service;

impl Handler<Bare> for Service {
    type Output = ::core::result::Result<u8, ToolError>;

    async fn call(&self, input: Bare, _: &Context) -> Self::Output {
        ::core::result::Result::Ok(input.number)
    }
}

#[derive(Toolset)]
#[mcp(name = "bare", handler = Service, workflow)]
enum Tools {
    Bare(Bare),
}

fn main() {
    ::std::assert_eq!(Tools::definitions().len(), 1);
    ::std::assert!(Tools::decode("nothing", ::core::option::Option::None).is_err());
}
