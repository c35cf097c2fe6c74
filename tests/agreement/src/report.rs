//! What a person reads.

use std::collections::{BTreeMap, BTreeSet};

use test_agreement::judge::{Fault, FaultKind};
use test_agreement::lint;
use test_agreement::types::{Model, render, shrink};

use crate::build::{Outcome, Workshop};

/// All that was found.
#[derive(Default)]
pub(crate) struct Summary {
    types: usize,
    values: u64,
    accepted: u64,
    faults: Vec<(Model, Fault)>,
    accidents: Vec<String>,
    /// Why types are no tools, each with how many.
    refused: BTreeMap<String, usize>,
}

impl Summary {
    pub(crate) fn add(&mut self, workshop: &Workshop, models: &[Model], outcome: Outcome) {
        self.types += models.len();
        let by_name: BTreeMap<&str, &Model> =
            models.iter().map(|model| (model.name.as_str(), model)).collect();
        self.accidents.extend(outcome.accidents);
        let mut definitions = Vec::new();
        for report in outcome.reports {
            self.values += report.values;
            self.accepted += report.accepted;
            for reason in report.refused.into_values() {
                *self.refused.entry(reason_of(&reason)).or_default() += 1;
            }
            for (name, faults) in report.faults {
                let model = by_name[name.as_str()];
                self.faults.extend(faults.into_iter().map(|fault| (model.clone(), fault)));
            }
            definitions.extend(report.definitions);
        }
        let mut seen = BTreeSet::new();
        for (name, fault) in lint::faults(workshop.folder(), definitions) {
            if seen.insert((name.clone(), fault.text.split(':').next().unwrap_or_default().to_owned()))
                && let Some(model) = by_name.get(name.as_str())
            {
                self.faults.push(((*model).clone(), fault));
            }
        }
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.faults.is_empty() && self.accidents.is_empty()
    }

    pub(crate) fn print(&self, show: usize) {
        let mut by_kind: BTreeMap<String, Vec<&(Model, Fault)>> = BTreeMap::new();
        for found in &self.faults {
            by_kind.entry(group(&found.1)).or_default().push(found);
        }
        for (group, found) in &by_kind {
            println!("\n== {group}: {} types", found.len());
            let mut shortest: Vec<_> = found.iter().map(|(model, fault)| (render(model), fault)).collect();
            shortest.sort_by_key(|(rust, _)| rust.len());
            for (rust, fault) in shortest.into_iter().take(show) {
                println!("{rust}-- {}\n", fault.text);
            }
        }
        for accident in &self.accidents {
            println!("\n== accident\n{}", accident.chars().take(4_000).collect::<String>());
        }
        for (reason, count) in &self.refused {
            println!("{count} types are no tools: {reason}");
        }
        let faulty: BTreeSet<&str> = self.faults.iter().map(|(model, _)| model.name.as_str()).collect();
        println!(
            "\n{} types, {} values, {} of them accepted; {} types with faults, {} accidents",
            self.types,
            self.values,
            self.accepted,
            faulty.len(),
            self.accidents.len()
        );
    }

    /// One type for each kind of fault, the smallest.
    pub(crate) fn faulty(&self) -> Vec<(&Model, &Fault)> {
        let mut smallest: BTreeMap<String, (&Model, &Fault)> = BTreeMap::new();
        for (model, fault) in &self.faults {
            let known = smallest.entry(group(fault)).or_insert((model, fault));
            if render(model).len() < render(known.0).len() {
                *known = (model, fault);
            }
        }
        smallest.into_values().collect()
    }
}

/// The words of a refusal that do not depend on names.
fn reason_of(text: &str) -> String {
    test_agreement::types::EXCUSES
        .iter()
        .find(|(words, _)| text.contains(words))
        .map_or_else(|| text.to_owned(), |(words, _)| (*words).to_owned())
}

/// Faults of one group may well have one reason.
fn group(fault: &Fault) -> String {
    match fault.kind {
        FaultKind::Lint => format!("lint {}", fault.text.split(':').next().unwrap_or_default()),
        kind => kind.to_string(),
    }
}

/// Prints the smallest type found that has the same fault.
pub(crate) fn print_smaller(workshop: &Workshop, model: &Model, fault: &Fault, values: usize) {
    let (wanted, mut fault) = (group(fault), fault.clone());
    let smallest = shrink(model.clone(), |candidates| {
        let mut summary = Summary::default();
        summary.add(workshop, candidates, workshop.examine("smaller", candidates, values));
        for accident in &summary.accidents {
            println!("{}", accident.chars().take(1_000).collect::<String>());
        }
        let same = |name: &str| {
            summary.faults.iter().find(|(model, fault)| model.name == name && group(fault) == wanted)
        };
        candidates.iter().position(|candidate| {
            let found = same(&candidate.name);
            found.is_some_and(|(_, found)| {
                fault = found.clone();
                true
            })
        })
    });
    println!("\n== smallest type: {wanted}\n{}-- {}", render(&smallest), fault.text);
}
