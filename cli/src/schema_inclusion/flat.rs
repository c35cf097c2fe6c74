//! Merges schemas with those that they include by reference or in `allOf`.

use super::node::{Id, Nodes, Rule};

/// Maximum number of schemas that are merged into one.
const MAX_INCLUDED: usize = 64;
/// Maximum total number of rules after merging.
const MAX_RULES: usize = 200_000;

impl<'a> Nodes<'a> {
    /// Adds to each schema the rules of those that it includes.
    pub(super) fn flatten(&mut self) {
        self.break_cycles();
        let mut count = 0;
        let flat: Vec<Vec<Rule<'a>>> = (0..self.count())
            .map(|id| {
                let mut rules = Vec::new();
                if count < MAX_RULES {
                    self.collect(id, &mut vec![id], &mut rules);
                } else {
                    rules.extend_from_slice(self.rules(id));
                }
                count += rules.len();
                rules
            })
            .collect();
        self.set_rules(flat);
    }

    fn collect(&self, id: Id, seen: &mut Vec<Id>, rules: &mut Vec<Rule<'a>>) {
        for rule in self.rules(id) {
            match rule {
                Rule::Include(other) if seen.len() < MAX_INCLUDED && !self.depends_on_siblings(*other) => {
                    if !seen.contains(other) {
                        seen.push(*other);
                        self.collect(*other, seen, rules);
                    }
                }
                other => rules.push(other.clone()),
            }
        }
    }

    /// Returns whether a rule of the schema depends on its siblings.
    fn depends_on_siblings(&self, id: Id) -> bool {
        let depends =
            |rule: &Rule<'_>| matches!(rule, Rule::UnevaluatedItems(_) | Rule::UnevaluatedProperties(_));
        self.rules(id).iter().any(depends)
    }

    /// Returns the schemas of a rule that apply to the same value.
    pub(super) fn in_place_subschemas(rule: &Rule<'a>) -> Vec<Id> {
        match rule {
            Rule::Include(id) | Rule::Not(id) | Rule::DependentSchema(_, id) => vec![*id],
            Rule::AnyOf(ids) | Rule::OneOf(ids) => ids.clone(),
            Rule::Conditional { condition, then, otherwise } => {
                [Some(*condition), *then, *otherwise].into_iter().flatten().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Replaces schemas that include themselves for the same value: their meaning is undefined (JSON Schema 2020-12 core
    /// §9.4.1).
    fn break_cycles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let next = |nodes: &Self, id: Id| -> Vec<Id> {
            nodes.rules(id).iter().flat_map(Self::in_place_subschemas).collect()
        };
        let mut states = vec![State::New; self.count()];
        let mut circular = Vec::new();
        for start in 0..self.count() {
            if states[start] != State::New {
                continue;
            }
            states[start] = State::Open;
            let mut path = vec![(start, next(self, start))];
            while let Some((id, left)) = path.last_mut() {
                match left.pop() {
                    Some(inner) if states[inner] == State::Open => circular.push(inner),
                    Some(inner) if states[inner] == State::New => {
                        states[inner] = State::Open;
                        let following = next(self, inner);
                        path.push((inner, following));
                    }
                    Some(_) => {}
                    None => {
                        states[*id] = State::Done;
                        path.pop();
                    }
                }
            }
        }
        for id in circular {
            self.make_opaque(id, "a reference leads back to itself");
        }
    }
}
