//! Toolsets of a workflow, whose tools all have the standard parameters `command` and `workitem_path`.

use std::fmt::Write as _;

use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::definition::is_within;
use toolwright_core::json::each_member;
use toolwright_core::result::ToolResult;

use crate::context::Context;
use crate::message::string;
use crate::tool::{Run, Started, ToolEntry};

/// Wraps an entry so that the standard parameters are removed from its calls.
pub(crate) fn entry(entry: ToolEntry, context: Option<&'static str>) -> ToolEntry {
    let name = entry.definition.name.clone();
    ToolEntry { run: Box::new(WithStandardParameters { name, context, inner: entry.run }), ..entry }
}

/// Reads the standard parameters, and passes the other arguments on.
#[derive(Debug)]
struct WithStandardParameters {
    name: String,
    context: Option<&'static str>,
    inner: Box<dyn Run>,
}

impl Run for WithStandardParameters {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        match self.take_out(arguments, cx) {
            Ok((rest, path)) => self.inner.start(Some(&rest), &cx.in_context(path)),
            Err(problem) => Started::Ready(ToolResult::error(problem).into()),
        }
    }
}

impl WithStandardParameters {
    /// Splits the arguments into the context that the standard parameters name, and the others as written.
    fn take_out(
        &self,
        arguments: Option<&RawValue>,
        cx: &Context,
    ) -> Result<(Box<RawValue>, Option<String>), String> {
        let (mut command, mut path, mut rest) = (None, None, String::from("{"));
        let read = each_member(arguments.map_or("{}", RawValue::get), |name, value| {
            let taken = match &*name {
                "command" => &mut command,
                "workitem_path" => &mut path,
                _ => {
                    let separator = if rest.len() > 1 { "," } else { "" };
                    let name = Value::from(name);
                    // Writing to a string cannot fail.
                    let _ = write!(rest, "{separator}{name}:{value}");
                    return Ok(());
                }
            };
            if taken.replace(value).is_some() {
                Err("a standard parameter appears more than once")
            } else {
                Ok(())
            }
        });
        rest.push('}');
        let rest =
            read.and_then(|()| RawValue::from_string(rest)).map_err(|error| format!("arguments: {error}"))?;
        // Required, and must name the tool, as the schema says.
        if command.and_then(string).is_none_or(|command| command != self.name) {
            return Err(format!("/command: expected \"{}\"", self.name));
        }
        let path = match path.filter(|path| path.get() != "null") {
            None => cx.context_path().map(str::to_owned),
            Some(path) => {
                let path = string(path).ok_or("/workitem_path: expected a string such as `orders/42`")?;
                Some(path.into_owned())
            }
        };
        self.out_of_context(path.as_deref()).map_or(Ok((rest, path)), Err)
    }

    fn out_of_context(&self, path: Option<&str>) -> Option<String> {
        let own = self.context?;
        let path = path.unwrap_or_default();
        (!is_within(path, own)).then(|| {
            format!(
                "/workitem_path: `{}` belongs to the context `{own}`, but the call is made in `{path}`",
                self.name
            )
        })
    }
}
