//! Whether every value that one JSON Schema (2020-12) accepts is accepted by another.
//!
//! The first schema is taken apart into branches of one type each ([`branch`]), which together hold at least its values.
//! Each branch is held against each rule of the second schema. What is left open is tried with values
//! ([`witness`]): one that the first accepts and the second refuses proves the "no". So "yes" and "no" are right, and
//! everything else is "unknown". Formats count as rules that a validator may enforce.

mod accepts;
mod arrays;
mod branch;
mod disjoint;
mod document;
mod number;
mod objects;
mod witness;

use serde_json::Value;

use self::accepts::accepts;
use self::branch::{Branch, Kind, branches, is_never};
use self::number::Exact;

pub(crate) use self::document::{Document, is_annotation, is_known};
pub(crate) use self::number::same;

/// How many steps a comparison may take.
const MAX_STEPS: u32 = 4_000;
/// How often a value may be looked for that proves a "no".
const MAX_TRIALS: u32 = 64;
/// How deep rules may lie in one another.
const MAX_DEPTH: u32 = 80;

/// Whether every value that the first schema accepts is accepted by the second.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Yes,
    /// The value is accepted by the first schema and refused by the second.
    No {
        /// Where the schemas differ, as a JSON Pointer into values; `*` stands for any item or any other name.
        path: String,
        witness: Value,
    },
    /// Neither was found out.
    Unknown {
        /// As for [`Answer::No`].
        path: String,
        why: String,
    },
}

/// What counts as accepted by the first schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Every value that it accepts.
    Any,
    /// Values without members that it says nothing about: nobody was told of them.
    Declared,
}

/// Whether `new` accepts every value that `old` accepts.
pub(crate) fn includes<'a>(
    old: (&Document<'a>, &'a Value),
    new: (&Document<'a>, &'a Value),
    names: Names,
) -> Answer {
    if let Some(why) = old.0.odd().or(new.0.odd()) {
        return if same(old.1, new.1) { Answer::Yes } else { Answer::unknown("", why) };
    }
    let same_references = match (old.0.definitions(), new.0.definitions()) {
        (Some(old), Some(new)) => old == new,
        _ => false,
    };
    let mut comparison = Comparison {
        old: old.0,
        new: new.0,
        names,
        same_references,
        running: Vec::new(),
        known: Vec::new(),
        lowest: usize::MAX,
        steps: 0,
        trials: 0,
        depth: 0,
    };
    comparison.all_in(&[old.1], new.1, "")
}

struct Comparison<'d, 'a> {
    old: &'d Document<'a>,
    new: &'d Document<'a>,
    names: Names,
    /// Whether a reference means the same in both documents.
    same_references: bool,
    /// The pairs that are being compared. One that is met again lies deeper in the value, and values are finite, so it
    /// may be taken as right: if it is wrong, its own comparison will say so.
    running: Vec<Pair>,
    /// The pairs that were found right without such an assumption.
    known: Vec<Pair>,
    /// The first of the running pairs that was assumed.
    lowest: usize,
    steps: u32,
    trials: u32,
    depth: u32,
}

/// Schemas by their addresses: all of these within that one.
type Pair = (Vec<*const Value>, *const Value);

impl Answer {
    fn unknown(path: &str, why: impl Into<String>) -> Self {
        Self::Unknown { path: path.to_owned(), why: why.into() }
    }
}

impl<'a> Comparison<'_, 'a> {
    /// Whether the values that fit all of `old` fit `new`.
    fn all_in(&mut self, old: &[&'a Value], new: &'a Value, path: &str) -> Answer {
        let mut key: Vec<*const Value> = old.iter().map(|schema| std::ptr::from_ref(*schema)).collect();
        key.sort_unstable();
        key.dedup();
        let pair = (key, std::ptr::from_ref(new));
        if let Some(at) = self.running.iter().position(|running| *running == pair) {
            self.lowest = self.lowest.min(at);
            return Answer::Yes;
        }
        if self.known.contains(&pair) {
            return Answer::Yes;
        }
        let at = self.running.len();
        self.running.push(pair);
        let answer = self.branches_in(old, new, path);
        if let Some(pair) = self.running.pop()
            && self.lowest >= at
        {
            self.lowest = usize::MAX;
            if answer == Answer::Yes {
                self.known.push(pair);
            }
        }
        answer
    }

    fn branches_in(&mut self, old: &[&'a Value], new: &'a Value, path: &str) -> Answer {
        let Some(branches) = branches(self.old, old) else {
            return Answer::unknown(path, "there are too many alternatives");
        };
        let mut answer = Answer::Yes;
        for branch in branches.iter().filter(|branch| !branch.is_empty(self.old)) {
            match self.branch_in(branch, new, path) {
                Answer::Yes => {}
                no @ Answer::No { .. } => return no,
                unknown @ Answer::Unknown { .. } => {
                    if answer == Answer::Yes {
                        answer = unknown;
                    }
                }
            }
        }
        answer
    }

    fn branch_in(&mut self, old: &Branch<'a>, new: &'a Value, path: &str) -> Answer {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            return Answer::unknown(path, "the schemas are too large or too deep to compare");
        }
        self.depth += 1;
        let answer = self.rules_hold(old, new, path);
        self.depth -= 1;
        answer
    }

    fn rules_hold(&mut self, old: &Branch<'a>, new: &'a Value, path: &str) -> Answer {
        let rules = match new {
            Value::Bool(true) => return Answer::Yes,
            Value::Bool(false) => return self.refuted(old, new, path, "nothing is accepted here"),
            Value::Object(rules) => rules,
            _ => return Answer::unknown(path, "the schema is neither an object nor a boolean"),
        };
        if old.kind == Kind::Finite {
            return self.values_fit(old, new, path);
        }
        if self.same_references && old.sources.contains(&new) {
            return Answer::Yes;
        }
        let mut answer = Answer::Yes;
        for (key, rule) in rules {
            match self.rule_holds(old, new, key, rule, path) {
                Answer::Yes => {}
                no @ Answer::No { .. } => return no,
                Answer::Unknown { path: at, why } => {
                    // The rule was not proved; perhaps a value disproves it.
                    match self.refuted(old, new, path, &why) {
                        no @ Answer::No { .. } => return no,
                        _ => answer = Answer::Unknown { path: at, why },
                    }
                }
            }
        }
        answer
    }

    fn values_fit(&self, old: &Branch<'a>, new: &Value, path: &str) -> Answer {
        let mut answer = Answer::Yes;
        for value in &old.values {
            let fits = accepts(self.new, new, value);
            if fits == Some(false) && accepts::accept_all(self.old, &old.sources, value) == Some(true) {
                return Answer::No { path: path.to_owned(), witness: (*value).clone() };
            }
            if fits != Some(true) {
                answer = Answer::unknown(path, format!("it is not known whether {value} is accepted"));
            }
        }
        answer
    }

    /// Looks for a value that proves the "no".
    fn refuted(&mut self, old: &Branch<'a>, new: &'a Value, path: &str, why: &str) -> Answer {
        self.trials += 1;
        if self.trials > MAX_TRIALS {
            return Answer::unknown(path, why);
        }
        match witness::against(self.old, old, self.new, new, self.names) {
            Some(witness) => Answer::No { path: path.to_owned(), witness },
            None => Answer::unknown(path, why),
        }
    }

    fn rule_holds(
        &mut self,
        old: &Branch<'a>,
        new: &'a Value,
        key: &'a str,
        rule: &'a Value,
        path: &str,
    ) -> Answer {
        let unreadable = || Answer::unknown(path, format!("`{key}` cannot be read"));
        let proved = |is: bool, why: &str| if is { Answer::Yes } else { Answer::unknown(path, why) };
        match key {
            _ if is_annotation(key) => Answer::Yes,
            "$ref" => match rule.as_str().and_then(|to| self.new.resolve(to)) {
                Some(target) => self.branch_in(old, target, path),
                None => Answer::unknown(path, format!("the reference {rule} leads out of the schema")),
            },
            "type" => proved(is_within_type(old, rule), "another type is accepted"),
            // A branch with more than its list of values is not within a list.
            "enum" | "const" => proved(false, "only listed values are accepted"),
            "allOf" => match rule.as_array() {
                Some(parts) => {
                    let answers = parts.iter().map(|part| self.branch_in(old, part, path));
                    answers.fold(Answer::Yes, worse)
                }
                None => unreadable(),
            },
            "anyOf" | "oneOf" => match rule.as_array() {
                Some(parts) => self.in_an_alternative(old, parts, key == "oneOf", path),
                None => unreadable(),
            },
            "not" => proved(self.is_disjoint(old, rule), "it cannot be shown that `not` excludes nothing"),
            "if" => self.in_the_cases(old, rule, new, path),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                if old.kind != Kind::Number {
                    return Answer::Yes;
                }
                match Exact::of_value(rule) {
                    Some(bound) => proved(number_holds(old, key, bound), "other numbers are accepted"),
                    None => unreadable(),
                }
            }
            "minLength" | "maxLength" | "pattern" | "format" if old.kind == Kind::String => match key {
                "pattern" => proved(old.has(key, rule), "patterns are not compared with each other"),
                "format" => proved(old.has(key, rule), "a format may be enforced or not"),
                _ => proved(size_holds(old, key, rule), "other lengths are accepted"),
            },
            "minItems" | "maxItems" | "uniqueItems" | "prefixItems" | "items" | "contains"
            | "unevaluatedItems"
                if old.kind == Kind::Array =>
            {
                self.array_holds(old, new, key, rule, path)
            }
            _ if old.kind == Kind::Object => self.object_holds(old, new, key, rule, path),
            _ => Answer::Yes,
        }
    }

    fn in_an_alternative(
        &mut self,
        old: &Branch<'a>,
        parts: &'a [Value],
        only_one: bool,
        path: &str,
    ) -> Answer {
        for (at, part) in parts.iter().enumerate() {
            if self.branch_in(old, part, path) != Answer::Yes {
                continue;
            }
            let mut others = parts.iter().enumerate().filter(|(other, _)| *other != at);
            if !only_one || others.all(|(_, other)| self.is_disjoint(old, other)) {
                return Answer::Yes;
            }
        }
        Answer::unknown(path, "it cannot be shown that one of the alternatives takes all values")
    }

    fn in_the_cases(&mut self, old: &Branch<'a>, condition: &'a Value, new: &'a Value, path: &str) -> Answer {
        for key in ["then", "else"] {
            let Some(case) = new.get(key) else { continue };
            let never_comes = if key == "then" {
                self.is_disjoint(old, condition)
            } else {
                self.branch_in(old, condition, path) == Answer::Yes
            };
            if !never_comes && self.branch_in(old, case, path) != Answer::Yes {
                return Answer::unknown(path, "it cannot be shown which case of `if` holds");
            }
        }
        Answer::Yes
    }

    /// Whether a value is accepted by the first schema and refused by the second.
    fn proves(&self, old: &Branch<'a>, new: &Value, value: &Value) -> bool {
        accepts::accept_all(self.old, &old.sources, value) == Some(true)
            && accepts(self.new, new, value) == Some(false)
    }
}

/// "No" is worse than "unknown", which is worse than "yes".
fn worse(left: Answer, right: Answer) -> Answer {
    match (&left, &right) {
        (Answer::Yes, _) | (Answer::Unknown { .. }, Answer::No { .. }) => right,
        _ => left,
    }
}

fn is_within_type(old: &Branch<'_>, rule: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("number") => old.kind == Kind::Number,
        Some("integer") => old.kind == Kind::Number && old.is_whole(),
        Some("string") => old.kind == Kind::String,
        Some("array") => old.kind == Kind::Array,
        Some("object") => old.kind == Kind::Object,
        _ => false,
    };
    match rule {
        Value::Array(names) => names.iter().any(is),
        name => is(name),
    }
}

fn number_holds(old: &Branch<'_>, key: &str, bound: Exact) -> bool {
    match key {
        "minimum" => old.low().is_some_and(|low| low.at >= bound),
        "exclusiveMinimum" => old.low().is_some_and(|low| low.at > bound || (low.at == bound && low.open)),
        "maximum" => old.high().is_some_and(|high| high.at <= bound),
        "exclusiveMaximum" => {
            old.high().is_some_and(|high| high.at < bound || (high.at == bound && high.open))
        }
        _ => {
            let divides = |factor: Exact| factor == bound || factor.is_multiple_of(bound) == Some(true);
            old.multiples().any(divides) || (old.integer && bound == Exact::Whole(1))
        }
    }
}

fn size_holds(old: &Branch<'_>, key: &str, rule: &Value) -> bool {
    let Some(bound) = number::size(rule) else { return false };
    if key.starts_with("min") {
        old.least(key) >= bound
    } else {
        old.most(key).is_some_and(|most| most <= bound)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::{Dice, has_meaning};
