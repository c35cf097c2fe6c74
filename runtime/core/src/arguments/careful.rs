//! Reading with the schema first: it decides what every value is, names every problem, and then serde reads what is
//! meant. So what is read of one argument never depends on how another is written.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::checker::{Check, NodeId, REPEATED, ROOT, Terms, Whereabouts, is_affordable, unknown};
use super::doc::{Doc, Edit, Json, Unreadable, ValueId};
use super::example;
use super::insight::Ask;
use super::knowledge::Knowledge;
use super::problem::{ArgumentErrors, Example, Findings, MAX_QUOTED, ProblemKind, Segment, cut};
use super::reader::ArgumentReader;
use super::rejection::{Rejection, steps};
use super::swallowed::{self, Swallowed};

type Bound = [(String, Box<RawValue>)];

/// Arguments that were taken apart and found to fit.
struct Settled<'t> {
    doc: Doc<'t>,
    whole: ValueId,
    edits: HashMap<ValueId, Edit>,
}

impl ArgumentReader {
    /// Reads the arguments with nothing overlooked.
    pub(super) fn read_with_care<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
        knowledge: &Knowledge,
    ) -> Result<T, ArgumentErrors> {
        let probe = |arguments: &Value| self.probe::<T>(arguments, bound);
        let insight = Ask::new(&self.checker, &self.places, knowledge, &probe);
        let settled = match self.settle(text, &insight) {
            Ok(settled) => settled,
            Err(findings) => return Err(self.errors::<T>(findings, bound)),
        };
        // What is meant is mostly what was written.
        let mut meant = String::new();
        let is_written = settled.edits.is_empty() && text.starts_with('{');
        if !is_written {
            settled.doc.write(settled.whole, &settled.edits, &mut meant);
        }
        // Serde may take what was rewritten for another variant than what was written.
        if !settled.edits.is_empty()
            && self.checker.has_rivals()
            && let Err(findings) = self.settle(&meant, &insight)
        {
            return Err(self.errors::<T>(findings, bound));
        }
        let meant = if is_written { text } else { &meant };
        if let Ok(value) = self.deserialize(meant, bound) {
            return match self.swallowed(meant, &insight) {
                None => Ok(value),
                Some(findings) => Err(self.errors::<T>(findings, bound)),
            };
        }
        self.ask_serde(meant, bound, &settled).map_err(|findings| self.errors::<T>(findings, bound))
    }

    fn errors<T: DeserializeOwned>(&self, findings: Findings, bound: &Bound) -> ArgumentErrors {
        ArgumentErrors::new(findings, self.example_of::<T>(bound))
    }

    /// Takes the text apart and checks it; the error holds every problem.
    fn settle<'t>(&self, text: &'t str, insight: &Ask<'_>) -> Result<Settled<'t>, Findings> {
        let mut findings = Findings::default();
        let (mut doc, whole) = match Doc::parse(text) {
            Ok(parsed) => parsed,
            Err(unreadable) => {
                let message = match unreadable {
                    Unreadable::TooDeep => "nested too deep; 127 levels are read".to_owned(),
                    Unreadable::Because(reason) => format!("not readable as JSON: {reason}"),
                };
                findings.add(&[], None, ProblemKind::TooComplex, || message);
                return Err(findings);
            }
        };
        if !matches!(doc.get(whole), Json::Object(_)) {
            // Nobody knows what is in there: a secret may be.
            let got = super::checker::got(&doc, whole, true).replace("another", "a");
            findings.add(&[], None, ProblemKind::Type, || format!("expected an object; got {got}"));
            return Err(findings);
        }
        for name in doc.remove_members(whole, |name| self.names.is_reserved(name)) {
            let message = || "the server sets this value; leave it out".to_owned();
            findings.add(&[Segment::Name(&name)], None, ProblemKind::Credential, message);
        }
        let mut check = Check::new(&self.checker, insight, &mut doc, Terms::Meant).without_text(self.strict);
        let (mut findings, edits) = check.report(ROOT, whole, findings);
        if findings.is_empty() && !is_affordable(&self.checker, &doc, whole, &edits) {
            let message = || "the value fits too many forms to be read; send a simpler one".to_owned();
            findings.add(&[], None, ProblemKind::TooComplex, message);
        }
        if findings.is_empty() { Ok(Settled { doc, whole, edits }) } else { Err(findings) }
    }

    /// Lets serde read arguments that fit the schema, and reports what it has against them.
    fn ask_serde<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
        settled: &Settled<'_>,
    ) -> Result<T, Findings> {
        let text = self.serde_text(text, bound);
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let error = match serde_path_to_error::deserialize(&mut deserializer) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let mut findings = Findings::default();
        let mut steps = steps(error.path());
        let is_credential = steps.first().is_some_and(|name| self.names.is_credential(name));
        if !is_credential {
            // The way may lead through names that stand in no text, such as those of variants.
            steps.truncate(settled.follow(&steps));
        }
        let place = self.place(&steps);
        let message = error.inner().to_string();
        let (name, kind, words) = self.words(&place, &Rejection::read(&message));
        findings.add(&place.path, name, kind, || words);
        Err(findings)
    }

    /// The member of arguments that were read which serde read for nothing.
    fn swallowed(&self, text: &str, insight: &Ask<'_>) -> Option<Findings> {
        let mut findings = Findings::default();
        match swallowed::find(insight, text)? {
            Swallowed::Member(steps, reason) => {
                let place = self.place(&steps);
                let reason = if reason.is_empty() { "the tool does not accept this value" } else { &reason };
                let (name, kind, words) = self.words(&place, &Rejection::read(reason));
                findings.add(&place.path, name, kind, || words);
            }
            Swallowed::Unclear => {
                let message = || "the value fits too many forms to be read; send a simpler one".to_owned();
                findings.add(&[], None, ProblemKind::TooComplex, message);
            }
        }
        Some(findings)
    }

    fn place<'s>(&self, steps: &'s [String]) -> Place<'s> {
        let root = self.checker.root();
        let mut place =
            Place { path: Vec::new(), nodes: vec![ROOT], secrets: Whereabouts::Nowhere, server: false };
        if steps.first().is_some_and(|name| self.names.is_credential(name)) {
            return Place { path: vec![Segment::Name(&steps[0])], server: true, ..place };
        }
        for step in steps {
            place.nodes = self.checker.below(&place.nodes, step);
            place.path.push(Segment::Name(step));
            if place.nodes.iter().any(|node| self.checker.node(*node).is_secret()) {
                return Place { secrets: Whereabouts::Here, ..place };
            }
        }
        // A flattened or tagged value is read from a copy, and its errors are reported for the whole.
        let holds_secret = match &place.nodes[..] {
            _ if steps.is_empty() => root.holds_secret() || self.names.has_credentials(),
            [] => root.holds_secret(),
            nodes => nodes.iter().any(|node| self.checker.node(*node).holds_secret()),
        };
        if holds_secret {
            place.secrets = Whereabouts::Below;
        }
        place
    }

    /// What to say about a rejection at `place`: the member it is about, the sort of problem, the words.
    fn words<'m>(
        &self,
        place: &Place<'_>,
        rejection: &Rejection<'m>,
    ) -> (Option<&'m str>, ProblemKind, String) {
        let rejected = |words: String| (None, ProblemKind::Rejected, words);
        let withheld = || rejected("the tool does not accept this value".to_owned());
        if place.server {
            return (None, ProblemKind::Server, SERVER_LACKS.to_owned());
        }
        if place.secrets == Whereabouts::Here {
            return withheld();
        }
        let may_repeat = place.secrets == Whereabouts::Nowhere;
        match rejection {
            Rejection::Missing(name) if place.path.is_empty() && self.names.is_credential(name) => {
                (Some(name), ProblemKind::Server, SERVER_LACKS.to_owned())
            }
            Rejection::Missing(name) => {
                let property = self.checker.below(&place.nodes, name).first().copied();
                (Some(name), ProblemKind::Missing, self.checker.missing(property))
            }
            Rejection::Repeated(name) => (Some(name), ProblemKind::Repeated, REPEATED.to_owned()),
            Rejection::NoForm => {
                let forms: Vec<_> = place.nodes.iter().map(|node| self.checker.describe(*node)).collect();
                let forms = if forms.is_empty() { "another form".to_owned() } else { forms.join(", or ") };
                (None, ProblemKind::Forms, format!("expected {forms}"))
            }
            Rejection::Expected { expected, got } if may_repeat => {
                rejected(format!("expected {expected}; got {}", cut(got, MAX_QUOTED)))
            }
            Rejection::Expected { expected, .. } => rejected(format!("expected {expected}")),
            // From here on the words may be made of the caller's value.
            _ if !may_repeat => withheld(),
            Rejection::Unknown(name) => (Some(name), ProblemKind::Unknown, unknown(name, &[])),
            Rejection::Other(words) => rejected(cut(words, MAX_WORDS)),
        }
    }

    /// Small arguments that `T` takes, if some can be made from the schema.
    fn example_of<T: DeserializeOwned>(&self, bound: &Bound) -> Option<Arc<Example>> {
        let make = || example::minimal(&self.checker).map(|value| Arc::new(Example::new(value)));
        let example = self.example.get_or_init(make).as_ref()?;
        let fits = || self.takes_example::<T>(example, bound);
        // What the server binds may differ from call to call.
        let fits = if self.names.has_credentials() { fits() } else { *self.example_fits.get_or_init(fits) };
        fits.then(|| Arc::clone(example))
    }

    fn takes_example<T: DeserializeOwned>(&self, example: &Example, bound: &Bound) -> bool {
        let Err(error) = self.deserialize::<T>(&example.text, bound) else { return true };
        let message = error.to_string();
        // No example can help where the server has nothing to set.
        matches!(Rejection::read(&message), Rejection::Missing(name) if self.names.is_credential(name))
    }
}

impl Settled<'_> {
    /// How many of the steps lead to a value of the text.
    fn follow(&self, steps: &[String]) -> usize {
        let mut value = self.whole;
        for (at, step) in steps.iter().enumerate() {
            let next = match self.doc.get(self.meant(value)) {
                Json::Object(members) => {
                    members.iter().find(|(name, _)| **name == **step).map(|(_, member)| *member)
                }
                Json::Array(items) => step.parse::<usize>().ok().and_then(|index| items.get(index).copied()),
                _ => None,
            };
            let Some(next) = next else { return at };
            value = next;
        }
        steps.len()
    }

    fn meant(&self, value: ValueId) -> ValueId {
        match self.edits.get(&value) {
            Some(Edit::Instead(other)) => *other,
            _ => value,
        }
    }
}

/// Where serde rejects something.
struct Place<'s> {
    path: Vec<Segment<'s>>,
    /// The schemas that may apply there.
    nodes: Vec<NodeId>,
    /// Where the place has secrets, whose values must not be repeated.
    secrets: Whereabouts,
    /// Whether the server sets the value.
    server: bool,
}

/// How many characters of a message that the author of a type wrote are shown.
const MAX_WORDS: usize = 300;
const SERVER_LACKS: &str = "the server has to set this value and has none that fits; no arguments can help";
