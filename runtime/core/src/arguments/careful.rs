//! The second reading, where the first one failed: settle what can be settled, else name every problem.

use std::collections::HashSet;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::checker::{NodeId, ROOT, Rules, Whereabouts, got, unknown};
use super::names::Meaning;
use super::problem::{ArgumentErrors, Findings, MAX_QUOTED, ProblemKind, Segment, cut};
use super::reader::ArgumentReader;
use super::rejection::{Rejection, steps};
use super::scan::members;
use super::{example, lenient};

type Bound = [(String, Box<RawValue>)];

impl ArgumentReader {
    /// Reads the arguments once more, with nothing overlooked.
    #[cold]
    pub(super) fn read_with_care<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
    ) -> Result<T, ArgumentErrors> {
        let mut findings = Findings::default();
        let Some(mut value) = self.parse(text, &mut findings) else {
            return Err(self.errors::<T>(findings, bound));
        };
        let settled = lenient::settle(&self.shown, &mut value, !self.strict);
        let settled = settled.then(|| value.to_string());
        if let Some(text) = &settled
            && findings.is_empty()
            && self.admits(text)
            && let Ok(value) = self.deserialize(text, bound)
        {
            return Ok(value);
        }
        self.shown.find(&value, &mut findings);
        if findings.is_empty()
            && let Some(value) = self.ask_serde(settled.as_deref().unwrap_or(text), bound, &mut findings)
        {
            return Ok(value);
        }
        Err(self.errors::<T>(findings, bound))
    }

    fn errors<T: DeserializeOwned>(&self, findings: Findings, bound: &Bound) -> ArgumentErrors {
        ArgumentErrors::new(findings, self.example_of::<T>(bound))
    }

    /// The arguments as a value, with the names of the schema in place of aliases and without those that may not
    /// stand there, which become findings.
    fn parse(&self, text: &str, findings: &mut Findings) -> Option<Value> {
        let mut given = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(given)) => given,
            Ok(other) => {
                // Nobody knows what is in there: a secret may be.
                let message =
                    || format!("expected an object; got {}", got(&other, true).replace("another", "a"));
                findings.add(&[], None, ProblemKind::Type, message);
                return None;
            }
            Err(error) => {
                let message = match Rejection::read(&error.to_string()) {
                    Rejection::Other("recursion limit exceeded") => {
                        "nested too deep; 127 levels are read".to_owned()
                    }
                    Rejection::Other(reason) => format!("not readable as JSON: {reason}"),
                    _ => "not readable as JSON".to_owned(),
                };
                findings.add(&[], None, ProblemKind::TooComplex, || message);
                return None;
            }
        };
        let mut kept = Map::new();
        let mut seen = HashSet::new();
        for name in members(text).map(|member| member.name()) {
            let path = [Segment::Name(&name)];
            let property = match self.names.meaning(&name) {
                Meaning::Known(known) => &*known.property,
                Meaning::Free => &*name,
                Meaning::Credential => {
                    let message = || "the server sets this value; leave it out".to_owned();
                    findings.add(&path, None, ProblemKind::Credential, message);
                    continue;
                }
                Meaning::Unknown => {
                    let message = || unknown(&name, &self.names.spellings());
                    findings.add(&path, None, ProblemKind::Unknown, message);
                    continue;
                }
            };
            if !seen.insert(property.to_owned()) {
                findings.add(&path, None, ProblemKind::Repeated, || REPEATED.to_owned());
                continue;
            }
            kept.insert(property.to_owned(), given.get_mut(&*name).map(Value::take).unwrap_or_default());
        }
        Some(Value::Object(kept))
    }

    /// Lets serde read arguments that fit the schema, and reports what it has against them.
    fn ask_serde<T: DeserializeOwned>(
        &self,
        text: &str,
        bound: &Bound,
        findings: &mut Findings,
    ) -> Option<T> {
        let text = self.serde_text(text, bound);
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        match serde_path_to_error::deserialize(&mut deserializer) {
            Ok(value) => return Some(value),
            Err(error) => self.report(&steps(error.path()), &error.inner().to_string(), findings),
        }
        None
    }

    /// Reports the message of serde at the place that `steps` lead to.
    fn report(&self, steps: &[String], message: &str, findings: &mut Findings) {
        let place = self.place(steps);
        let (name, kind, words) = self.words(&place, &Rejection::read(message));
        findings.add(&place.path, name, kind, || words);
    }

    fn place<'s>(&self, steps: &'s [String]) -> Place<'s> {
        let root = self.shown.root();
        let mut place =
            Place { path: Vec::new(), nodes: vec![ROOT], secrets: Whereabouts::Nowhere, server: false };
        if steps.first().is_some_and(|name| self.names.is_credential(name)) {
            return Place { path: vec![Segment::Name(&steps[0])], server: true, ..place };
        }
        for step in steps {
            place.nodes = self.shown.below(&place.nodes, step);
            place.path.push(Segment::Name(step));
            if place.nodes.iter().any(|node| self.shown.node(*node).is_secret()) {
                return Place { secrets: Whereabouts::Here, ..place };
            }
        }
        // A flattened or tagged value is read from a copy, and its errors are reported for the whole.
        let holds_secret = match &place.nodes[..] {
            _ if steps.is_empty() => root.holds_secret() || self.names.has_credentials(),
            [] => root.holds_secret(),
            nodes => nodes.iter().any(|node| self.shown.node(*node).holds_secret()),
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
                let property = self.shown.below(&place.nodes, name).first().copied();
                (Some(name), ProblemKind::Missing, self.shown.missing(property))
            }
            Rejection::Repeated(name) => (Some(name), ProblemKind::Repeated, REPEATED.to_owned()),
            Rejection::NoForm => {
                let forms: Vec<_> = place.nodes.iter().map(|node| self.shown.describe(*node)).collect();
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
    fn example_of<T: DeserializeOwned>(&self, bound: &Bound) -> Option<Value> {
        let mut example = self.example.get_or_init(|| example::minimal(&self.shown)).clone()?;
        // Where one root was made of the variants of an enum, the schema does not say what belongs to which.
        for _ in 0..=self.shown.root().object.properties.len() {
            let Err(error) = self.deserialize::<T>(&example.to_string(), bound) else { return Some(example) };
            let message = error.to_string();
            let Rejection::Missing(name) = Rejection::read(&message) else { return None };
            if self.names.is_credential(name) {
                return Some(example);
            }
            let members = example.as_object_mut()?;
            let value = example::minimal_at(&self.shown, self.shown.root().object.property(name)?)?;
            if members.insert(name.to_owned(), value).is_some()
                || !self.shown.fits(ROOT, &example, Rules::All)
            {
                return None;
            }
        }
        None
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
const REPEATED: &str = "given twice; give it once";
const SERVER_LACKS: &str = "the server has to set this value and has none that fits; no arguments can help";
