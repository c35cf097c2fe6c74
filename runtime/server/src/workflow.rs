//! Toolsets of a workflow: the standard parameters `command` and `workitem_path` on every tool (F-05, F-12).

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolwright_core::definition::is_within;
use toolwright_core::result::ToolResult;

use crate::context::Context;
use crate::router::{Entry, Run, Started};

/// The entry with the standard parameters taken out of its calls.
pub(crate) fn entry(entry: Entry, context: Option<&'static str>) -> Entry {
    let name = entry.definition.name.clone();
    Entry { run: Box::new(WithStandardParameters { name, context, inner: entry.run }), ..entry }
}

/// Reads the standard parameters and hands on the rest.
#[derive(Debug)]
struct WithStandardParameters {
    name: String,
    context: Option<&'static str>,
    inner: Box<dyn Run>,
}

impl Run for WithStandardParameters {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        let mut members: Map<String, Value> = match arguments.map(|text| serde_json::from_str(text.get())) {
            None => Map::new(),
            Some(Ok(members)) => members,
            Some(Err(_)) => return self.inner.start(arguments, cx),
        };
        if let Some(problem) = self.problem(members.shift_remove("command").as_ref()) {
            return Started::Ready(ToolResult::error(problem));
        }
        let path = match members.shift_remove("workitem_path") {
            None | Some(Value::Null) => cx.context_path().map(str::to_owned),
            Some(Value::String(path)) => Some(path),
            Some(_) => {
                return Started::Ready(ToolResult::error(
                    "/workitem_path: expected a string such as `orders/42`",
                ));
            }
        };
        if let Some(problem) = self.out_of_context(path.as_deref()) {
            return Started::Ready(ToolResult::error(problem));
        }
        let Ok(rest) = to_raw_value(&members) else {
            return self.inner.start(arguments, cx);
        };
        self.inner.start(Some(&rest), &cx.in_context(path))
    }
}

impl WithStandardParameters {
    /// `command` is required and names the tool, as the schema says.
    fn problem(&self, command: Option<&Value>) -> Option<String> {
        match command.and_then(Value::as_str) {
            Some(command) if command == self.name => None,
            _ => Some(format!("/command: expected \"{}\"", self.name)),
        }
    }

    fn out_of_context(&self, path: Option<&str>) -> Option<String> {
        let own = self.context?;
        let path = path.unwrap_or_default();
        (!is_within(path, own)).then(|| {
            format!(
                "/workitem_path: `{}` belongs to the context `{own}`, and the call is made in `{path}`",
                self.name
            )
        })
    }
}
