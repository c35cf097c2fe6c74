//! Method and notification names of both directions and all revisions.

/// Negotiates the revision and the capabilities; up to 2025-11-25 (2025-11-25, basic/lifecycle).
pub const INITIALIZE: &str = "initialize";
/// Checks whether the peer is alive; up to 2025-11-25 (2025-11-25, basic/utilities/ping).
pub const PING: &str = "ping";
/// Queries the server's identity and capabilities; since 2026-07-28 (2026-07-28, server/discover).
pub const SERVER_DISCOVER: &str = "server/discover";

/// Lists tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Calls a tool.
pub const TOOLS_CALL: &str = "tools/call";

/// Lists prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// Gets a prompt.
pub const PROMPTS_GET: &str = "prompts/get";

/// Lists resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// Lists resource templates.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// Subscribes to a resource; up to 2025-11-25.
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// Ends a subscription of [`RESOURCES_SUBSCRIBE`]; up to 2025-11-25.
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// Lists the resources below a directory (extension [`SKILLS`](super::extension::SKILLS)).
pub const RESOURCES_DIRECTORY_READ: &str = "resources/directory/read";

/// Completes an argument of a prompt or a resource template.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Sets the minimum log level; up to 2025-11-25.
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// Opens a subscription to notifications; since 2026-07-28 (2026-07-28, basic/patterns/subscriptions).
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";

/// Gets a task (2025-11-25, basic/utilities/tasks; extension [`TASKS`](super::extension::TASKS)).
pub const TASKS_GET: &str = "tasks/get";
/// Sends responses to the input requests of a task (extension [`TASKS`](super::extension::TASKS)).
pub const TASKS_UPDATE: &str = "tasks/update";
/// Cancels a task.
pub const TASKS_CANCEL: &str = "tasks/cancel";
/// Waits for the result of a task; 2025-11-25 only.
pub const TASKS_RESULT: &str = "tasks/result";
/// Lists tasks; 2025-11-25 only.
pub const TASKS_LIST: &str = "tasks/list";

/// Lists skills (extension [`SKILLS`](super::extension::SKILLS)).
pub const SKILLS_LIST: &str = "skills/list";
/// Reads a skill (extension [`SKILLS`](super::extension::SKILLS)).
pub const SKILLS_GET: &str = "skills/get";

/// Asks the client's user to fill in a form or visit a URL. A server request; since 2026-07-28 an input request.
pub const ELICITATION_CREATE: &str = "elicitation/create";
/// Samples a message from the client's model. A server request; since 2026-07-28 an input request.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Lists the client's roots. A server request; since 2026-07-28 an input request.
pub const ROOTS_LIST: &str = "roots/list";

/// The client has completed the handshake; up to 2025-11-25.
pub const INITIALIZED: &str = "notifications/initialized";
/// A request is cancelled.
pub const CANCELLED: &str = "notifications/cancelled";
/// Progress of a request.
pub const PROGRESS: &str = "notifications/progress";
/// A log message.
pub const MESSAGE: &str = "notifications/message";
/// The list of tools has changed.
pub const TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// The list of prompts has changed.
pub const PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// The list of resources or of resource templates has changed.
pub const RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// A resource has changed.
pub const RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// The client's roots have changed; up to 2025-11-25.
pub const ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";
/// A URL elicitation is complete; 2025-11-25 only.
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
/// The notifications that a subscription will receive; since 2026-07-28.
pub const SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// The status of a task has changed (extension [`TASKS`](super::extension::TASKS)).
pub const TASKS_NOTIFICATION: &str = "notifications/tasks";
/// The status of a task has changed; 2025-11-25 only.
pub const TASKS_STATUS: &str = "notifications/tasks/status";
