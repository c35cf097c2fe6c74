//! A module in which every common name means something else.
#![allow(dead_code, unused_imports, unused_macros)]

mod shadowed {
    mod std {}
    mod core {}
    mod alloc {}
    mod serde_json {}
    mod toolwright_core {}
    mod linkme {}
    struct String;
    struct Vec;
    struct Box;
    enum Option {
        Some,
        None,
    }
    enum Result {
        Ok,
        Err,
    }
    use Option::{None, Some};
    use Result::{Err, Ok};
    trait From {}
    trait Into {}
    trait Default {}
    trait Send {}
    trait Sync {}
    trait Sized {}
    trait Tool {}
    trait Toolset {}
    trait Handler {}
    struct Package;
    struct Slot;
    macro_rules! vec {
        () => {};
    }
    macro_rules! env {
        () => {};
    }
    macro_rules! concat {
        () => {};
    }
    macro_rules! panic {
        () => {};
    }

    /// Doc.
    #[derive(::toolwright::Tool, ::serde::Deserialize, ::schemars::JsonSchema)]
    #[mcp(title = "Shadowed", read_only, was("former"), icon(src = "https://example.com/a.png"), meta("a" = 1))]
    pub struct Shadowed {
        #[mcp(minimum = 1, header = "N")]
        #[serde(alias = "m")]
        pub number: u8,
    }

    pub struct Service;

    impl ::toolwright::Handler<Shadowed> for Service {
        type Output = ::core::result::Result<u8, ::toolwright::ToolError>;

        async fn call(
            &self,
            input: Shadowed,
            _: &::toolwright::Context,
        ) -> Self::Output {
            ::core::result::Result::Ok(input.number)
        }
    }

    #[derive(::toolwright::Toolset)]
    #[mcp(name = "shadowed", handler = Service, workflow)]
    pub enum Tools {
        Shadowed(Shadowed),
    }
}

fn main() {
    use toolwright::Toolset as _;
    assert_eq!(shadowed::Tools::definitions()[0].title.as_deref(), Some("Shadowed"));
}
