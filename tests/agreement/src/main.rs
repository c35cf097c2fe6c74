//! Generates types from seeds, builds them, tries values on each, and reports what does not hold.

mod build;
mod report;

use std::process::ExitCode;

use test_agreement::choices::{Choices, stream};
use test_agreement::types::{Features, Model, make};

use crate::build::Workshop;

/// The seed of the types that every run makes.
const FIXED_SEED: u64 = 1;
/// How many decisions make one type.
const DECISIONS: usize = 4_000;
/// How many types are built at once.
const BATCH: usize = 400;

const HELP: &str = "\
usage: agreement [--types N] [--seed N|day,…] [--values N] [--off NAME,…] [--shrink N] [--show N]

Without --types and --seed: 300 types of a fixed seed, and 100 of the day's.
  --types N    as many types of each seed
  --seed N,…   these seeds; `day` is the day's, which AGREEMENT_SEED overrides
  --values N   how many values are tried for each type (250)
  --off NAMES  what no type has: flatten, alias, other, … (the names stand in src/types/make.rs)
  --shrink N   how many of the types with faults are made smaller (3)
  --show N     how many faults of each sort are shown (2)";

/// What to do.
struct Wishes {
    sets: Vec<(u64, usize)>,
    values: usize,
    features: Features,
    shrink: usize,
    show: usize,
}

fn main() -> ExitCode {
    let wishes = match wishes() {
        Ok(wishes) => wishes,
        Err(problem) => {
            eprintln!("{problem}\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let mut models = Vec::new();
    for (seed, count) in &wishes.sets {
        println!("{count} types of the seed {seed}");
        models.extend((0..*count).map(|number| model(*seed, number, &wishes.features)));
    }
    let workshop = Workshop::open();
    let mut summary = report::Summary::default();
    for batch in models.chunks(BATCH) {
        let outcome = workshop.examine("part", batch, wishes.values);
        summary.add(&workshop, batch, outcome);
    }
    summary.print(wishes.show);
    for (model, kind) in summary.faulty().into_iter().take(wishes.shrink) {
        report::print_smaller(&workshop, model, kind, wishes.values);
    }
    if summary.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The type of this number.
fn model(seed: u64, number: usize, features: &Features) -> Model {
    let decisions = stream(seed.wrapping_mul(1_000_003).wrapping_add(number as u64), DECISIONS);
    let model = make(&format!("t{seed}_{number}"), &mut Choices::new(&decisions), features);
    // With decisions of their own, so that these change nothing of the rest.
    let decisions = stream(!seed.wrapping_mul(1_000_003).wrapping_add(number as u64), DECISIONS);
    model.embellished(&mut Choices::new(&decisions), features)
}

fn wishes() -> Result<Wishes, String> {
    let (mut types, mut seeds) = (None, None);
    let mut wishes =
        Wishes { sets: Vec::new(), values: 250, features: Features::default(), shrink: 3, show: 2 };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let text = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
        let count = || text.parse::<usize>().map_err(|_| format!("{name} needs a number, not {text}"));
        match name.as_str() {
            "--types" => types = Some(count()?),
            "--seed" => seeds = Some(numbers(&name, &text)?),
            "--values" => wishes.values = count()?,
            "--off" => wishes.features.off = text.split(',').map(str::to_owned).collect(),
            "--shrink" => wishes.shrink = count()?,
            "--show" => wishes.show = count()?,
            _ => return Err(format!("there is no {name}")),
        }
    }
    wishes.sets = match (seeds, types) {
        (None, None) => vec![(FIXED_SEED, 300), (seed_of_the_day()?, 100)],
        (seeds, types) => {
            let seeds = seeds.unwrap_or_else(|| vec![FIXED_SEED]);
            seeds.into_iter().map(|seed| (seed, types.unwrap_or(300))).collect()
        }
    };
    Ok(wishes)
}

fn numbers(name: &str, text: &str) -> Result<Vec<u64>, String> {
    let number = |part: &str| match part {
        "day" => seed_of_the_day(),
        _ => part.parse().map_err(|_| format!("{name} needs numbers, not {text}")),
    };
    text.split(',').map(number).collect()
}

fn seed_of_the_day() -> Result<u64, String> {
    if let Ok(text) = std::env::var("AGREEMENT_SEED") {
        return text.parse().map_err(|_| format!("AGREEMENT_SEED is no number: {text}"));
    }
    let since_epoch = std::time::SystemTime::UNIX_EPOCH.elapsed().map_err(|error| error.to_string())?;
    Ok(since_epoch.as_secs() / 86_400)
}
