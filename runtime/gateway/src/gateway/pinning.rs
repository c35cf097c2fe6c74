//! Applies pins to the lists of servers.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolwright_core::definition::ToolDefinition;

use crate::pins::{Finding, PinMode, Pins};

type Report = Arc<dyn Fn(&Finding) + Send + Sync>;

/// The pins of a gateway, and the findings about the current lists of its servers.
#[derive(Default)]
pub(super) struct Pinning(Mutex<Option<State>>);

struct State {
    pins: Pins,
    mode: PinMode,
    report: Report,
    /// The last list of each server.
    checked: HashMap<String, CheckedList>,
}

struct CheckedList {
    listed: Arc<[ToolDefinition]>,
    admitted: Arc<[ToolDefinition]>,
    findings: Vec<Finding>,
}

impl Pinning {
    pub(super) fn set(&self, pins: Pins, mode: PinMode, report: Report) {
        let state = State { pins, mode, report, checked: HashMap::new() };
        *self.lock() = (mode != PinMode::Off).then_some(state);
    }

    /// Returns the tools of a list that may be listed and called: the list itself, unless some are quarantined.
    /// New findings are reported once.
    pub(super) fn admit(&self, server: &str, listed: Arc<[ToolDefinition]>) -> Arc<[ToolDefinition]> {
        let mut state = self.lock();
        let Some(current) = &mut *state else { return listed };
        let before = current.checked.get(server);
        if let Some(checked) = before.filter(|checked| Arc::ptr_eq(&checked.listed, &listed)) {
            return Arc::clone(&checked.admitted);
        }
        let findings = current.pins.check(server, &listed);
        let known: HashSet<&Finding> = before.into_iter().flat_map(|checked| &checked.findings).collect();
        let new: Vec<Finding> = findings.iter().filter(|finding| !known.contains(finding)).cloned().collect();
        let is_quarantined = |finding: &&Finding| current.mode == PinMode::Block && finding.reason.is_drift();
        let quarantined: HashSet<&str> =
            findings.iter().filter(is_quarantined).map(|finding| finding.tool.as_str()).collect();
        let admitted = if quarantined.is_empty() {
            Arc::clone(&listed)
        } else {
            listed.iter().filter(|tool| !quarantined.contains(tool.name.as_str())).cloned().collect()
        };
        let checked = CheckedList { listed, admitted: Arc::clone(&admitted), findings };
        current.checked.insert(server.to_owned(), checked);
        let report = Arc::clone(&current.report);
        drop(state);
        for finding in &new {
            report(finding);
        }
        admitted
    }

    /// Returns the findings about the last list of a server.
    pub(super) fn findings(&self, server: &str) -> Vec<Finding> {
        let state = self.lock();
        let checked = state.as_ref().and_then(|state| state.checked.get(server));
        checked.map(|checked| checked.findings.clone()).unwrap_or_default()
    }

    /// Removes the lists of all other servers.
    pub(super) fn retain(&self, is_kept: impl Fn(&str) -> bool) {
        if let Some(state) = &mut *self.lock() {
            state.checked.retain(|server, _| is_kept(server));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
