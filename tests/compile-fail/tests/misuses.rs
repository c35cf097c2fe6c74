//! Runs the corpus.

#[test]
fn every_misuse_is_refused_and_every_use_is_taken() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/pass/*.rs");
}
