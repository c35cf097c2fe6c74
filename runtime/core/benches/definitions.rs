//! Times of reading arguments, making schemas and writing manifests: `cargo bench -p toolwright-core --bench definitions`.
//!
//! Times depend on the machine and on what else runs. What must not grow is held by the counts of `tests/bench-limits`.

mod cases;

use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for case in cases::CASES {
        let mut run = (case.prepare)();
        criterion.bench_function(case.name, |bencher| bencher.iter(&mut run));
    }
    criterion.final_summary();
}
