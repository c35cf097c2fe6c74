//! Typed tool calls: the struct that derives `Tool` is the call.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toolwright_core::protocol::ToolResult;
use toolwright_core::tool::Tool;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quote};

impl Client {
    /// Calls the tool of `input`, and deserializes its output.
    ///
    /// The struct that derives `Tool` for the server also serves the client, if it derives `Serialize` too. The output
    /// is deserialized from the structured content; without it, from the text, which is JSON or the string itself.
    ///
    /// ```no_run
    /// # use toolwright_client::{Client, ClientError};
    /// # use toolwright_core::tool::Tool;
    /// # #[derive(serde::Deserialize)] struct Order { total: f64 }
    /// # async fn example<GetOrder: Tool + serde::Serialize>(client: Client, get_order: GetOrder) -> Result<(), ClientError> {
    /// let order: Order = client.call_tool(&get_order).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Client::call`]; [`ErrorKind::Tool`] if the tool failed, with its text and [`ClientError::result`];
    /// [`ErrorKind::Protocol`] if the output is not of this type.
    pub async fn call_tool<T, O>(&self, input: &T) -> Result<O, ClientError>
    where
        T: Tool + Serialize,
        O: DeserializeOwned,
    {
        let result = self.call(T::NAME, input).await?;
        self.output(T::NAME, result)
    }

    fn output<O: DeserializeOwned>(&self, tool: &str, result: ToolResult) -> Result<O, ClientError> {
        if result.is_error {
            let problem = format!("its tool `{tool}` failed: {}", quote(&result.as_text()));
            let advice = "correct what the tool reports, and call it again";
            return Err(self.shared.host.error(ErrorKind::Tool, problem, advice).with_result(result));
        }
        read(&result).map_err(|problem| {
            let problem =
                format!("the output of its tool `{tool}` does not have the expected type: {problem}");
            let advice = "check that the server and this program have matching versions";
            self.shared.host.error(ErrorKind::Protocol, problem, advice).with_result(result)
        })
    }
}

fn read<O: DeserializeOwned>(result: &ToolResult) -> Result<O, String> {
    let text = result.as_text();
    let Some(structured) = &result.structured_content else {
        let read = serde_json::from_str(&text);
        return read.or_else(|_| serde_json::from_value(text.into())).map_err(|error| error.to_string());
    };
    let first = match serde_json::from_str(structured.get()) {
        Ok(output) => return Ok(output),
        Err(error) => error,
    };
    // Up to 2025-11-25, other values than objects are wrapped in one.
    let wrapped = serde_json::from_str::<Map<String, Value>>(structured.get()).ok();
    let inner = wrapped.filter(|members| members.len() == 1).and_then(|mut members| members.remove("result"));
    inner.and_then(|inner| serde_json::from_value(inner).ok()).ok_or_else(|| first.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> ToolResult {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_output_is_read_from_structured_content_or_text() {
        assert_eq!(
            read::<Vec<u8>>(&result(r#"{"content": [], "structuredContent": [1, 2]}"#)),
            Ok(vec![1, 2])
        );
        assert_eq!(read::<Vec<u8>>(&result(r#"{"structuredContent": {"result": [1]}}"#)), Ok(vec![1]));
        assert_eq!(read::<u8>(&result(r#"{"content": [{"type": "text", "text": "7"}]}"#)), Ok(7));
        assert_eq!(
            read::<String>(&result(r#"{"content": [{"type": "text", "text": "a b"}]}"#)),
            Ok("a b".to_owned())
        );
        assert!(read::<u8>(&result(r#"{"structuredContent": {"a": 1}}"#)).is_err());
    }
}
