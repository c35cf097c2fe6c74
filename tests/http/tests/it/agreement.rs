//! Headers are checked against the very body that is dispatched: its members as strings, its numbers exactly, and
//! nothing that one reader would take for absent (2026-07-28, basic/transports/streamable-http "Server Validation").

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_http::client::Call;
use test_http::lab::{Lab, MODERN, code};
use test_http::sse::SseClient;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Http, HttpConfig, Provider, Server, Service, Tool, ToolError, ToolResult,
    Toolset,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

/// Reads the data of a region.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(allow_unknown)]
struct Open {
    /// Where.
    #[mcp(header = "Region")]
    #[serde(alias = "place")]
    region: Option<String>,
    /// Which.
    #[mcp(header = "Number", minimum = -9_007_199_254_740_991, maximum = 9_007_199_254_740_991)]
    number: Option<i64>,
}

#[derive(Toolset)]
#[mcp(name = "regions", version = "1.0.0", handler = Counting)]
enum Tools {
    Open(Open),
}

/// Counts the calls that came through, of the typed tool and of the provider's.
#[derive(Debug, Clone, Default)]
struct Counting(Arc<AtomicUsize>);

impl Handler<Open> for Counting {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Open, _cx: &Context) -> Self::Output {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(format!("{:?} {:?}", input.region, input.number))
    }
}

impl Provider for Counting {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "number": {"type": "integer", "x-mcp-header": "Number"},
        }});
        [ToolDefinition::new("raw", schema)].into()
    }

    fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Outcome::from_future(async { ToolResult::text("done") })
    }
}

impl Counting {
    fn service(&self) -> Service {
        Server::new(self.clone()).tools::<Tools>().provider(self.clone()).build().expect("a service")
    }

    fn calls(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

fn body(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
    )
}

fn call(lab: &Lab, tool: &str, arguments: &str) -> Call {
    let call = lab.modern("tools/call", &json!({"name": tool}));
    call.raw_body(body(tool, arguments).as_bytes())
}

#[test]
fn ambiguous_arguments_do_not_bypass_header_checks() {
    let counting = Counting::default();
    let lab = Lab::serve(counting.service(), HttpConfig::new());
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for tool in ["open", "raw"] {
        let refused = |headers: &[(&str, &str)], arguments: &str| {
            let call = headers
                .iter()
                .fold(call(&lab, tool, arguments), |call, (name, value)| call.header(name, value));
            assert_eq!(code(call.send()), (400, -32020), "{tool} {headers:?} {arguments}");
        };
        for beside in ["1e400", r#""\ud800""#, &deep] {
            refused(&[], &format!(r#"{{"region":"us","z":{beside}}}"#));
            refused(&[("Mcp-Param-Region", "eu")], &format!(r#"{{"z":{beside},"region":"us"}}"#));
        }
        refused(&[], r#"{"regi\u006fn":"us"}"#);
        refused(&[], r#"{"region":"\ud800"}"#);
        for twice in [r#"{"region":"us","region":"eu"}"#, r#"{"region":"eu","region":"us"}"#] {
            refused(&[("Mcp-Param-Region", "us")], twice);
            refused(&[("Mcp-Param-Region", "eu")], twice);
            refused(&[], twice);
        }
        refused(&[("Mcp-Param-Number", "9007199254740992")], r#"{"number":9007199254740993}"#);
        refused(&[("Mcp-Param-Number", "1")], r#"{"number":1.5}"#);
    }
    assert_eq!(code(call(&lab, "open", r#"{"place":"us"}"#).send()), (400, -32020), "another name of it");
    assert_eq!(counting.calls(), 0, "nothing was run");
}

#[test]
fn requests_that_match_their_headers_run() {
    let counting = Counting::default();
    let lab = Lab::serve(counting.service(), HttpConfig::new());
    for (header, value, arguments) in [
        ("Mcp-Param-Region", "us", r#"{"region":"us"}"#),
        ("Mcp-Param-Region", "us", r#"{"regi\u006fn":"\u0075s"}"#),
        ("Mcp-Param-Number", "42.0", r#"{"number":42}"#),
        ("Mcp-Param-Number", "9007199254740991", r#"{"number":9007199254740991}"#),
    ] {
        for tool in ["open", "raw"] {
            let response = call(&lab, tool, arguments).header(header, value).send();
            assert_eq!(response.status, 200, "{tool} {arguments}");
        }
    }
    let other = call(&lab, "open", r#"{"place":"us","z":1e400}"#).header("Mcp-Param-Region", "us").send();
    assert_eq!(other.status, 200);
    assert_eq!(counting.calls(), 9);
}

#[test]
fn method_and_name_are_compared_as_strings() {
    let counting = Counting::default();
    let lab = Lab::serve(counting.service(), HttpConfig::new());
    let text = body("raw", "{}");
    for (from, to) in [
        ("tools/call", r"tools\/call"),
        ("\"method\":\"t", "\"\\u006dethod\":\"\\u0074"),
        ("\"name\":\"raw\"", r#""n\u0061me":"r\u0061w""#),
        ("2026-07-28", r"2026-07-2\u0038"),
        ("\"jsonrpc\":\"2.0\"", r#""jsonrpc":"\u0032.0""#),
    ] {
        assert!(text.contains(from), "{from}");
        let escaped = text.replacen(from, to, 1);
        let response = call(&lab, "raw", "{}").raw_body(escaped.as_bytes()).send();
        assert_eq!(response.status, 200, "{escaped}");
    }
    assert_eq!(counting.calls(), 5);
    // A header without its member is a mismatch, whatever else is wrong.
    for member in ["", r#""name":null,"#, r#""name":7,"#, r#""name":"\ud800","#] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{member}"arguments":{{}},{META}}}}}"#
        );
        let with_header = call(&lab, "raw", "{}").raw_body(text.as_bytes());
        assert_eq!(code(with_header.clone().send()), (400, -32020), "{member}");
        assert_eq!(code(with_header.without("Mcp-Name").send()), (400, -32602), "{member}");
    }
    assert_eq!(counting.calls(), 5);
}

/// A modern request is checked wherever it stands.
#[test]
fn a_batch_lets_no_modern_request_past_its_headers() {
    let counting = Counting::default();
    let lab = Lab::serve(counting.service(), HttpConfig::new());
    let session = lab.session("2025-03-26");
    let batch = format!(
        r#"[{},{{"jsonrpc":"2.0","id":2,"method":"ping"}},{}]"#,
        body("raw", r#"{"region":"us"}"#),
        body("open", r#"{"region":"us"}"#).replacen("\"id\":1", "\"id\":3", 1)
    );
    let answers = session.post().raw_body(batch.as_bytes()).send().json();
    let codes: Vec<_> =
        (0..3).map(|at| (answers[at]["id"].clone(), answers[at]["error"]["code"].clone())).collect();
    assert_eq!(
        codes,
        [(json!(1), json!(-32020)), (json!(2), json!(null)), (json!(3), json!(-32020))],
        "{answers}"
    );
    let modern = session.post().header("MCP-Protocol-Version", MODERN).raw_body(batch.as_bytes()).send();
    assert_eq!(code(modern), (400, -32600), "the revision has no batches");
    assert_eq!(counting.calls(), 0);
    let legacy = json!([{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "raw", "arguments": {}}}]);
    assert_eq!(session.post().body(&legacy).send().status, 200);
    assert_eq!(counting.calls(), 1);
}

#[test]
fn http_with_sse_checks_headers_of_modern_requests() {
    let counting = Counting::default();
    let lab = Lab::run(counting.service(), Http::with_sse);
    let client = SseClient::initialized(&lab, "2024-11-05");
    let text = body("raw", r#"{"region":"us"}"#);
    let message = || client.message(&json!({})).raw_body(text.as_bytes());
    let version = || message().header("MCP-Protocol-Version", MODERN);
    let named = || version().header("Mcp-Method", "tools/call").header("Mcp-Name", "raw");
    for (case, refused) in [
        ("no header", message()),
        ("no method", version()),
        ("no parameter", named()),
        ("another parameter", named().header("Mcp-Param-Region", "eu")),
    ] {
        assert_eq!(code(refused.send()), (400, -32020), "{case}");
    }
    assert_eq!(counting.calls(), 0);
    assert_eq!(named().header("Mcp-Param-Region", "us").send().status, 202);
}
