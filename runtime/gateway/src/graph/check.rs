//! Validates a graph in one pass: resolves edges, assigns tools, orders the nodes, and collects every problem.

use std::collections::{HashMap, HashSet, VecDeque};

use super::model::{Edge, Mode, Node, Workflow};
use super::problem::{EdgeName, GraphError, Problem, Problems};
use super::rules::{Rules, TOOLS_HANDLE};

/// Maximum number of nodes in a graph: 100,000.
pub const MAX_NODES: usize = 100_000;
/// Maximum number of edges in a graph: 1,000,000.
pub const MAX_EDGES: usize = 1_000_000;

/// A valid graph.
pub(super) struct Checked<'a> {
    /// The nodes in the order of the file.
    pub(super) nodes: Vec<CheckedNode<'a>>,
    /// Indices into `nodes` in topological order.
    pub(super) order: Vec<usize>,
}

/// A node with its tools.
pub(super) struct CheckedNode<'a> {
    pub(super) node: &'a Node,
    pub(super) mode: Mode,
    pub(super) is_agent: bool,
    pub(super) is_ui_only: bool,
    /// The ids of its tools in edge order without duplicates; `None` for a node without tools that is not an agent.
    pub(super) tools: Option<Vec<String>>,
}

/// Source and target of an edge as indices into the nodes.
type Ends = (usize, usize);

/// Checks a graph.
///
/// # Errors
/// Every problem; a cycle only if there are no others.
pub(super) fn check<'a>(workflow: &'a Workflow, rules: &Rules) -> Result<Checked<'a>, GraphError> {
    let mut problems = Problems::default();
    let (nodes, edges) = (&workflow.nodes, &workflow.edges);
    if nodes.len() > MAX_NODES {
        problems.add(Problem::TooManyNodes { count: nodes.len() });
    }
    if edges.len() > MAX_EDGES {
        problems.add(Problem::TooManyEdges { count: edges.len() });
    }
    if !problems.is_empty() {
        return Err(problems.into_error());
    }
    let places = places(nodes, &mut problems);
    let mut checked: Vec<_> = nodes.iter().map(|node| check_node(node, rules, &mut problems)).collect();
    let ends = resolve(edges, &places, &mut problems);
    give_tools(&mut checked, edges, &ends, &mut problems);
    if !problems.is_empty() {
        return Err(problems.into_error());
    }
    let ends: Vec<Ends> = ends.into_iter().flatten().collect();
    match order(nodes.len(), &ends) {
        Ok(order) => Ok(Checked { nodes: checked, order }),
        Err((edge, length)) => {
            problems.add(Problem::Cycle { edge: EdgeName::of(edge, &edges[edge]), length });
            Err(problems.into_error())
        }
    }
}

/// The index of each id.
fn places<'a>(nodes: &'a [Node], problems: &mut Problems) -> HashMap<&'a str, usize> {
    let mut places = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if node.id.is_empty() {
            problems.add(Problem::EmptyId { index });
        } else if let Some(&first) = places.get(node.id.as_str()) {
            problems.add(Problem::DuplicateNode { node: node.id.clone(), first, second: index });
        } else {
            places.insert(node.id.as_str(), index);
        }
    }
    places
}

fn check_node<'a>(node: &'a Node, rules: &Rules, problems: &mut Problems) -> CheckedNode<'a> {
    let mode = node.effective_mode().unwrap_or_else(|()| {
        problems.add(Problem::TwoModes { node: node.id.clone() });
        Mode::Tool
    });
    if let Some(config) = node.effective_tool_config() {
        let bound: HashSet<_> = config.bound_input_ids.iter().collect();
        for input in config.exposed_input_ids.iter().filter(|input| bound.contains(input)) {
            problems.add(Problem::BoundAndExposed { node: node.id.clone(), input: input.clone() });
        }
    }
    let is_agent = rules.is_agent(&node.kind);
    let tools = is_agent.then(Vec::new);
    CheckedNode { node, mode, is_agent, is_ui_only: rules.is_ui_only(&node.kind), tools }
}

/// The ends of each edge; `None` if one of its nodes does not exist.
fn resolve(edges: &[Edge], places: &HashMap<&str, usize>, problems: &mut Problems) -> Vec<Option<Ends>> {
    let ends = edges.iter().enumerate().map(|(index, edge)| {
        let (source, target) = (places.get(edge.source.as_str()), places.get(edge.target.as_str()));
        if source.is_none() {
            problems.add(Problem::UnknownSource { edge: EdgeName::of(index, edge) });
        }
        if target.is_none() {
            problems.add(Problem::UnknownTarget { edge: EdgeName::of(index, edge) });
        }
        Some((*source?, *target?))
    });
    ends.collect()
}

/// Assigns each node the tools that are connected to its input `tools`.
fn give_tools(nodes: &mut [CheckedNode<'_>], edges: &[Edge], ends: &[Option<Ends>], problems: &mut Problems) {
    let mut given = HashSet::new();
    for (index, (edge, ends)) in edges.iter().zip(ends).enumerate() {
        let Some((source, target)) = *ends else { continue };
        if edge.target_handle.as_deref() != Some(TOOLS_HANDLE) {
            continue;
        }
        let name = || EdgeName::of(index, edge);
        if let Some(ui) = [source, target].into_iter().find(|index| nodes[*index].is_ui_only) {
            problems.add(Problem::UiOnly { edge: name(), node: nodes[ui].node.id.clone() });
        } else if nodes[source].mode != Mode::Tool {
            problems.add(Problem::NotATool { edge: name() });
        } else if given.insert((source, target)) {
            nodes[target].tools.get_or_insert_default().push(edge.source.clone());
        }
    }
}

/// The topological order (Kahn's algorithm), or the last edge of a cycle and the cycle's length.
fn order(count: usize, edges: &[Ends]) -> Result<Vec<usize>, (usize, usize)> {
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut waiting = vec![0_usize; count];
    for &(source, target) in edges {
        leaving[source].push(target);
        waiting[target] += 1;
    }
    let mut ready: VecDeque<usize> = (0..count).filter(|node| waiting[*node] == 0).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(node) = ready.pop_front() {
        order.push(node);
        for &target in &leaving[node] {
            waiting[target] -= 1;
            if waiting[target] == 0 {
                ready.push_back(target);
            }
        }
    }
    if order.len() == count { Ok(order) } else { Err(cycle(&waiting, edges)) }
}

/// Returns the last edge and the length of a cycle among the remaining nodes: each has an edge from a remaining
/// node.
fn cycle(waiting: &[usize], edges: &[Ends]) -> (usize, usize) {
    let mut before: HashMap<usize, (usize, usize)> = HashMap::new();
    for (index, &(source, target)) in edges.iter().enumerate() {
        if waiting[source] > 0 && waiting[target] > 0 {
            before.insert(target, (index, source));
        }
    }
    // Walk backwards until a node repeats, then go once around the cycle.
    let mut seen = HashSet::new();
    let mut at = waiting.iter().position(|count| *count > 0).unwrap_or_default();
    while seen.insert(at) {
        at = before[&at].1;
    }
    let (start, mut last, mut length) = (at, 0, 0);
    loop {
        let (edge, source) = before[&at];
        (last, length, at) = (last.max(edge), length + 1, source);
        if at == start {
            return (last, length);
        }
    }
}
