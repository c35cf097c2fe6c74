//! Real clients, as their users install them, against the `retail` example and a slow server: each lists the
//! tools, calls five, provokes a validation error and cancels a call, in the revisions that it speaks.
//!
//! `tests/setup.sh` installs them at pinned versions into `target/clients`. One that is missing fails its test.

mod clients;
mod plan;
mod process;
mod rust_client;
mod servers;

use plan::{Era, Plan};

#[tokio::test]
async fn python_2_in_the_modern_era() {
    let plan = Plan::new(Era::Modern);
    plan.check(&clients::python("v2", &plan).await);
}

#[tokio::test]
async fn python_2_in_the_legacy_era() {
    let plan = Plan::new(Era::Legacy);
    plan.check(&clients::python("v2", &plan).await);
}

#[tokio::test]
async fn python_1() {
    let plan = Plan::new(Era::Legacy);
    plan.check(&clients::python("v1", &plan).await);
}

#[tokio::test]
async fn typescript_2_in_the_modern_era() {
    let plan = Plan::new(Era::Modern);
    plan.check(&clients::node("v2", &plan).await);
}

#[tokio::test]
async fn typescript_2_in_the_legacy_era() {
    let plan = Plan::new(Era::Legacy);
    plan.check(&clients::node("v2", &plan).await);
}

#[tokio::test]
async fn typescript_1() {
    let plan = Plan::new(Era::Legacy);
    plan.check(&clients::node("v1", &plan).await);
}

#[tokio::test]
async fn inspector_in_the_modern_era() {
    let plan = Plan::new(Era::Modern).without_memory();
    plan.check(&clients::inspector(&plan).await);
}

#[tokio::test]
async fn inspector_in_the_legacy_era() {
    let plan = Plan::new(Era::Legacy).without_memory();
    plan.check(&clients::inspector(&plan).await);
}

#[tokio::test]
async fn rmcp_in_the_modern_era() {
    let plan = Plan::new(Era::Modern);
    plan.check(&rust_client::run(&plan).await);
}

#[tokio::test]
async fn rmcp_in_the_legacy_era() {
    let plan = Plan::new(Era::Legacy);
    plan.check(&rust_client::run(&plan).await);
}
