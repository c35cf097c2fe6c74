//! The crate under another name, in a crate that uses its name for something else.
#![allow(dead_code)]
extern crate toolwright as tw;

mod toolwright {}

mod tools {
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(tw::Tool, Deserialize, JsonSchema)]
    #[mcp(crate = tw, title = "Renamed")]
    pub struct Renamed {
        #[mcp(pattern = "^a$")]
        field: String,
    }

    #[derive(tw::Toolset)]
    #[mcp(crate = ::toolwright)]
    pub enum Tools {
        Renamed(Renamed),
    }

    pub struct Nobody;

    impl tw::Handler<Renamed> for Nobody {
        type Output = Result<(), tw::ToolError>;

        async fn call(&self, _: Renamed, _: &tw::Context) -> Self::Output {
            Ok(())
        }
    }

    #[derive(tw::Toolset)]
    #[mcp(crate = tw, handler = Nobody)]
    pub enum Handled {
        Renamed(Renamed),
    }
}

macro_rules! through_a_macro {
    ($($krate:tt)*) => {
        #[derive(tw::Tool, serde::Deserialize, schemars::JsonSchema)]
        #[mcp(crate = $($krate)*)]
        struct InMacro {}
    };
}
through_a_macro!(crate::again::tw);

mod again {
    pub use ::toolwright as tw;
}

fn main() {
    use tw::{Tool as _, Toolset as _};
    assert_eq!(tools::Tools::definitions()[0].title.as_deref(), Some("Renamed"));
    assert_eq!(tools::Handled::definitions().len(), 1);
    assert_eq!(InMacro::definition().name, "in_macro");
}
