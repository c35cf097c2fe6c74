//! What a program of generated types does: it tries values on each type and reports what does not hold.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolwright_core::definition::ToolDefinition;

use crate::case::Case;
use crate::choices::{Choices, stream};
use crate::judge::{Fault, FaultKind, Judge};
use crate::types::{Model, Writer};
use crate::{generate, mutate};

/// How many decisions make one value.
const DECISIONS: usize = 160;

/// What such a program is given, as the file that its only argument names.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The types as data, in the order of the cases.
    pub models: Vec<Model>,
    /// How many values are tried for each type.
    pub values: usize,
    /// What the values follow from.
    pub seed: u64,
    /// How many types at the start are left out.
    pub skip: usize,
}

/// What such a program finds, in a file beside the order that ends in `.report.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// How many values were tried.
    pub values: u64,
    /// How many of these were accepted.
    pub accepted: u64,
    /// The types that are no tools, for a reason that holds: each with what is said.
    pub refused: BTreeMap<String, String>,
    /// The first fault of each sort for each type, by its name.
    pub faults: BTreeMap<String, Vec<Fault>>,
    /// The definitions.
    pub definitions: Vec<ToolDefinition>,
}

/// The file with the report on the order in `order`.
pub fn report_of(order: &Path) -> PathBuf {
    order.with_extension("report.json")
}

/// The file that names the type being tried.
pub fn progress_of(order: &Path) -> PathBuf {
    order.with_extension("progress")
}

/// The `main` of such a program.
///
/// # Panics
/// If the file with the order cannot be read, or that with the report not be written.
pub fn main(cases: &[Case]) {
    let path = PathBuf::from(std::env::args().nth(1).expect("an order"));
    let order: Order =
        serde_json::from_slice(&std::fs::read(&path).expect("the order")).expect("the order is JSON");
    let mut progress = std::fs::File::create(progress_of(&path)).expect("the progress");
    std::panic::set_hook(Box::new(|_| {}));
    let mut report = Report::default();
    for (case, model) in cases.iter().zip(&order.models).skip(order.skip) {
        // What overflows the stack ends the program: then this is what is known.
        writeln!(progress, "{}", case.name).expect("the progress");
        write_report(&path, &report);
        let faults = try_case(case, model, &order, &mut report);
        if !faults.is_empty() {
            report.faults.insert(case.name.to_owned(), faults);
        }
        if let Ok(definition) = catch_unwind(|| case.definition())
            && !report.refused.contains_key(case.name)
        {
            report.definitions.push(definition);
        }
    }
    write_report(&path, &report);
}

fn write_report(path: &Path, report: &Report) {
    let report = serde_json::to_vec(report).expect("a report can be written");
    std::fs::write(report_of(path), report).expect("the report");
}

fn try_case(case: &Case, model: &Model, order: &Order, report: &mut Report) -> Vec<Fault> {
    let judge = match caught("making the reader", || Judge::new(case)) {
        Ok(_) if model.collides() => {
            return vec![Fault { kind: FaultKind::Unrefused, text: case.name.to_owned() }];
        }
        Ok(judge) => judge,
        Err(fault) if fault.kind == FaultKind::Unbuildable && model.excuses(&fault.text) => {
            report.refused.insert(case.name.to_owned(), fault.text);
            return Vec::new();
        }
        Err(fault) => return vec![fault],
    };
    let mut faults: Vec<Fault> = Vec::new();
    for number in 0..order.values {
        let seed = order.seed.wrapping_add(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let stream = stream(seed, DECISIONS);
        let mut choices = Choices::new(&stream);
        let mut is_of_type = number % 5 < 2;
        let made = caught("making a value", || {
            Ok(match number % 5 {
                0 => Writer::new(model).arguments(&mut choices),
                1 => Writer::new(model).with_aliases().arguments(&mut choices),
                _ => generate::value(&judge.schema, &judge.schema, &mut choices),
            })
        });
        let value = made.map(|mut value| {
            // One with aliases is not what the schema shows, and stays as it is.
            let most = [3, 1, 3, 3, 3][number % 5];
            let mutations = choices.below(most);
            for _ in 0..mutations {
                mutate::mutate(&mut value, &mut choices);
            }
            is_of_type &= mutations == 0;
            value
        });
        report.values += 1;
        let outcome = value.and_then(|value| {
            report.accepted += u64::from(judge.read(&value).is_ok());
            caught(&value.to_string(), || judge.check(&value, is_of_type))
        });
        if let Err(fault) = outcome
            && !faults.iter().any(|known| known.kind == fault.kind)
        {
            faults.push(fault);
        }
    }
    faults
}

fn caught<T>(doing: &str, what: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(what)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
        Err(Fault { kind: FaultKind::Panic, text: format!("{doing}: {said}") })
    })
}
