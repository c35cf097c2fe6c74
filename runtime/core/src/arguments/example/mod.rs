//! Generates small arguments that match a schema.

use serde_json::{Map, Value, json};

use crate::schema::pattern;

use super::checker::{Checker, Exact, Node, NodeId, ROOT, Types};

/// Maximum depth of nested schemas; the smallest depth that yields an example is used.
const DEPTHS: [usize; 4] = [6, 12, 24, 48];
/// Maximum number of values that are tried.
const MAX_STEPS: usize = 20_000;
/// Maximum number of items, members or characters in an example.
const MAX_SIZE: u64 = 200;
/// Maximum depth of nested objects that get all of their members.
const MAX_FULL_DEPTH: usize = 4;
/// Maximum number of values that are tried to find one that is not in the array yet.
const MAX_VARIANTS: usize = 20;

/// Generates small arguments that match the input schema `schema`: only what is required.
///
/// Values come from `examples`, `default`, `const` and `enum`, or are generated from type, format, bounds and
/// pattern. Values of secret members (`writeOnly`) are always generated. If none can be found, because of an
/// unusual pattern or contradictory constraints, the result is an empty object.
pub fn example(schema: &Value) -> Value {
    // Unsupported constraints are reported when the tool is registered.
    let (checker, _) = Checker::compile_leniently(schema);
    minimal(&checker).unwrap_or_else(|| json!({}))
}

/// Returns an example of the whole schema.
pub(super) fn minimal(checker: &Checker) -> Option<Value> {
    // Arguments are an object, even if the schema does not say so.
    generate_of_type(checker, ROOT, Types::OBJECT)
}

/// Returns an example of the node.
pub(super) fn minimal_at(checker: &Checker, id: NodeId) -> Option<Value> {
    generate_of_type(checker, id, Types::ANY)
}

/// Returns an object that matches `id` with as many members as possible, whose members match the types of
/// `other` as well where possible. `None` if no object matches.
pub(super) fn fullest_at(checker: &Checker, id: NodeId, other: NodeId) -> Option<Value> {
    fullest(checker, id, other, MAX_FULL_DEPTH)
}

fn fullest(checker: &Checker, id: NodeId, other: NodeId, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let nodes = checker.unconditional_nodes(id);
    let is_free = nodes.iter().all(|id| checker.node(*id).is_free());
    let base = generate_of_type(checker, if is_free { other } else { id }, Types::OBJECT);
    let Some(Value::Object(mut members)) = base else { return None };
    let names = nodes.iter().flat_map(|id| &checker.node(*id).object.properties).map(|(name, _)| name);
    for name in names {
        let ours = checker.nodes_for(&nodes, name);
        let mut theirs = checker.nodes_for(&[other], name);
        theirs.retain(|node| !checker.node(*node).never);
        let fits_ours = |value: &Value| ours.iter().all(|node| checker.is_valid(*node, value));
        let is_object = |node: &&NodeId| checker.types(**node).has(Types::OBJECT);
        let pairs = ours
            .iter()
            .filter(is_object)
            .flat_map(|ours| theirs.iter().filter(is_object).map(move |theirs| (*ours, *theirs)));
        // Candidates with more members than the other node knows.
        let mut larger = pairs.filter_map(|(ours, theirs)| {
            fullest(checker, ours, theirs, depth).filter(|value| checker.accepts(theirs, value))
        });
        let of_both = || ours.iter().chain(&theirs).filter_map(|node| minimal_at(checker, *node));
        let fits_both = |value: &Value| {
            fits_ours(value)
                && (theirs.is_empty() || theirs.iter().any(|node| checker.is_valid(*node, value)))
        };
        let value = larger.find(&fits_ours).or_else(|| of_both().find(fits_both));
        if let Some(value) = value {
            members.insert(name.to_string(), value);
        }
    }
    // A candidate that only one of the two maps accepts.
    let name =
        (0..=members.len()).map(|number| format!("name{number}")).find(|name| !members.contains_key(name));
    let further = checker.nodes_for(&nodes, name.as_deref().unwrap_or_default());
    let value = if is_free {
        Some("text".into())
    } else {
        further.iter().find_map(|node| minimal_at(checker, *node))
    };
    members.extend(name.zip(value).filter(|_| further.iter().all(|node| !checker.node(*node).never)));
    Some(Value::Object(members)).filter(|value| checker.is_valid(id, value))
}

/// Returns the members that the node requires, except `without`.
pub(super) fn required_members(
    checker: &Checker,
    id: NodeId,
    without: Option<&str>,
) -> Option<Map<String, Value>> {
    let nodes = checker.unconditional_nodes(id);
    DEPTHS.into_iter().find_map(|depth| {
        let mut sampler = Sampler { checker, steps: MAX_STEPS };
        sampler.generate_object(&nodes, depth, without)
    })
}

fn generate_of_type(checker: &Checker, id: NodeId, wanted: Types) -> Option<Value> {
    let mut sampler = Sampler { checker, steps: MAX_STEPS };
    DEPTHS.into_iter().find_map(|depth| sampler.generate_value(id, wanted, depth, 0))
}

struct Sampler<'c> {
    checker: &'c Checker,
    steps: usize,
}

impl Sampler<'_> {
    /// Returns a value of the types `wanted` that matches the node; a different one for each `variant`, if there
    /// are several.
    fn generate_value(&mut self, id: NodeId, wanted: Types, depth: usize, variant: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        self.steps = self.steps.checked_sub(1)?;
        let checker = self.checker;
        let nodes = checker.unconditional_nodes(id);
        let parts = || nodes.iter().map(|id| checker.node(*id));
        let contains_secret = parts().any(Node::contains_secret);
        let samples = parts().flat_map(|node| &node.samples).filter(|_| !contains_secret);
        let allowed = parts().filter_map(|node| node.allowed.as_deref()).flatten();
        let usual: Vec<Value> = parts().filter_map(|node| node.usual).map(Value::from).collect();
        let listed = allowed.clone().filter(|value| !value.is_null());
        let given: Vec<&Value> = samples.chain(&usual).chain(listed).collect();
        let rotated = (0..given.len()).map(|at| given[(at + variant) % given.len()]);
        let candidates = rotated.chain(allowed.filter(|value| value.is_null()));
        for candidate in candidates.filter(|candidate| wanted.has(Types::of(candidate))) {
            if let Some(valid) = self.if_valid(id, candidate.clone()) {
                return Some(valid);
            }
        }
        let types = checker.types(id).and(wanted);
        let base = types.overlaps(Types::OBJECT).then(|| self.generate_object(&nodes, depth, None)).flatten();
        for arm in parts().flat_map(|node| node.in_place.arms()) {
            let Some(of_arm) = self.generate_value(arm, types, depth, variant) else { continue };
            if let Some(valid) = self.if_valid(id, merge(base.as_ref(), of_arm)) {
                return Some(valid);
            }
        }
        self.generate(id, types, base, &nodes, depth, variant)
    }

    /// Returns a value generated from types and bounds only.
    fn generate(
        &mut self,
        id: NodeId,
        types: Types,
        base: Option<Map<String, Value>>,
        nodes: &[NodeId],
        depth: usize,
        variant: usize,
    ) -> Option<Value> {
        let checker = self.checker;
        let parts: Vec<&Node> = nodes.iter().map(|id| checker.node(*id)).collect();
        if types.overlaps(Types::STRING) {
            for candidate in candidate_strings(&parts, variant) {
                if let Some(valid) = self.if_valid(id, candidate.into()) {
                    return Some(valid);
                }
            }
        }
        if types.overlaps(Types::NUMBER) {
            for candidate in candidate_numbers(&parts, types, variant) {
                if let Some(valid) = self.if_valid(id, candidate.to_value()) {
                    return Some(valid);
                }
            }
        }
        if types.overlaps(Types::BOOLEAN)
            && let Some(valid) = self.if_valid(id, (variant % 2 == 1).into())
        {
            return Some(valid);
        }
        if let Some(valid) = base.and_then(|base| self.if_valid(id, base.into())) {
            return Some(valid);
        }
        if types.overlaps(Types::ARRAY)
            && let Some(valid) =
                self.generate_array(&parts, depth).and_then(|items| self.if_valid(id, items.into()))
        {
            return Some(valid);
        }
        types.has(Types::NULL).then_some(Value::Null).and_then(|null| self.if_valid(id, null))
    }

    fn if_valid(&self, id: NodeId, value: Value) -> Option<Value> {
        self.checker.is_valid(id, &value).then_some(value)
    }

    /// Returns an object with the required members of the nodes.
    fn generate_object(
        &mut self,
        nodes: &[NodeId],
        depth: usize,
        without: Option<&str>,
    ) -> Option<Map<String, Value>> {
        let checker = self.checker;
        let mut members = Map::new();
        let objects = || nodes.iter().map(|id| &checker.node(*id).object);
        let mut required: Vec<&str> =
            objects().flat_map(|object| &object.required).map(|(name, _)| &**name).collect();
        let mut next = 0;
        while let Some(name) = required.get(next).copied() {
            next += 1;
            if !members.contains_key(name) && without != Some(name) {
                members.insert(name.to_owned(), self.generate_member(nodes, name, depth)?);
            }
            let dependents =
                objects().flat_map(|object| &object.dependent_required).filter(|(of, _)| **of == *name);
            for dependent in dependents.flat_map(|(_, names)| names) {
                if !required.contains(&&**dependent) {
                    required.push(dependent);
                }
            }
        }
        let enough = objects().filter_map(|object| object.min_properties).max().unwrap_or(0);
        if enough > MAX_SIZE {
            return None;
        }
        let optional = objects().flat_map(|object| &object.properties).map(|(name, _)| name.to_string());
        let generated = (0..2 * MAX_SIZE).flat_map(|number| [format!("name{number}"), number.to_string()]);
        let mut names = optional.chain(generated);
        while (members.len() as u64) < enough {
            let name = names.next()?;
            if members.contains_key(&name) {
                continue;
            }
            if let Some(value) = self.generate_member(nodes, &name, depth) {
                members.insert(name, value);
            }
        }
        Some(members)
    }

    fn generate_member(&mut self, nodes: &[NodeId], name: &str, depth: usize) -> Option<Value> {
        let schemas = self.checker.nodes_for(nodes, name);
        if schemas.is_empty() {
            return Some("text".into());
        }
        schemas.into_iter().find_map(|schema| self.generate_value(schema, Types::ANY, depth, 0))
    }

    /// Returns an array with the required number of items.
    fn generate_array(&mut self, parts: &[&Node], depth: usize) -> Option<Vec<Value>> {
        let arrays = || parts.iter().map(|node| &node.array);
        let enough = arrays().filter_map(|array| array.min_items).max().unwrap_or(0);
        if enough > MAX_SIZE {
            return None;
        }
        let unique = arrays().any(|array| array.unique);
        let mut wanted: Vec<Option<NodeId>> = Vec::new();
        for contains in arrays().filter_map(|array| array.contains.as_ref()) {
            for _ in 0..contains.min.min(MAX_SIZE) {
                wanted.push(Some(contains.node));
            }
        }
        while (wanted.len() as u64) < enough {
            let index = wanted.len();
            wanted.push(arrays().find_map(|array| array.prefix.get(index).copied().or(array.items)));
        }
        let mut items: Vec<Value> = Vec::new();
        for schema in wanted {
            let variants = if unique { MAX_VARIANTS + items.len() } else { 1 };
            let item = (0..variants)
                .filter_map(|variant| match schema {
                    Some(schema) => self.generate_value(schema, Types::ANY, depth, variant),
                    None => Some(variant.into()),
                })
                .find(|item| !unique || !items.iter().any(|other| super::checker::equal(item, other)))?;
            items.push(item);
        }
        Some(items)
    }
}

/// Returns the members of both `base` and the arm.
fn merge(base: Option<&Map<String, Value>>, of_arm: Value) -> Value {
    match (base, of_arm) {
        (Some(base), Value::Object(of_arm)) => {
            let mut members = base.clone();
            members.extend(of_arm);
            Value::Object(members)
        }
        (_, of_arm) => of_arm,
    }
}

/// Strings that may match, the most likely ones first.
fn candidate_strings(parts: &[&Node], variant: usize) -> Vec<String> {
    let rules = || parts.iter().map(|node| &node.string);
    let least = rules().filter_map(|rule| rule.min_length).max().unwrap_or(0);
    let most = rules().filter_map(|rule| rule.max_length).min().unwrap_or(u64::MAX);
    if least > MAX_SIZE {
        return Vec::new();
    }
    let mut candidates: Vec<String> = Vec::new();
    candidates.extend(rules().filter_map(|rule| rule.format).map(|format| format.sample().to_owned()));
    for pattern in rules().filter_map(|rule| rule.pattern.as_ref()) {
        candidates
            .extend((0..=least.max(3)).filter_map(|extra| pattern::sample(pattern.as_str(), extra, variant)));
    }
    let word = if variant == 0 { "text".to_owned() } else { format!("{variant}text") };
    let length = word.chars().count() as u64;
    let wanted = length.clamp(least, most.max(least));
    candidates.push(word.chars().cycle().take(usize::try_from(wanted).unwrap_or(0)).collect());
    candidates
}

/// Numbers that may match, the most likely ones first.
fn candidate_numbers(parts: &[&Node], types: Types, variant: usize) -> Vec<Exact> {
    let rules = || parts.iter().map(|node| &node.number);
    let whole = |number: i128| Exact::Whole(number);
    let largest = |a: Exact, b: Exact| if a < b { b } else { a };
    let smallest = |a: Exact, b: Exact| if a < b { a } else { b };
    let step = i128::try_from(variant).unwrap_or(0);
    let lowest = rules().flat_map(|rule| [rule.minimum, rule.exclusive_minimum]).flatten().reduce(largest);
    let highest = rules().flat_map(|rule| [rule.maximum, rule.exclusive_maximum]).flatten().reduce(smallest);
    let mut candidates = vec![whole(1 + step)];
    for bound in [lowest, highest].into_iter().flatten() {
        candidates.push(bound);
        match bound {
            Exact::Whole(number) => {
                candidates.extend([-1 - step, 1 + step].map(|by| whole(number.saturating_add(by))));
            }
            #[expect(clippy::cast_possible_truncation, reason = "saturates, and every candidate is checked")]
            Exact::Fraction(number) => {
                candidates.extend([number.floor(), number.ceil()].map(|near| whole(near as i128)));
            }
        }
    }
    candidates.push(whole(0));
    for multiple_of in rules().filter_map(|rule| rule.multiple_of) {
        let start = lowest.map_or(0.0, |lowest| (lowest.as_float() / multiple_of.as_float()).ceil());
        for next in 0..3u8 {
            let factor = start + f64::from(next);
            candidates.push(match multiple_of {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "saturates, and every candidate is checked"
                )]
                Exact::Whole(multiple) => whole(multiple.saturating_mul(factor as i128 + step)),
                Exact::Fraction(multiple) => Exact::Fraction(multiple * factor),
            });
        }
    }
    if let (Some(lowest), Some(highest)) = (lowest, highest)
        && types.has(Types::NUMBER)
    {
        candidates.push(Exact::Fraction(f64::midpoint(lowest.as_float(), highest.as_float())));
    }
    candidates
}

#[cfg(test)]
mod tests;
