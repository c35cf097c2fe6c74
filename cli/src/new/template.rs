//! The templates: which files a package has.

use clap::ValueEnum;

use super::dependency::Dependency;

/// How the created program serves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Template {
    /// Over standard input and output, started by a client
    #[default]
    Stdio,
    /// Over HTTP, as a server of its own
    Http,
    /// Over HTTP, in an axum app
    Axum,
    /// Over stdio, over HTTP, or as a worker of a gateway
    Worker,
}

impl Template {
    /// Returns the files of the package: path and text.
    pub(super) fn files(self, name: &str, dependency: &Dependency) -> [(&'static str, String); 7] {
        let fill = |template: &str| {
            template
                .replace("{readme}", self.readme())
                .replace("{dependencies}", &self.dependencies(dependency))
                .replace("{toolwright_for_tests}", &dependency.to_toml(&["in-process"]))
                .replace("{install}", &dependency.to_ci_step())
                .replace("{crate}", &name.replace('-', "_"))
                .replace("{name}", name)
        };
        [
            ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
            ("README.md", include_str!("template/README.md.txt")),
            ("src/lib.rs", include_str!("template/lib.rs.txt")),
            ("src/main.rs", self.main()),
            ("tests/tools.rs", include_str!("template/tests.rs.txt")),
            ("mcp.json", include_str!("template/mcp.json.txt")),
            (".github/workflows/ci.yml", include_str!("template/ci.yml.txt")),
        ]
        .map(|(path, template)| (path, fill(template)))
    }

    fn main(self) -> &'static str {
        match self {
            Self::Stdio => include_str!("template/stdio.rs.txt"),
            Self::Http => include_str!("template/http.rs.txt"),
            Self::Axum => include_str!("template/axum.rs.txt"),
            Self::Worker => include_str!("template/worker.rs.txt"),
        }
    }

    /// How to run the program, and to configure clients.
    fn readme(self) -> &'static str {
        match self {
            Self::Stdio => include_str!("template/README.stdio.md.txt"),
            Self::Http | Self::Axum => include_str!("template/README.http.md.txt"),
            Self::Worker => include_str!("template/README.worker.md.txt"),
        }
    }

    /// The lines below `[dependencies]`, sorted by name.
    fn dependencies(self, dependency: &Dependency) -> String {
        const AXUM: &str =
            "axum = { version = \"0.8\", default-features = false, features = [\"http1\", \"tokio\"] }\n";
        let (axum, tokio, features): (&str, &str, &[&str]) = match self {
            Self::Stdio => ("", r#""macros", "rt""#, &[]),
            Self::Http => ("", r#""macros", "rt-multi-thread""#, &["http"]),
            Self::Axum => (AXUM, r#""macros", "net", "rt-multi-thread""#, &["axum"]),
            Self::Worker => ("", r#""macros", "rt-multi-thread""#, &["http", "redis"]),
        };
        let toolwright = dependency.to_toml(features);
        format!(
            "{axum}schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\ntokio = {{ version = \"1\", \
             features = [{tokio}] }}\ntoolwright = {toolwright}\n"
        )
    }
}
