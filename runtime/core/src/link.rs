//! Link-time registration: every derived tool and toolset of a program, its declared prompts and resources, and the
//! answer to `cargo mcp manifest`.
//!
//! Each derive and each declaration adds an element to one of three slices that the linker puts together. A *constructor*, a function that
//! runs before `main`, looks for one environment variable, [`VARIABLE`]. If it is set, the constructor writes
//! everything that is linked to the file it names (see [`crate::manifest::answer`]) and ends the program, so that
//! the user's `main` never runs. If it is not set, that look is all the constructor does.
//!
//! Two rules of the workspace have their one exception here. Unsafe code: placing a function in the section of
//! constructors, or a text in one of its own, is unsafe, since code that runs before `main` must not rely on anything that `main` or the runtime
//! sets up; this constructor uses the environment, files and memory only. I/O: it writes one file, and only when
//! asked to.
#![expect(
    unsafe_code,
    reason = "a function can run before `main` only from a special section of the program"
)]

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::panic;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::definition::ToolDefinition;
use crate::manifest::{Entry, Kind, answer};
use crate::tool::{FieldSource, SourceLocation};
use crate::toolset::{Package, Toolset, ToolsetMetadata};

/// The variable that asks a program for its tools. Its value is the path of the file to write, which must not exist.
pub const VARIABLE: &str = "TOOLWRIGHT_MANIFEST";

/// The section of a program that has [`MARKER`] and nothing else. Stripping leaves it where it is.
pub const SECTION: &str = if cfg!(windows) {
    ".twright"
} else if cfg!(target_vendor = "apple") {
    "__toolwright"
} else {
    ".toolwright"
};

/// Stands in every program that has the constructor, stripped or not, in a section of its own: who does not find it there
/// must not run the program, since its `main` would run. A string that mentions it may be anywhere.
#[cfg_attr(not(any(target_vendor = "apple", windows)), unsafe(link_section = ".toolwright"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__toolwright"))]
#[cfg_attr(windows, unsafe(link_section = ".twright"))]
pub static MARKER: [u8; 53] = *b"toolwright: this program answers `cargo mcp manifest`";

// linkme names a slice's section after the identifier alone, and two slices of one name in a program are an error at
// its start; hence the long names, which derives see as `__private::TOOLS` and `__private::TOOLSETS`.

/// Every derived tool that has no type parameters.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_TOOLS: [LinkedTool];

/// Every derived toolset that has no type parameters.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_TOOLSETS: [LinkedToolset];

/// Every declared prompt, resource and resource template: what a server offers beside tools.
#[linkme::distributed_slice]
pub static TOOLWRIGHT_FEATURES: [LinkedFeatures];

/// A tool as the linker collects it.
#[derive(Debug, Clone, Copy)]
pub struct LinkedTool {
    /// The tool's name.
    pub name: &'static str,
    /// The package that derives it.
    pub package: Package,
    /// Where the struct is defined.
    pub source: SourceLocation,
    /// Where its fields are defined.
    pub fields: &'static [FieldSource],
    /// Makes the definition.
    pub definition: fn() -> ToolDefinition,
}

/// A toolset as the linker collects it.
#[derive(Debug, Clone, Copy)]
pub struct LinkedToolset {
    /// The package that derives it.
    pub package: Package,
    /// What its attributes say.
    pub metadata: ToolsetMetadata,
    /// Where the enum is defined.
    pub source: SourceLocation,
    /// Makes the definitions, as the server lists them.
    pub definitions: fn() -> Vec<ToolDefinition>,
}

/// Prompts, resources or templates as the linker collects them: one element for each function that is declared.
#[derive(Debug, Clone, Copy)]
pub struct LinkedFeatures {
    /// What is declared, for reports.
    pub name: &'static str,
    /// The package that declares it.
    pub package: Package,
    /// Where it is declared.
    pub source: SourceLocation,
    /// The server that has it; that of `package`, if it is not said.
    pub server: Option<ServerOf>,
    /// Which list it belongs to.
    pub kind: Kind,
    /// Makes the definitions.
    pub entries: fn() -> Vec<Entry>,
}

/// A server, by the package that derives its toolset and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerOf {
    /// The package.
    pub package: &'static str,
    /// The server's name.
    pub name: &'static str,
}

impl ServerOf {
    /// The server of a toolset.
    pub const fn new<T: Toolset>() -> Self {
        let name = match T::METADATA.name {
            Some(name) => name,
            None => T::PACKAGE.name,
        };
        Self { package: T::PACKAGE.name, name }
    }
}

impl LinkedFeatures {
    /// Whether a server has them.
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
static CONSTRUCTOR: extern "C" fn() = answer_if_asked;

/// Runs before `main` in every program that links this crate.
extern "C" fn answer_if_asked() {
    // Without a use of its address the marker would not be in the program.
    std::hint::black_box(&MARKER);
    let Some(path) = std::env::var_os(VARIABLE) else { return };
    // A panic must not leave a function that C code calls.
    let code = match panic::catch_unwind(|| write_answer(Path::new(&path))) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => {
            report(format_args!("cannot write the answer to {}: {error}", Path::new(&path).display()));
            1
        }
        // The hook has reported it.
        Err(_) => 1,
    };
    end(code);
}

#[expect(clippy::disallowed_methods, reason = "before `main` there is nothing to return an exit code to")]
fn end(code: i32) -> ! {
    std::process::exit(code)
}

fn write_answer(path: &Path) -> io::Result<()> {
    // Reports here rather than after the catch: with `panic = "abort"` there is no "after".
    panic::set_hook(Box::new(|panic| {
        let at = panic.location().map(|location| format!(" (panicked at {location})")).unwrap_or_default();
        let subject = SUBJECT.lock().unwrap_or_else(PoisonError::into_inner);
        report(format_args!("{subject}: {}{at}", panic.payload_as_str().unwrap_or("no message")));
    }));
    let answer = serde_json::to_vec(&linked())?;
    // `create_new`: whoever may set a program's environment cannot make it overwrite a file.
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(&answer)
}

/// Everything that is linked, sorted: the linker's order follows neither the source nor the names.
///
/// # Panics
/// If a definition cannot be made.
pub fn linked() -> answer::Answer {
    set_subject("the linked tools cannot be read".to_owned());
    // Tools first, so that a definition that cannot be made is reported by the tool's name.
    let mut tools: Vec<_> = TOOLWRIGHT_TOOLS.iter().map(answer_of_tool).collect();
    let mut toolsets: Vec<_> = TOOLWRIGHT_TOOLSETS.iter().map(answer_of_toolset).collect();
    toolsets.sort_by(|left, right| left.origin.cmp(&right.origin));
    tools.sort_by(|left, right| left.origin.cmp(&right.origin));
    answer::Answer {
        features: linked_features(),
        answer_version: answer::VERSION,
        toolwright: env!("CARGO_PKG_VERSION").to_owned(),
        toolsets,
        tools,
    }
}

/// Everything that is declared beside tools, sorted by place.
///
/// # Panics
/// If a definition cannot be made.
pub fn linked_features() -> Vec<answer::LinkedFeatures> {
    let mut features: Vec<_> = TOOLWRIGHT_FEATURES.iter().map(answer_of_features).collect();
    // One declaration may name several functions, which then have one place.
    features.sort_by(|left, right| (&left.origin, left.kind).cmp(&(&right.origin, right.kind)));
    features
}

fn answer_of_features(features: &LinkedFeatures) -> answer::LinkedFeatures {
    let origin = origin(features.package, features.source);
    set_subject(format!(
        "the {} of `{}`, declared at {origin}, cannot be made",
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
    set_subject(format!("the definitions of the toolset at {origin} cannot be made"));
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
    set_subject(format!("the definition of the tool `{}` at {origin} cannot be made", tool.name));
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

/// What a panic at this moment would prevent, for its report.
static SUBJECT: Mutex<String> = Mutex::new(String::new());

fn set_subject(subject: String) {
    *SUBJECT.lock().unwrap_or_else(PoisonError::into_inner) = subject;
}

/// Writes one line for the person who asked; if standard error is closed, the exit code still tells.
fn report(line: std::fmt::Arguments<'_>) {
    _ = writeln!(io::stderr(), "{line}");
}
