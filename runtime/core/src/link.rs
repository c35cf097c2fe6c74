//! Link-time registration of all derived tools and toolsets and all derived or declared prompts and resources, and the
//! answer to `cargo mcp manifest`.
//!
//! Each derive and declaration adds an element to one of three slices that the linker concatenates. A
//! *constructor*, a function that runs before `main`, checks one environment variable, [`VARIABLE`]. If it is
//! set, the constructor writes everything that is linked to the file that it names (see
//! [`crate::manifest::answer`]) and exits, so the user's `main` never runs. Otherwise the constructor does
//! nothing else.
//!
//! This module is the one exception to two rules of the workspace. Unsafe code: placing a function in the
//! section of constructors, or a string in its own section, is unsafe, since code before `main` must not rely
//! on anything that `main` or the runtime initializes; this constructor only uses the environment, files and
//! memory. I/O: it writes one file, and only on request.
#![expect(
    unsafe_code,
    reason = "a function can run before `main` only from a special section of the program"
)]

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::panic;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::definition::ToolDefinition;
use crate::manifest::{Entry, Kind, answer};
use crate::tool::{FieldSource, SourceLocation};
use crate::toolset::{Package, Toolset, ToolsetMetadata};

/// The environment variable that requests the tools of a program. Its value is the path of the file to write,
/// which must not exist.
pub const VARIABLE: &str = "TOOLWRIGHT_MANIFEST";

/// The section that contains only [`MARKER`]. It survives stripping.
pub const SECTION: &str = if cfg!(windows) {
    ".twright"
} else if cfg!(target_vendor = "apple") {
    "__toolwright"
} else {
    ".toolwright"
};

/// Marks every program that has the constructor, stripped or not, in a section of its own. A program without it
/// must not be run, since its `main` would run. The same string may occur anywhere else.
#[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".toolwright"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__toolwright"))]
#[cfg_attr(windows, unsafe(link_section = ".twright"))]
pub static MARKER: [u8; 53] = *b"toolwright: this program answers `cargo mcp manifest`";

// linkme names the section of a slice after its identifier, and two slices with the same name in one program
// are an error at startup. Hence the long names, which derives see as `__private::TOOLS` and
// `__private::TOOLSETS`.

/// All derived tools without type parameters.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_TOOLS: [LinkedTool];

/// All derived toolsets without type parameters.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_TOOLSETS: [LinkedToolset];

/// All derived and declared prompts, resources and resource templates.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_FEATURES: [LinkedFeatures];

/// A tool as collected by the linker.
#[derive(Debug, Clone, Copy)]
pub struct LinkedTool {
    /// The tool's name.
    pub name: &'static str,
    /// The package of the derive.
    pub package: Package,
    /// Where the struct is defined.
    pub source: SourceLocation,
    /// Where its fields are defined.
    pub fields: &'static [FieldSource],
    /// Creates the definition.
    pub definition: fn() -> ToolDefinition,
}

/// A toolset as collected by the linker.
#[derive(Debug, Clone, Copy)]
pub struct LinkedToolset {
    /// The package of the derive.
    pub package: Package,
    /// The attributes.
    pub metadata: ToolsetMetadata,
    /// Where the enum is defined.
    pub source: SourceLocation,
    /// Creates the definitions, as the server lists them.
    pub definitions: fn() -> Vec<ToolDefinition>,
}

/// Prompts, resources or templates as collected by the linker: one element per declared function.
#[derive(Debug, Clone, Copy)]
pub struct LinkedFeatures {
    /// The declared function, for reports.
    pub name: &'static str,
    /// The package of the declaration.
    pub package: Package,
    /// The location of the declaration.
    pub source: SourceLocation,
    /// The server that offers them; by default that of `package`.
    pub server: Option<ServerOf>,
    /// The list that they belong to.
    pub kind: Kind,
    /// Creates the definitions.
    pub entries: fn() -> Vec<Entry>,
    /// Whether a derive registers them, which does not know which server offers them, or whether any does.
    pub is_derived: bool,
}

/// A server, identified by the package that derives its toolset and by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOf {
    /// The package.
    pub package: &'static str,
    /// The server's name.
    pub name: &'static str,
}

impl ServerOf {
    /// Returns the server of a toolset.
    pub const fn new<T: Toolset>() -> Self {
        let name = match T::METADATA.name {
            Some(name) => name,
            None => T::PACKAGE.name,
        };
        Self { package: T::PACKAGE.name, name }
    }
}

impl LinkedFeatures {
    /// Returns whether `server` offers them.
    pub fn are_of(&self, server: &ServerOf) -> bool {
        self.server.map_or(self.package.name == server.package, |of| of == *server)
    }
}

#[used]
#[cfg_attr(
    any(
        target_os = "linux",
        target_os = "android",
        target_os = "freebsd",
        target_os = "openbsd",
        target_os = "illumos",
        target_os = "fuchsia",
    ),
    unsafe(link_section = ".init_array")
)]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
static CONSTRUCTOR: extern "C" fn() = answer_if_requested;

/// Runs before `main` in every program that links this crate.
extern "C" fn answer_if_requested() {
    // Without a use of its address, the marker would not be linked.
    std::hint::black_box(&MARKER);
    let Some(path) = std::env::var_os(VARIABLE) else { return };
    // A panic must not unwind into C code.
    let code = match panic::catch_unwind(|| write_answer(Path::new(&path))) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            report(format_args!("cannot write the answer to {}: {error}", Path::new(&path).display()));
            1
        }
        // The panic hook has reported it.
        Err(_) => 1,
    };
    exit_process(code);
}

#[expect(clippy::disallowed_methods, reason = "before `main` there is no caller to return an exit code to")]
fn exit_process(code: i32) -> ! {
    std::process::exit(code)
}

fn write_answer(path: &Path) -> io::Result<()> {
    // Reports panics in a hook rather than after catching them: with `panic = "abort"` nothing is caught.
    panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(|location| format!(" (panicked at {location})")).unwrap_or_default();
        let subject = SUBJECT.lock().unwrap_or_else(PoisonError::into_inner);
        report(format_args!("{subject}: {}{at}", panic.payload_as_str().unwrap_or("no message")));
    }));
    let answer = serde_json::to_vec(&collect())?;
    // `create_new`: setting the environment variable must not allow overwriting a file.
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(&answer)
}

/// Collects everything that is linked, sorted: the order of the linker is arbitrary.
///
/// # Panics
/// If a definition cannot be created.
pub fn collect() -> answer::Answer {
    set_subject("the linked tools cannot be collected".to_owned());
    // Tools come first, so that an invalid definition is reported with the name of the tool.
    let mut tools: Vec<_> = TOOLWRIGHT_TOOLS.iter().map(answer_of_tool).collect();
    let mut toolsets: Vec<_> = TOOLWRIGHT_TOOLSETS.iter().map(answer_of_toolset).collect();
    toolsets.sort_by(|left, right| left.origin.cmp(&right.origin));
    tools.sort_by(|left, right| left.origin.cmp(&right.origin));
    answer::Answer {
        features: collect_features(),
        answer_version: answer::VERSION,
        toolwright: env!("CARGO_PKG_VERSION").to_owned(),
        toolsets,
        tools,
    }
}

/// Collects all derived and declared prompts, resources and templates, sorted by location. An entry of a derive is left out if
/// its server is known as well, and both if `declare!` names it.
///
/// # Panics
/// If a definition cannot be created.
pub fn collect_features() -> Vec<answer::LinkedFeatures> {
    let rank = |features: &LinkedFeatures| match (features.is_derived, features.server) {
        (false, _) => 0,
        (true, Some(_)) => 1,
        (true, None) => 2,
    };
    let mut features: Vec<answer::LinkedFeatures> = Vec::new();
    for wanted in 0..=2 {
        let known: HashSet<(Kind, String)> = features.iter().flat_map(names_in).collect();
        let all =
            TOOLWRIGHT_FEATURES.iter().filter(|features| rank(features) == wanted).map(answer_of_features);
        features.extend(all.filter(|features| names_in(features).all(|name| !known.contains(&name))));
    }
    // One declaration may name several functions, which have the same location.
    features.sort_by(|left, right| (&left.origin, left.kind).cmp(&(&right.origin, right.kind)));
    features
}

/// The names of the entries, each with its list.
fn names_in(features: &answer::LinkedFeatures) -> impl Iterator<Item = (Kind, String)> {
    let kind = features.kind;
    features.entries.iter().filter_map(move |entry| Some((kind, kind.name_of(entry)?.to_owned())))
}

fn answer_of_features(features: &LinkedFeatures) -> answer::LinkedFeatures {
    let origin = origin(features.package, features.source);
    set_subject(format!(
        "the {} of `{}`, declared at {origin}, cannot be created",
        features.kind, features.name
    ));
    answer::LinkedFeatures {
        server: features.server.map(|server| answer::ServerOf {
            package: server.package.to_owned(),
            name: server.name.to_owned(),
        }),
        kind: features.kind,
        entries: (features.entries)(),
        origin,
    }
}

fn answer_of_toolset(set: &LinkedToolset) -> answer::LinkedToolset {
    let origin = origin(set.package, set.source);
    set_subject(format!("the definitions of the toolset at {origin} cannot be created"));
    answer::LinkedToolset {
        name: set.metadata.name.map(str::to_owned),
        version: set.metadata.version.map(str::to_owned),
        title: set.metadata.title.map(str::to_owned),
        instructions: set.metadata.instructions.map(str::to_owned),
        tools: (set.definitions)(),
        origin,
    }
}

fn answer_of_tool(tool: &LinkedTool) -> answer::LinkedTool {
    let origin = origin(tool.package, tool.source);
    set_subject(format!("the definition of the tool `{}` at {origin} cannot be created", tool.name));
    let fields = tool.fields.iter().map(|field| answer::FieldOrigin {
        name: field.name.to_owned(),
        line: field.line,
        column: field.column,
    });
    answer::LinkedTool { definition: (tool.definition)(), fields: fields.collect(), origin }
}

fn origin(package: Package, source: SourceLocation) -> answer::Origin {
    answer::Origin {
        package: package.name.to_owned(),
        version: package.version.to_owned(),
        file: source.file.to_owned(),
        line: source.line,
        column: source.column,
    }
}

/// The operation that a panic would prevent, for its report.
static SUBJECT: Mutex<String> = Mutex::new(String::new());

fn set_subject(subject: String) {
    *SUBJECT.lock().unwrap_or_else(PoisonError::into_inner) = subject;
}

/// Writes one line to standard error; if it is closed, the exit code still reports the failure.
fn report(line: std::fmt::Arguments<'_>) {
    _ = writeln!(io::stderr(), "{line}");
}
