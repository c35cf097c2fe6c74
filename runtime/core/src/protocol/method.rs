//! The names of methods and notifications, in both directions and of all revisions.

/// Negotiates the revision and the capabilities; up to 2025-11-25 (2025-11-25, basic/lifecycle).
pub const INITIALIZE: &str = "initialize";
/// Checks that the peer is there; up to 2025-11-25 (2025-11-25, basic/utilities/ping).
pub const PING: &str = "ping";
/// Asks who the server is and what it offers; since 2026-07-28 (2026-07-28, server/discover).
pub const SERVER_DISCOVER: &str = "server/discover";

/// Lists tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Calls a tool.
pub const TOOLS_CALL: &str = "tools/call";

/// Lists prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// Fills in a prompt.
pub const PROMPTS_GET: &str = "prompts/get";

/// Lists resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// Lists resource templates.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// Asks for notifications about one resource; up to 2025-11-25.
pub const RESOURCES_SUBSCRIBE: &str = "resources/subscribe";
/// Ends what [`RESOURCES_SUBSCRIBE`] began; up to 2025-11-25.
pub const RESOURCES_UNSUBSCRIBE: &str = "resources/unsubscribe";
/// Lists the resources below a directory (extension [`SKILLS`](super::extension::SKILLS)).
pub const RESOURCES_DIRECTORY_READ: &str = "resources/directory/read";

/// Completes an argument of a prompt or a resource template.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Chooses which log messages are sent; up to 2025-11-25.
pub const LOGGING_SET_LEVEL: &str = "logging/setLevel";
/// Opens a subscription to notifications; since 2026-07-28 (2026-07-28, basic/patterns/subscriptions).
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";

/// Asks for a task (2025-11-25, basic/utilities/tasks; extension [`TASKS`](super::extension::TASKS)).
pub const TASKS_GET: &str = "tasks/get";
/// Answers the input requests of a task (extension [`TASKS`](super::extension::TASKS)).
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

/// Asks the client's user to fill in a form or to visit a page. A request of the server, since 2026-07-28 an input
/// request.
pub const ELICITATION_CREATE: &str = "elicitation/create";
/// Asks the client's model for a message. A request of the server, since 2026-07-28 an input request.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Asks for the client's roots. A request of the server, since 2026-07-28 an input request.
pub const ROOTS_LIST: &str = "roots/list";

/// The client has finished the handshake; up to 2025-11-25.
pub const INITIALIZED: &str = "notifications/initialized";
/// A request is cancelled.
pub const CANCELLED: &str = "notifications/cancelled";
/// How far a request has come.
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
/// What the user was to do at a page is done; 2025-11-25 only.
pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
/// What a subscription was granted; since 2026-07-28.
pub const SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
/// A task has changed (extension [`TASKS`](super::extension::TASKS)).
pub const TASKS_NOTIFICATION: &str = "notifications/tasks";
/// A task has changed; 2025-11-25 only.
pub const TASKS_STATUS: &str = "notifications/tasks/status";
