//! The keys of `#[mcp(…)]`, each defined once. `docs/attributes.md` explains them; a test compares the two.

/// One key and how it is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// Examples of its use, for messages.
    pub(crate) forms: &'static [&'static str],
}

/// What an attribute is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Tool,
    Field,
    Toolset,
    Prompt,
    Resource,
    /// A field of a prompt or a resource.
    Argument,
    Icon,
}

impl Place {
    /// All places, in the order in which they are suggested for a key that is unknown elsewhere.
    pub(crate) const ALL: [Self; 7] =
        [Self::Tool, Self::Field, Self::Toolset, Self::Prompt, Self::Resource, Self::Argument, Self::Icon];

    /// The keys that are allowed here.
    pub(crate) fn keys(self) -> &'static [Key] {
        match self {
            Self::Tool => TOOL,
            Self::Field => FIELD,
            Self::Toolset => TOOLSET,
            Self::Prompt => PROMPT,
            Self::Resource => RESOURCE,
            Self::Argument => ARGUMENT,
            Self::Icon => ICON_KEYS,
        }
    }

    /// Describes the place, for messages.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Field => "a field of a tool",
            Self::Toolset => "a toolset",
            Self::Prompt => "a prompt",
            Self::Resource => "a resource",
            Self::Argument => "a field of a prompt or resource",
            Self::Icon => "an `icon(…)`",
        }
    }

    /// Whether `key` is allowed here.
    pub(crate) fn knows(self, key: &str) -> bool {
        self.keys().iter().any(|known| known.name == key)
    }

    /// Describes how `key` is written here.
    pub(crate) fn usage(self, key: &str) -> String {
        let forms = self.keys().iter().filter(|known| known.name == key).flat_map(|known| known.forms);
        let forms: Vec<String> = forms.map(|form| format!("`{form}`")).collect();
        format!("`{key}` is written {}", forms.join(" or "))
    }

    /// An example of a key that is allowed here.
    pub(crate) fn example(self) -> &'static str {
        self.keys()[0].forms[0]
    }
}

pub(crate) const MCP: &str = "mcp";

pub(crate) const ALLOW_UNKNOWN: &str = "allow_unknown";
pub(crate) const AUDIENCE: &str = "audience";
pub(crate) const COMPLETE: &str = "complete";
pub(crate) const CONTEXT: &str = "context";
pub(crate) const CRATE: &str = "crate";
pub(crate) const CREDENTIAL: &str = "credential";
pub(crate) const DESCRIPTION: &str = "description";
pub(crate) const DESTRUCTIVE: &str = "destructive";
pub(crate) const EXAMPLE: &str = "example";
pub(crate) const EXAMPLES: &str = "examples";
pub(crate) const EXCLUSIVE_MAXIMUM: &str = "exclusive_maximum";
pub(crate) const EXCLUSIVE_MINIMUM: &str = "exclusive_minimum";
pub(crate) const FORMAT: &str = "format";
pub(crate) const HANDLER: &str = "handler";
pub(crate) const HEADER: &str = "header";
pub(crate) const ICON: &str = "icon";
pub(crate) const IDEMPOTENT: &str = "idempotent";
pub(crate) const INSTRUCTIONS: &str = "instructions";
pub(crate) const MAXIMUM: &str = "maximum";
pub(crate) const MAX_ITEMS: &str = "max_items";
pub(crate) const MAX_LENGTH: &str = "max_length";
pub(crate) const META: &str = "meta";
pub(crate) const MIME_TYPE: &str = "mime_type";
pub(crate) const MINIMUM: &str = "minimum";
pub(crate) const MIN_ITEMS: &str = "min_items";
pub(crate) const MIN_LENGTH: &str = "min_length";
pub(crate) const MULTIPLE_OF: &str = "multiple_of";
pub(crate) const NAME: &str = "name";
pub(crate) const OPEN_WORLD: &str = "open_world";
pub(crate) const OUTPUT: &str = "output";
pub(crate) const PATTERN: &str = "pattern";
pub(crate) const PRIORITY: &str = "priority";
pub(crate) const READ_ONLY: &str = "read_only";
pub(crate) const SCOPES: &str = "scopes";
pub(crate) const SECRET: &str = "secret";
pub(crate) const SIZE: &str = "size";
pub(crate) const SIZES: &str = "sizes";
pub(crate) const SRC: &str = "src";
pub(crate) const TAGS: &str = "tags";
pub(crate) const TASK: &str = "task";
pub(crate) const THEME: &str = "theme";
pub(crate) const TITLE: &str = "title";
pub(crate) const URI: &str = "uri";
pub(crate) const VERSION: &str = "version";
pub(crate) const WAS: &str = "was";
pub(crate) const WORKFLOW: &str = "workflow";

const TOOL: &[Key] = &[
    Key { name: NAME, forms: &[r#"name = "get_order""#] },
    Key { name: TITLE, forms: &[r#"title = "Order details""#] },
    Key { name: DESCRIPTION, forms: &[r#"description = "Look up an order""#] },
    Key { name: READ_ONLY, forms: &["read_only", "read_only = false"] },
    Key { name: DESTRUCTIVE, forms: &["destructive", "destructive = false"] },
    Key { name: IDEMPOTENT, forms: &["idempotent", "idempotent = false"] },
    Key { name: OPEN_WORLD, forms: &["open_world", "open_world = false"] },
    Key { name: OUTPUT, forms: &["output = Order"] },
    Key { name: SCOPES, forms: &[r#"scopes("orders:read")"#] },
    Key { name: CONTEXT, forms: &[r#"context = "orders""#] },
    Key { name: TAGS, forms: &[r#"tags("orders")"#] },
    Key { name: WAS, forms: &[r#"was("find_order")"#] },
    Key { name: TASK, forms: &["task", "task = false", r#"task = "required""#] },
    Key { name: ALLOW_UNKNOWN, forms: &["allow_unknown", "allow_unknown = false"] },
    Key { name: ICON, forms: &[r#"icon(src = "https://example.com/order.png")"#] },
    Key { name: META, forms: &[r#"meta("com.example/team" = "orders")"#] },
    Key { name: CRATE, forms: &["crate = toolwright"] },
];

const FIELD: &[Key] = &[
    Key { name: TITLE, forms: &[r#"title = "Order id""#] },
    Key { name: DESCRIPTION, forms: &[r#"description = "Where to send it""#] },
    Key { name: PATTERN, forms: &[r#"pattern = r"^[A-Z]\d+$""#] },
    Key { name: FORMAT, forms: &[r#"format = "email""#] },
    Key { name: MIN_LENGTH, forms: &["min_length = 1"] },
    Key { name: MAX_LENGTH, forms: &["max_length = 80"] },
    Key { name: MINIMUM, forms: &["minimum = 1"] },
    Key { name: MAXIMUM, forms: &["maximum = 100"] },
    Key { name: EXCLUSIVE_MINIMUM, forms: &["exclusive_minimum = 0"] },
    Key { name: EXCLUSIVE_MAXIMUM, forms: &["exclusive_maximum = 1.5"] },
    Key { name: MULTIPLE_OF, forms: &["multiple_of = 5"] },
    Key { name: MIN_ITEMS, forms: &["min_items = 1"] },
    Key { name: MAX_ITEMS, forms: &["max_items = 10"] },
    Key { name: EXAMPLE, forms: &[r#"example = "A1""#] },
    Key { name: EXAMPLES, forms: &[r#"examples("A1", "B2")"#] },
    Key { name: HEADER, forms: &[r#"header = "Region""#] },
    Key { name: SECRET, forms: &["secret", "secret = false"] },
    Key { name: CREDENTIAL, forms: &["credential", "credential = false"] },
];

const TOOLSET: &[Key] = &[
    Key { name: NAME, forms: &[r#"name = "shop""#] },
    Key { name: VERSION, forms: &[r#"version = "1.0.0""#] },
    Key { name: TITLE, forms: &[r#"title = "The shop""#] },
    Key { name: INSTRUCTIONS, forms: &[r#"instructions = "Look up an order before you change it""#] },
    Key { name: HANDLER, forms: &["handler = Shop"] },
    Key { name: WORKFLOW, forms: &["workflow", "workflow = false"] },
    Key { name: CRATE, forms: &["crate = toolwright"] },
];

const PROMPT: &[Key] = &[
    Key { name: NAME, forms: &[r#"name = "review_code""#] },
    Key { name: TITLE, forms: &[r#"title = "Review code""#] },
    Key { name: DESCRIPTION, forms: &[r#"description = "Asks for a review""#] },
    Key { name: SCOPES, forms: &[r#"scopes("code:read")"#] },
    Key { name: ICON, forms: &[r#"icon(src = "https://example.com/review.png")"#] },
    Key { name: META, forms: &[r#"meta("com.example/team" = "tools")"#] },
    Key { name: CRATE, forms: &["crate = toolwright"] },
];

const RESOURCE: &[Key] = &[
    Key { name: URI, forms: &[r#"uri = "tickets://open""#, r#"uri = "tickets://{id}""#] },
    Key { name: NAME, forms: &[r#"name = "ticket""#] },
    Key { name: TITLE, forms: &[r#"title = "A ticket""#] },
    Key { name: DESCRIPTION, forms: &[r#"description = "A ticket with its comments""#] },
    Key { name: MIME_TYPE, forms: &[r#"mime_type = "text/markdown""#] },
    Key { name: SIZE, forms: &["size = 1024"] },
    Key { name: AUDIENCE, forms: &[r#"audience("user", "assistant")"#] },
    Key { name: PRIORITY, forms: &["priority = 0.8"] },
    Key { name: SCOPES, forms: &[r#"scopes("tickets:read")"#] },
    Key { name: ICON, forms: &[r#"icon(src = "https://example.com/ticket.png")"#] },
    Key { name: META, forms: &[r#"meta("com.example/team" = "support")"#] },
    Key { name: CRATE, forms: &["crate = toolwright"] },
];

const ARGUMENT: &[Key] = &[
    Key { name: TITLE, forms: &[r#"title = "Language""#] },
    Key { name: DESCRIPTION, forms: &[r#"description = "The language of the code""#] },
    Key { name: COMPLETE, forms: &["complete = complete_language"] },
    Key { name: PATTERN, forms: &[r#"pattern = r"^[A-Z]\d+$""#] },
    Key { name: FORMAT, forms: &[r#"format = "email""#] },
    Key { name: MIN_LENGTH, forms: &["min_length = 1"] },
    Key { name: MAX_LENGTH, forms: &["max_length = 80"] },
    Key { name: MINIMUM, forms: &["minimum = 1"] },
    Key { name: MAXIMUM, forms: &["maximum = 100"] },
    Key { name: EXCLUSIVE_MINIMUM, forms: &["exclusive_minimum = 0"] },
    Key { name: EXCLUSIVE_MAXIMUM, forms: &["exclusive_maximum = 1.5"] },
    Key { name: MULTIPLE_OF, forms: &["multiple_of = 5"] },
];

const ICON_KEYS: &[Key] = &[
    Key { name: SRC, forms: &[r#"src = "https://example.com/order.png""#] },
    Key { name: MIME_TYPE, forms: &[r#"mime_type = "image/png""#] },
    Key { name: SIZES, forms: &[r#"sizes = ["48x48"]"#] },
    Key { name: THEME, forms: &[r#"theme = "light""#] },
];
