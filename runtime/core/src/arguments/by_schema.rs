//! Reads arguments by their schema: the schema decides how each value is interpreted, all problems are reported,
//! and serde deserializes the result. So the interpretation of one argument never depends on another one.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::checker::{
    Check, DUPLICATE_MESSAGE, Location, Mode, NodeId, ROOT, describe_unknown, is_affordable,
};
use super::doc::{Doc, Edit, Json, Unreadable, ValueId};
use super::example;
use super::problem::{ArgumentErrors, Example, Findings, MAX_QUOTED, ProblemKind, Segment, truncate};
use super::queries::Queries;
use super::reader::ArgumentReader;
use super::rejection::{Rejection, path_segments};
use super::swallowed::{self, SwallowedMember};
use super::type_facts::TypeFacts;

type Bound = [(String, Box<RawValue>)];

/// Parsed arguments that match the schema.
struct ValidArguments<'t> {
    doc: Doc<'t>,
    whole: ValueId,
    edits: HashMap<ValueId, Edit>,
}

impl ArgumentReader {
    /// Reads the arguments by the schema.
    pub(super) fn read_by_schema<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
        facts: &TypeFacts,
    ) -> Result<T, ArgumentErrors> {
        let probe = |arguments: &Value| self.probe::<T>(arguments, bound);
        let type_info = Queries::new(&self.checker, &self.places, facts, &probe);
        let valid = match self.validate(text, &type_info) {
            Ok(valid) => valid,
            Err(findings) => return Err(self.to_errors::<T>(findings, bound)),
        };
        // Most calls need no rewriting.
        let mut rewritten = String::new();
        let is_unchanged = valid.edits.is_empty() && text.starts_with('{');
        if !is_unchanged {
            valid.doc.write(valid.whole, &valid.edits, &mut rewritten);
        }
        // Serde may select another variant for the rewritten value.
        if !valid.edits.is_empty()
            && self.checker.has_rivals()
            && let Err(findings) = self.validate(&rewritten, &type_info)
        {
            return Err(self.to_errors::<T>(findings, bound));
        }
        let interpreted = if is_unchanged { text } else { &rewritten };
        if let Ok(value) = self.deserialize(interpreted, bound) {
            return match self.find_swallowed(interpreted, &type_info) {
                None => Ok(value),
                Some(findings) => Err(self.to_errors::<T>(findings, bound)),
            };
        }
        self.deserialize_checked(interpreted, bound, &valid)
            .map_err(|findings| self.to_errors::<T>(findings, bound))
    }

    fn to_errors<T: DeserializeOwned>(&self, findings: Findings, bound: &Bound) -> ArgumentErrors {
        ArgumentErrors::new(findings, self.example_for::<T>(bound))
    }

    /// Parses and validates the text; the error contains all problems.
    fn validate<'t>(&self, text: &'t str, type_info: &Queries<'_>) -> Result<ValidArguments<'t>, Findings> {
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
            // The value may be a secret.
            let got = super::checker::describe_value(&doc, whole, true).replace("another", "a");
            findings.add(&[], None, ProblemKind::Type, || format!("expected an object; got {got}"));
            return Err(findings);
        }
        for name in doc.remove_members(whole, |name| self.names.is_reserved(name)) {
            let message = || "the server sets this value; leave it out".to_owned();
            findings.add(&[Segment::Name(&name)], None, ProblemKind::Credential, message);
        }
        let mut check =
            Check::new(&self.checker, type_info, &mut doc, Mode::SchemaWithText).with_strict(self.strict);
        let (mut findings, edits) = check.find_problems(ROOT, whole, findings);
        if findings.is_empty() && !is_affordable(&self.checker, &doc, whole, &edits) {
            let message = || "the value fits too many forms to be read; send a simpler one".to_owned();
            findings.add(&[], None, ProblemKind::TooComplex, message);
        }
        if findings.is_empty() { Ok(ValidArguments { doc, whole, edits }) } else { Err(findings) }
    }

    /// Deserializes arguments that match the schema, and reports serde's error.
    fn deserialize_checked<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
        valid: &ValidArguments<'_>,
    ) -> Result<T, Findings> {
        let text = self.serde_text(text, bound);
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let error = match serde_path_to_error::deserialize(&mut deserializer) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let mut findings = Findings::default();
        let mut steps = path_segments(error.path());
        let is_credential = steps.first().is_some_and(|name| self.names.is_credential(name));
        if !is_credential {
            // The path may contain names that are not in the text, such as those of variants.
            steps.truncate(valid.count_existing(&steps));
        }
        let place = self.locate(&steps);
        let message = error.inner().to_string();
        let (name, kind, words) = self.describe_rejection(&place, &Rejection::parse(&message));
        findings.add(&place.path, name, kind, || words);
        Err(findings)
    }

    /// Returns the problem if serde accepted the arguments but did not use one of their members.
    fn find_swallowed(&self, text: &str, type_info: &Queries<'_>) -> Option<Findings> {
        let mut findings = Findings::default();
        match swallowed::find_swallowed(type_info, text)? {
            SwallowedMember::Found(steps, reason) => {
                let place = self.locate(&steps);
                let reason = if reason.is_empty() { "the tool does not accept this value" } else { &reason };
                let (name, kind, words) = self.describe_rejection(&place, &Rejection::parse(reason));
                findings.add(&place.path, name, kind, || words);
            }
            SwallowedMember::TooExpensive => {
                let message = || "the value fits too many forms to be read; send a simpler one".to_owned();
                findings.add(&[], None, ProblemKind::TooComplex, message);
            }
        }
        Some(findings)
    }

    fn locate<'s>(&self, steps: &'s [String]) -> Place<'s> {
        let root = self.checker.root();
        let mut place =
            Place { path: Vec::new(), nodes: vec![ROOT], secrets: Location::Nowhere, server: false };
        if steps.first().is_some_and(|name| self.names.is_credential(name)) {
            return Place { path: vec![Segment::Name(&steps[0])], server: true, ..place };
        }
        for step in steps {
            place.nodes = self.checker.nodes_for(&place.nodes, step);
            place.path.push(Segment::Name(step));
            if place.nodes.iter().any(|node| self.checker.node(*node).is_secret()) {
                return Place { secrets: Location::Here, ..place };
            }
        }
        // A flattened or tagged value is read from a buffer, and its errors are reported for the whole.
        let contains_secret = match &place.nodes[..] {
            _ if steps.is_empty() => root.contains_secret() || self.names.has_credentials(),
            [] => root.contains_secret(),
            nodes => nodes.iter().any(|node| self.checker.node(*node).contains_secret()),
        };
        if contains_secret {
            place.secrets = Location::Below;
        }
        place
    }

    /// Returns the member that an error at `place` is about, the kind of problem and the message.
    fn describe_rejection<'m>(
        &self,
        place: &Place<'_>,
        rejection: &Rejection<'m>,
    ) -> (Option<&'m str>, ProblemKind, String) {
        let rejected = |words: String| (None, ProblemKind::Rejected, words);
        let without_details = || rejected("the tool does not accept this value".to_owned());
        if place.server {
            return (None, ProblemKind::Server, SERVER_LACKS.to_owned());
        }
        if place.secrets == Location::Here {
            return without_details();
        }
        let may_repeat = place.secrets == Location::Nowhere;
        match rejection {
            Rejection::Missing(name) if place.path.is_empty() && self.names.is_credential(name) => {
                (Some(name), ProblemKind::Server, SERVER_LACKS.to_owned())
            }
            Rejection::Missing(name) => {
                let property = self.checker.nodes_for(&place.nodes, name).first().copied();
                (Some(name), ProblemKind::Missing, self.checker.describe_missing(property))
            }
            Rejection::Repeated(name) => (Some(name), ProblemKind::Duplicate, DUPLICATE_MESSAGE.to_owned()),
            Rejection::NoForm => {
                let forms: Vec<_> = place.nodes.iter().map(|node| self.checker.describe(*node)).collect();
                let forms = if forms.is_empty() { "another form".to_owned() } else { forms.join(", or ") };
                (None, ProblemKind::Forms, format!("expected {forms}"))
            }
            Rejection::Expected { expected, got } if may_repeat => {
                rejected(format!("expected {expected}; got {}", truncate(got, MAX_QUOTED)))
            }
            Rejection::Expected { expected, .. } => rejected(format!("expected {expected}")),
            // The remaining messages may quote the caller's value.
            _ if !may_repeat => without_details(),
            Rejection::Unknown(name) => (Some(name), ProblemKind::Unknown, describe_unknown(name, &[])),
            Rejection::Other(words) => rejected(truncate(words, MAX_MESSAGE)),
        }
    }

    /// Returns small arguments that `T` accepts, if any can be generated from the schema.
    fn example_for<T: DeserializeOwned>(&self, bound: &Bound) -> Option<Arc<Example>> {
        let make = || example::minimal(&self.checker).map(|value| Arc::new(Example::new(value)));
        let example = self.example.get_or_init(make).as_ref()?;
        let fits = || self.accepts_example::<T>(example, bound);
        // The server's values may differ between calls.
        let fits = if self.names.has_credentials() { fits() } else { *self.example_fits.get_or_init(fits) };
        fits.then(|| Arc::clone(example))
    }

    fn accepts_example<T: DeserializeOwned>(&self, example: &Example, bound: &Bound) -> bool {
        let Err(error) = self.deserialize::<T>(&example.text, bound) else { return true };
        let message = error.to_string();
        // No arguments can help if the server has no value to set.
        matches!(Rejection::parse(&message), Rejection::Missing(name) if self.names.is_credential(name))
    }
}

impl ValidArguments<'_> {
    /// Returns how many of the steps lead to a value of the text.
    fn count_existing(&self, steps: &[String]) -> usize {
        let mut value = self.whole;
        for (at, step) in steps.iter().enumerate() {
            let next = match self.doc.get(self.interpreted(value)) {
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

    fn interpreted(&self, value: ValueId) -> ValueId {
        match self.edits.get(&value) {
            Some(Edit::Replace(other)) => *other,
            _ => value,
        }
    }
}

/// The location of an error of serde.
struct Place<'s> {
    path: Vec<Segment<'s>>,
    /// The schemas that may apply there.
    nodes: Vec<NodeId>,
    /// Where the location has secrets, whose values must not be repeated.
    secrets: Location,
    /// Whether the server sets the value.
    server: bool,
}

/// Maximum number of characters of a message by the author of a type.
const MAX_MESSAGE: usize = 300;
const SERVER_LACKS: &str = "the server has to set this value and has none that fits; no arguments can help";
