//! Benchmarks reading the tool parts of long conversations: `cargo bench -p toolwright-agent`.

mod cases;

use criterion::{Criterion, criterion_group, criterion_main};

fn benches(criterion: &mut Criterion) {
    for case in cases::CASES {
        let mut run = (case.prepare)();
        criterion.bench_function(case.name, |bencher| bencher.iter(&mut run));
    }
}

criterion_group!(all, benches);
criterion_main!(all);
