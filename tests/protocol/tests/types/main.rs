//! Types of `core::protocol` round-trip every definition in the specification's schemas.

mod generate;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use test_protocol::validation::SCHEMAS;
use toolwright_core::protocol::{self as p, Message, Outcome, Page};

use generate::Generator;

/// The number of values per definition.
const SAMPLES: u64 = 60;

/// Reads a value and writes it again.
type Again = fn(&str) -> Result<Value, serde_json::Error>;

fn again<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::to_value(serde_json::from_str::<T>(text)?)
}

/// The type of a definition.
#[expect(clippy::too_many_lines, reason = "a table")]
fn type_of(revision: &str, definition: &str) -> Option<Again> {
    let is_modern = revision == "2026-07-28";
    Some(match definition {
        // Messages.
        "JSONRPCMessage" if matches!(revision, "2025-03-26") => return None,
        "JSONRPCBatchRequest" | "JSONRPCBatchResponse" => again::<Vec<Message>>,
        "JSONRPCMessage"
        | "JSONRPCRequest"
        | "JSONRPCNotification"
        | "JSONRPCResponse"
        | "JSONRPCError"
        | "JSONRPCResultResponse"
        | "JSONRPCErrorResponse"
        | "HeaderMismatchError"
        | "MissingRequiredClientCapabilityError"
        | "UnsupportedProtocolVersionError"
        | "URLElicitationRequiredError" => again::<Message>,
        "RequestId" | "ProgressToken" => again::<p::RequestId<'static>>,
        "Error"
        | "ParseError"
        | "InvalidRequestError"
        | "MethodNotFoundError"
        | "InvalidParamsError"
        | "InternalError" => again::<p::ErrorObject>,
        // Since 2026-07-28 these are input requests, and no messages.
        "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" | "InputRequest" if is_modern => {
            again::<p::InputRequest>
        }
        "InputRequests" => again::<p::InputRequests>,
        "InputResponses" => again::<p::InputResponses>,
        "InputRequiredResult" => again::<p::InputRequiredResult>,
        "InputResponseRequestParams" => again::<p::InputResponseParams>,

        "Implementation" => again::<p::Implementation>,
        "ClientCapabilities" => again::<p::ClientCapabilities>,
        "ServerCapabilities" => again::<p::ServerCapabilities>,
        "InitializeRequestParams" => again::<p::InitializeParams>,
        "InitializeResult" => again::<p::InitializeResult>,
        "DiscoverResult" => again::<p::DiscoverResult>,
        "RequestParams" | "ResourceRequestParams" => again::<p::RequestParams>,
        "RequestMetaObject" => again::<p::RequestMeta>,
        "NotificationParams" => again::<p::NotificationParams>,
        "NotificationMetaObject" | "SubscriptionsListenResultMetaObject" => again::<p::NotificationMeta>,
        "Result" | "EmptyResult" | "CacheableResult" | "PaginatedResult" => again::<p::EmptyResult>,
        "ResultType" => again::<p::ResultType>,
        "CancelledNotificationParams" => again::<p::CancelledParams>,
        "ProgressNotificationParams" => again::<p::ProgressParams>,
        "LoggingLevel" => again::<p::LogLevel>,
        "LoggingMessageNotificationParams" => again::<p::LogMessage>,
        "SetLevelRequestParams" => again::<p::SetLevelParams>,

        "PaginatedRequestParams" => again::<p::PageParams>,
        "ListToolsResult" => again::<Page<p::ToolDefinition>>,
        "ListPromptsResult" => again::<Page<p::Prompt>>,
        "ListResourcesResult" => again::<Page<p::Resource>>,
        "ListResourceTemplatesResult" => again::<Page<p::ResourceTemplate>>,
        "ListTasksResult" => again::<Page<p::Task>>,

        "Tool" => again::<p::ToolDefinition>,
        "ToolAnnotations" => again::<p::ToolAnnotations>,
        "Icon" => again::<p::Icon>,
        "CallToolRequestParams" => again::<p::CallToolParams>,
        "CallToolResult" => again::<Outcome<p::ToolResult>>,
        "Prompt" => again::<p::Prompt>,
        "PromptArgument" => again::<p::PromptArgument>,
        "PromptMessage" => again::<p::PromptMessage>,
        "GetPromptRequestParams" => again::<p::GetPromptParams>,
        "GetPromptResult" => again::<Outcome<p::PromptResult>>,
        "Resource" => again::<p::Resource>,
        "ResourceTemplate" => again::<p::ResourceTemplate>,
        "TextResourceContents" | "BlobResourceContents" => again::<p::ResourceContents>,
        "ReadResourceRequestParams" => again::<p::ReadResourceParams>,
        "ReadResourceResult" => again::<Outcome<p::ResourceResult>>,
        "SubscribeRequestParams" | "UnsubscribeRequestParams" => again::<p::SubscribeParams>,
        "ResourceUpdatedNotificationParams" => again::<p::ResourceUpdatedParams>,

        "ContentBlock" | "TextContent" | "ImageContent" | "AudioContent" | "ResourceLink"
        | "EmbeddedResource" => again::<p::ContentBlock>,
        "Annotations" => again::<p::Annotations>,
        "Role" => again::<p::Role>,

        "CompleteRequestParams" => again::<p::CompleteParams>,
        "CompleteResult" => again::<p::CompleteResult>,
        "PromptReference" | "ResourceReference" | "ResourceTemplateReference" => {
            again::<p::CompletionReference>
        }

        "SubscriptionFilter" => again::<p::SubscriptionFilter>,
        "SubscriptionsListenRequestParams" => again::<p::ListenParams>,
        "SubscriptionsListenResult" => again::<p::ListenResult>,
        "SubscriptionsAcknowledgedNotificationParams" => again::<p::AcknowledgedParams>,

        "ElicitRequestParams" | "ElicitRequestFormParams" | "ElicitRequestURLParams" => {
            again::<p::ElicitParams>
        }
        "ElicitResult" => again::<p::ElicitResult>,
        "CreateMessageRequestParams" => again::<p::CreateMessageParams>,
        "CreateMessageResult" => again::<p::CreateMessageResult>,
        "SamplingMessage" => again::<p::SamplingMessage>,
        "SamplingMessageContentBlock" | "ToolUseContent" | "ToolResultContent" => again::<p::SamplingBlock>,
        "ModelPreferences" => again::<p::ModelPreferences>,
        "ModelHint" => again::<p::ModelHint>,
        "ToolChoice" => again::<p::ToolChoice>,
        "Root" => again::<p::Root>,
        "ListRootsResult" => again::<p::ListRootsResult>,

        "Task" | "GetTaskResult" | "CancelTaskResult" | "TaskStatusNotificationParams" => again::<p::Task>,
        "TaskStatus" => again::<p::TaskStatus>,
        "TaskMetadata" => again::<p::TaskRequest>,
        "RelatedTaskMetadata" => again::<p::RelatedTask>,
        "CreateTaskResult" => again::<p::CreateTaskResult>,
        _ => return None,
    })
}

/// Definitions without a separate type, and why.
fn is_left_out(revision: &str, definition: &str) -> bool {
    matches!(
        definition,
        // Bases that others extend, and their parts.
        "Annotated" | "BaseMetadata" | "Icons" | "ResourceContents" | "TaskAugmentedRequestParams" | "MetaObject"
            | "ResultMetaObject" | "Request" | "Notification"
        // Any JSON.
            | "JSONValue" | "JSONArray" | "JSONObject" | "Cursor" | "GetTaskPayloadResult"
        // Forms are stored as JSON Schema, for which `core::schema` has types.
            | "PrimitiveSchemaDefinition" | "StringSchema" | "NumberSchema" | "BooleanSchema" | "EnumSchema"
            | "SingleSelectEnumSchema" | "MultiSelectEnumSchema" | "TitledSingleSelectEnumSchema"
            | "UntitledSingleSelectEnumSchema" | "TitledMultiSelectEnumSchema" | "UntitledMultiSelectEnumSchema"
            | "LegacyTitledEnumSchema"
        // A part of a definition that is preserved among the other members.
            | "ToolExecution"
        // Nothing but the request tells them apart.
            | "InputResponse" | "ClientResult" | "ServerResult"
    ) || definition.ends_with("ResultResponse")
        // A union with batches, which are lists of messages.
        || (revision == "2025-03-26" && definition == "JSONRPCMessage")
}

/// A message of a method, by its name: its parameters have a type as well where they are a definition.
fn is_message(definition: &str) -> bool {
    definition.ends_with("Request") || definition.ends_with("Notification")
}

#[test]
fn definitions_round_trip() {
    for (revision, text) in SCHEMAS {
        let schema: Value = serde_json::from_str(text).expect("JSON");
        let definitions = schema.get("$defs").or_else(|| schema.get("definitions")).expect("definitions");
        for (name, definition) in definitions.as_object().expect("an object") {
            let again = match type_of(revision, name) {
                Some(again) => again,
                None if is_left_out(revision, name) => continue,
                None if is_message(name) => message_again,
                None => panic!("{revision} {name} has no type"),
            };
            for seed in 0..SAMPLES {
                let mut value = Generator::new(definitions, seed).value(definition);
                complete(revision, name, &mut value);
                let text = value.to_string();
                let written =
                    again(&text).unwrap_or_else(|error| panic!("{revision} {name}: {error} in {value:#}"));
                let (read, written) = (canonical(value), canonical(written));
                assert_eq!(read, written, "{revision} {name}");
            }
        }
    }
}

/// What the schemas leave out: up to 2025-06-18 they describe messages without their envelope.
fn complete(revision: &str, name: &str, value: &mut Value) {
    let Some(members) = value.as_object_mut() else { return };
    // A result of another type is either read as that type or rejected.
    if matches!(name, "CallToolResult" | "GetPromptResult" | "ReadResourceResult")
        && members.contains_key("resultType")
    {
        members.insert("resultType".to_owned(), json!("complete"));
    }
    let is_input_request = revision == "2026-07-28"
        && matches!(name, "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" | "InputRequest");
    if is_message(name) && !is_input_request {
        members.insert("jsonrpc".to_owned(), json!("2.0"));
        if name.ends_with("Request") {
            members.entry("id").or_insert(json!(1));
        } else {
            members.remove("id");
        }
    }
}

/// A message, and its parameters as the type that they are of.
fn message_again(text: &str) -> Result<Value, serde_json::Error> {
    let message: Message = serde_json::from_str(text)?;
    let mut written = serde_json::to_value(&message)?;
    let (method, params) = match &message {
        Message::Request(request) => (&request.method, &request.params),
        Message::Notification(notification) => (&notification.method, &notification.params),
        Message::Response(_) => panic!("no response: {text}"),
    };
    if let Some(params) = params {
        written["params"] = typed(method, params.get())?;
    }
    Ok(written)
}

/// The parameters of a method, as its type reads and writes them.
fn typed(method: &str, params: &str) -> Result<Value, serde_json::Error> {
    use p::method as m;
    let again: Again = match method {
        m::INITIALIZE => again::<p::InitializeParams>,
        m::PING | m::SERVER_DISCOVER | m::ROOTS_LIST => again::<p::RequestParams>,
        m::TOOLS_LIST | m::PROMPTS_LIST | m::RESOURCES_LIST | m::RESOURCES_TEMPLATES_LIST | m::TASKS_LIST => {
            again::<p::PageParams>
        }
        m::TOOLS_CALL => again::<p::CallToolParams>,
        m::PROMPTS_GET => again::<p::GetPromptParams>,
        m::RESOURCES_READ => again::<p::ReadResourceParams>,
        m::RESOURCES_SUBSCRIBE | m::RESOURCES_UNSUBSCRIBE => again::<p::SubscribeParams>,
        m::COMPLETION_COMPLETE => again::<p::CompleteParams>,
        m::LOGGING_SET_LEVEL => again::<p::SetLevelParams>,
        m::SUBSCRIPTIONS_LISTEN => again::<p::ListenParams>,
        m::TASKS_GET | m::TASKS_CANCEL | m::TASKS_RESULT => again::<p::TaskParams>,
        m::ELICITATION_CREATE => again::<p::ElicitParams>,
        m::SAMPLING_CREATE_MESSAGE => again::<p::CreateMessageParams>,
        m::CANCELLED => again::<p::CancelledParams>,
        m::PROGRESS => again::<p::ProgressParams>,
        m::MESSAGE => again::<p::LogMessage>,
        m::INITIALIZED
        | m::TOOLS_LIST_CHANGED
        | m::PROMPTS_LIST_CHANGED
        | m::RESOURCES_LIST_CHANGED
        | m::ROOTS_LIST_CHANGED => again::<p::NotificationParams>,
        m::RESOURCES_UPDATED => again::<p::ResourceUpdatedParams>,
        m::ELICITATION_COMPLETE => again::<p::ElicitationCompleteParams>,
        m::SUBSCRIPTIONS_ACKNOWLEDGED => again::<p::AcknowledgedParams>,
        m::TASKS_STATUS => again::<p::Task>,
        // The page of a method that the schema leaves open.
        _ => again::<p::PageParams>,
    };
    again(params)
}

/// Values that mean the same in one form: an absent list or flag is an empty or a false one where the types say so, and a
/// number is its value.
fn canonical(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, canonical(value)));
            let is_default = |name: &str, value: &Value| match name {
                "icons" | "sizes" | "audience" | "arguments" | "resourceSubscriptions" => *value == json!([]),
                "isError"
                | "required"
                | "toolsListChanged"
                | "promptsListChanged"
                | "resourcesListChanged" => *value == json!(false),
                _ => false,
            };
            Value::Object(members.filter(|(name, value)| !is_default(name, value)).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.into_iter().map(canonical).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other,
    }
}

#[test]
fn invalid_values_are_rejected_without_panics() {
    let hostile = [
        "",
        "nul",
        "1",
        "\"a\"",
        "[]",
        "[1,2,3]",
        "{",
        r#"{"a":1,"a":2}"#,
        r#"{"jsonrpc":"2.0","method":{}}"#,
        r#"{"_meta":1}"#,
        r#"{"type":"text"}"#,
        r#"{"mode":"voice","message":""}"#,
        r#"{"resultType":"later"}"#,
        r#"{"resultType":1}"#,
        r#"{"ref":{"type":"ref/other"}}"#,
        r#"{"role":"system","content":[]}"#,
        r#"{"\ud800":1}"#,
    ];
    let deep = format!("{}1{}", r#"{"content":["#.repeat(10_000), "]}".repeat(10_000));
    for (revision, text) in SCHEMAS {
        let schema: Value = serde_json::from_str(text).expect("JSON");
        let definitions = schema.get("$defs").or_else(|| schema.get("definitions")).expect("definitions");
        for (name, definition) in definitions.as_object().expect("an object") {
            let Some(again) = type_of(revision, name) else { continue };
            for text in hostile.iter().copied().chain([deep.as_str()]) {
                if let Err(error) = again(text) {
                    let error = error.to_string();
                    assert!(!error.is_empty() && error.len() < 2_000, "{revision} {name}: {error}");
                }
            }
            // A member of another type is read as something else or rejected, without a panic.
            for seed in 0..20 {
                let mut value = Generator::new(definitions, seed).value(definition);
                let Some(members) = value.as_object_mut() else { continue };
                let names: Vec<String> = members.keys().cloned().collect();
                for member in names {
                    for wrong in
                        [json!(null), json!(true), json!(-1.5), json!("x"), json!([[]]), json!({"": 0})]
                    {
                        let mut broken = members.clone();
                        broken.insert(member.clone(), wrong);
                        let _ = again(&Value::Object(broken).to_string());
                    }
                }
            }
        }
    }
}

#[test]
fn structs_are_not_read_from_arrays_through_read() {
    let text: Box<serde_json::value::RawValue> = serde_json::from_str("[\"a\"]").expect("JSON");
    assert!(p::read::<p::SubscribeParams>(Some(&text)).is_err());
    assert!(p::read::<p::PageParams>(None).is_ok());
}
