//! Real clients, as their users install them, against the `retail` example and a slow server, over stdio and over HTTP: each
//! lists the tools, calls five, provokes a validation error, cancels a call, is notified of progress and of a changed
//! resource, reads it and gets a prompt, in the revisions that it speaks. One also gets tokens for a protected server.
//!
//! `tests/setup.sh` installs them at pinned versions into `target/clients`. One that is missing fails its test.

mod clients;
mod plan;
mod process;
mod protected;
mod rust_client;
mod servers;

/// The same clients on each transport.
macro_rules! on_each_transport {
    ($($name:ident: $era:ident $(.$adjusted:ident)?, $plan:ident => $report:expr;)*) => {
        on_each_transport! { @stdio over_stdio $($name: $era $(.$adjusted)?, $plan => $report;)* }
        on_each_transport! { @http over_http $($name: $era $(.$adjusted)?, $plan => $report;)* }
    };
    (@$transport:ident $over:ident $($name:ident: $era:ident $(.$adjusted:ident)?, $plan:ident => $report:expr;)*) => {
        mod $transport {
            use crate::plan::{Era, Plan};
            use crate::{clients, rust_client};

            $(
                #[tokio::test]
                async fn $name() {
                    let $plan = Plan::$over(Era::$era)$(.$adjusted())?;
                    $plan.check(&$report.await);
                }
            )*
        }
    };
}

on_each_transport! {
    python_2_in_the_modern_era: Modern, plan => clients::python("v2", &plan);
    python_2_in_the_legacy_era: Legacy, plan => clients::python("v2", &plan);
    python_1: Legacy, plan => clients::python("v1", &plan);
    typescript_2_in_the_modern_era: Modern, plan => clients::node("v2", &plan);
    typescript_2_in_the_legacy_era: Legacy, plan => clients::node("v2", &plan);
    typescript_1: Legacy, plan => clients::node("v1", &plan);
    inspector_in_the_modern_era: Modern.one_request_a_run, plan => clients::inspector(&plan);
    inspector_in_the_legacy_era: Legacy.one_request_a_run, plan => clients::inspector(&plan);
    rmcp_in_the_modern_era: Modern, plan => rust_client::run(&plan);
    rmcp_in_the_legacy_era: Legacy, plan => rust_client::run(&plan);
}
