//! Methods for prompts and resources that `#[handlers]` cannot use.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Prompt, Resource, handlers};

#[derive(Prompt, Deserialize, JsonSchema)]
struct Review {
    code: String,
}

#[derive(Prompt)]
#[mcp(name = "review")]
struct SameName;

#[derive(Resource)]
#[mcp(uri = "shop://terms")]
struct Terms;

#[derive(Resource)]
#[mcp(uri = "shop://terms", name = "conditions")]
struct SameAddress;

struct First;

#[handlers]
impl First {
    // misuse: keys on the attribute of a method
    #[prompt(name = "review")]
    async fn review(&self, _input: Review) -> &'static str {
        ""
    }

    // misuse: two attributes
    #[prompt]
    #[resource]
    async fn terms(&self, _input: Terms) -> &'static str {
        ""
    }

    // misuse: a prompt by reference
    #[prompt]
    async fn by_reference(&self, _input: &Review) -> &'static str {
        ""
    }

    // misuse: no resource
    #[resource]
    async fn nothing(&self) -> &'static str {
        ""
    }
}

struct Second;

#[handlers]
impl Second {
    // misuse: a prompt without `#[prompt]`
    async fn review(&self, _input: Review) -> &'static str {
        ""
    }
}

struct Third;

#[handlers]
impl Third {
    // misuse: a resource as a prompt
    #[prompt]
    async fn terms(&self, _input: Terms) -> &'static str {
        ""
    }
}

struct Fourth;

#[handlers]
impl Fourth {
    #[prompt]
    async fn review(&self, _input: Review) -> &'static str {
        ""
    }

    // misuse: a second handler of a prompt
    #[prompt]
    async fn again(&self, _input: Review) -> &'static str {
        ""
    }
}

struct Fifth;

#[handlers]
impl Fifth {
    #[prompt]
    async fn review(&self, _input: Review) -> &'static str {
        ""
    }

    // misuse: two prompts of one name
    #[prompt]
    async fn same(&self, _input: SameName) -> &'static str {
        ""
    }

    #[resource]
    async fn terms(&self, _input: Terms) -> &'static str {
        ""
    }

    // misuse: two resources with one address
    #[resource]
    async fn conditions(&self, _input: SameAddress) -> &'static str {
        ""
    }
}

// misuse: a number as a prompt
struct Sixth;

#[handlers]
impl Sixth {
    #[prompt]
    async fn review(&self, _input: Review) -> u64 {
        1
    }
}

fn main() {}
