//! Runs the corpus.

#[test]
fn misuses_fail_to_compile_and_uses_compile() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
    cases.pass("tests/pass/*.rs");
}
