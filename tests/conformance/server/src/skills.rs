//! The skills of the server: two from a folder, one from memory.

use toolwright::skills::{Skill, Skills};

/// All of them.
pub(crate) fn skills() -> Skills {
    let refunds = Skill::new(
        "acme/billing/refunds",
        "---\nname: refunds\ndescription: Refund a customer by the rules of the company.\n---\n\nAsk first.\n",
    );
    Skills::from_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/skills"))
        .skill(refunds.file("examples/email.md", "Dear customer,\n"))
}
