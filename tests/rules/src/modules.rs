//! Which top-level modules of a crate name which others, read from the sources.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::rust_files;

/// The top-level modules of a crate, and the modules that each of them uses.
#[derive(Debug, Default)]
pub struct ModuleGraph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl ModuleGraph {
    /// Reads the sources below `folder`, a path from the root such as `runtime/core/src`. Tests are left out, since
    /// they may look at everything, and so is the crate's root file, which re-exports.
    ///
    /// # Panics
    ///
    /// When the folder has no sources, or a file is not Rust.
    pub fn of(folder: &str) -> Self {
        let files = rust_files(|path| path.starts_with(&format!("{folder}/")));
        let below = |path: &str| path[folder.len() + 1..].to_owned();
        let modules: BTreeSet<String> = files.iter().map(|file| top_module(&below(&file.path))).collect();
        assert!(modules.len() > 1, "{folder} has no modules");

        let is_root = |path: &str| path == "lib.rs" || path == "main.rs";
        let parse = |text: &str| syn::parse_file(text).expect("a source file is Rust");
        let mut exported = BTreeMap::new();
        for root in files.iter().filter(|file| is_root(&below(&file.path))) {
            collect_exports(&parse(&root.text), &modules, &mut exported);
        }
        let mut graph = Self::default();
        for file in files.iter().filter(|file| !is_root(&below(&file.path))) {
            let inside = module_path(&below(&file.path));
            if inside.iter().any(|module| module == "tests") {
                continue;
            }
            let mut names = Names { inside: inside.clone(), found: BTreeSet::new() };
            names.visit_file(&parse(&file.text));
            let targets = graph.edges.entry(inside[0].clone()).or_default();
            let resolved = names.found.into_iter().map(|name| exported.get(&name).cloned().unwrap_or(name));
            targets.extend(resolved.filter(|name| *name != inside[0] && modules.contains(name)));
        }
        graph
    }

    /// The groups of modules in which each leads to each other, largest first; a single module is not a group.
    pub fn cycles(&self) -> Vec<BTreeSet<String>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.edges.keys().map(|module| (module.as_str(), self.reachable(module))).collect();
        let mut cycles = BTreeSet::new();
        for (module, reached) in &reach {
            let both_ways =
                reached.iter().filter(|other| reach.get(*other).is_some_and(|back| back.contains(module)));
            let cycle: BTreeSet<String> = both_ways.map(ToString::to_string).collect();
            if cycle.len() > 1 {
                cycles.insert(cycle);
            }
        }
        let mut cycles: Vec<_> = cycles.into_iter().collect();
        cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
        cycles
    }

    /// Which modules `module` names.
    pub fn named_by(&self, module: &str) -> impl Iterator<Item = &str> {
        self.edges.get(module).into_iter().flatten().map(String::as_str)
    }

    fn reachable<'s>(&'s self, from: &'s str) -> BTreeSet<&'s str> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&str> = self.named_by(from).collect();
        while let Some(module) = waiting.pop() {
            if seen.insert(module) {
                waiting.extend(self.named_by(module));
            }
        }
        seen
    }
}

/// The module that a file below `src` belongs to.
fn top_module(path: &str) -> String {
    path.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned()
}

/// The path of the module that a file below `src` holds, from the crate's root.
fn module_path(path: &str) -> Vec<String> {
    let mut parts: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// The re-exports of a crate's root by name, with the top-level modules that they come from.
fn collect_exports(root: &syn::File, modules: &BTreeSet<String>, exported: &mut BTreeMap<String, String>) {
    for item in &root.items {
        let syn::Item::Use(item) = item else { continue };
        let mut paths = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut paths);
        for path in paths {
            let first = path.iter().find(|part| *part != "crate" && *part != "self");
            if let (Some(first), Some(last)) = (first, path.last())
                && modules.contains(first)
            {
                exported.insert(last.clone(), first.clone());
            }
        }
    }
}

/// The paths of a `use` tree, each under the name that it gets.
fn flatten(tree: &syn::UseTree, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let ended = |name: String| prefix.iter().cloned().chain([name]).collect();
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, paths);
            prefix.pop();
        }
        syn::UseTree::Name(name) => paths.push(ended(name.ident.to_string())),
        syn::UseTree::Rename(rename) => paths.push(ended(rename.rename.to_string())),
        syn::UseTree::Glob(_) => paths.push(ended("*".to_owned())),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, prefix, paths);
            }
        }
    }
}

/// The first names behind `crate::`, wherever a file has such a path, `super::` resolved.
struct Names {
    inside: Vec<String>,
    found: BTreeSet<String>,
}

impl Names {
    fn add(&mut self, path: &[String]) {
        let ups = path.iter().take_while(|part| *part == "super").count();
        let rest = match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("super") => {
                let kept = self.inside.len().saturating_sub(ups);
                [&self.inside[..kept], &path[ups..]].concat()
            }
            _ => return,
        };
        self.found.extend(rest.into_iter().next());
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if module.ident == "tests" {
            return;
        }
        self.inside.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut paths = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut paths);
        for path in paths {
            self.add(&path);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }
}
