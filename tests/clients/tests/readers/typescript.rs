//! The types that `cargo mcp manifest --format typescript` writes, read by the TypeScript compiler.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::{cargo_mcp, node_modules, retail};

/// Compiles programs that use the types of a manifest.
struct Compiler {
    folder: tempfile::TempDir,
}

impl Compiler {
    /// With the types of this manifest in `tools.ts`.
    fn new(manifest: &PathBuf) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let types = folder.path().join("tools.ts");
        let [types, manifest] = [&types, manifest].map(|path| path.to_str().expect("the path is UTF-8"));
        let output = cargo_mcp(&["manifest", "--quiet", "--format", "typescript", "--out", types, manifest]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { folder }
    }

    /// The compiler's errors for this program in strict mode; empty if it is valid.
    fn errors(&self, program: &str) -> String {
        let modules = node_modules("typescript");
        let file = self.folder.path().join("program.ts");
        fs::write(&file, program).expect("a file");
        let output = Command::new(modules.join("node/bin/node"))
            .arg(modules.join("typescript/bin/tsc"))
            .args(["--strict", "--noEmit", "--exactOptionalPropertyTypes", "--target", "es2022"])
            .args(["--module", "nodenext"])
            .arg(file)
            .output()
            .expect("Node.js starts");
        let errors = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.success(), errors.is_empty(), "{errors}");
        errors
    }

    #[track_caller]
    fn check(&self, program: &str) {
        let errors = self.errors(program);
        let types = fs::read_to_string(self.folder.path().join("tools.ts")).expect("the types");
        assert!(errors.is_empty(), "{errors}\n{types}");
    }
}

/// A manifest file with these tools.
fn file(folder: &tempfile::TempDir, tools: &Value) -> PathBuf {
    let file = folder.path().join("mcp.json");
    let manifest = json!({
        "manifestVersion": 1,
        "server": {"name": "shop */ \u{2028} // x", "version": "1 */"},
        "tools": tools,
    });
    fs::write(&file, manifest.to_string()).expect("a file");
    file
}

#[test]
fn generated_types_accept_only_valid_calls() {
    let compiler = Compiler::new(&retail());
    let using = |call: &str| {
        format!(
            "import type {{ Tools }} from \"./tools.js\";\nexport const call: Tools[\"cancel_pending_order\"][\"input\"] = {call};\n"
        )
    };
    compiler.check(&using(r##"{ order_id: "#W0000001", reason: "no longer needed" }"##));
    for wrong in [
        r#"{ reason: "no longer needed" }"#,
        r#"{ order_id: 1, reason: "no longer needed" }"#,
        r##"{ order_id: "#W0000001", reason: "because" }"##,
        r##"{ order_id: "#W0000001", reason: "no longer needed", more: 1 }"##,
    ] {
        assert!(compiler.errors(&using(wrong)).contains("error TS"), "{wrong} is taken");
    }
}

/// Names, descriptions and schemas that try to break out of a comment, a string or a type.
#[test]
fn hostile_definitions_make_types_that_compile() {
    let text = "*/ } \" ` ' \\ ${x} \u{2028} \r\n /* // </script> @ts-ignore";
    let properties = json!({
        text: {"type": "string", "description": text, "default": text, "examples": [text, {text: text}]},
        "class": {"type": "integer", "description": text},
        "constructor": {"type": "boolean"},
        "__proto__": {"type": "string"},
        "": {"type": "null"},
        "0": {"enum": [0, -1.5, null, true, text, {"a": [text]}, []]},
        "größe": {"const": text},
        "choice": {"oneOf": [{"type": "string", "pattern": text}, {"type": "object", "properties": {text: {"type": "string"}}}]},
        "both": {"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}}]},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"enum": [text, 1]}], "items": false},
        "rest": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": ["integer", "null"]}},
        "list": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "map": {"type": "object", "additionalProperties": {"type": ["string", "array"], "items": {"type": "string"}}},
        "never": {"not": {}},
        "anything": true,
        "nothing": false,
        "tree": {"$ref": "#/$defs/tree"},
        "self": {"$ref": "#"},
        "elsewhere": {"$ref": "https://example.com/*/"},
        "odd": {"type": text, "required": ["missing"], "x-note": text},
        "odder": {"type": 7, "enum": text, "anyOf": {}},
        "alias": {"$ref": "#/$defs/alias"},
        "ring": {"$ref": "#/%24defs/ring"},
        "nested": {"$ref": "#/$defs/nested"},
        "row": {"$ref": "#/$defs/row"},
    });
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": [text, "class"],
        "$defs": {
            "tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
            "alias": {"$ref": "#/$defs/alias"},
            "ring": {"anyOf": [{"$ref": "#/$defs/rung"}, {"type": "string"}]},
            "rung": {"$ref": "#/$defs/ring"},
            text: {"description": text},
            "1": {"type": "string"},
            "nested": {"type": "object", "additionalProperties": {"$ref": "#/$defs/nested"}},
            "row": {"type": "array", "prefixItems": [{"$ref": "#/$defs/row"}], "items": {"$ref": "#/$defs/row"}},
        },
    });
    let tool = |name: &str| json!({"name": name, "description": text, "inputSchema": schema, "outputSchema": schema});
    let names = [
        "class",
        "delete",
        "1st",
        "find-orders",
        "find_orders",
        "Tools",
        "tools",
        "a.b",
        "string",
        "Record",
        "größe",
    ];
    let tools: Vec<Value> = names.into_iter().map(tool).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = Compiler::new(&file(&folder, &tools.into()));
    compiler.check("import type { Tools } from \"./tools.js\";\nexport type Names = keyof Tools;\n");
}
