//! What agents can do with the tickets: eight tools, a resource and a prompt.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::input_requests::Elicited;
use toolwright::{Context, Json, Prompt, Resource, Tool, ToolError, handlers};

use crate::store::{Page, Status, Store, Ticket};

/// Opens a ticket.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct CreateTicket {
    /// What it is about, in a few words.
    #[mcp(min_length = 1, max_length = 120)]
    title: String,
    /// Everything that helps to understand it.
    #[mcp(max_length = 4000)]
    details: Option<String>,
}

/// Lists tickets, one page at a time.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub struct ListTickets {
    /// Only tickets with this status.
    status: Option<Status>,
    /// Only tickets of this person.
    assignee: Option<String>,
    /// The `next` of the page before.
    #[serde(default)]
    after: i64,
    /// How many tickets at most.
    #[mcp(minimum = 1, maximum = 100)]
    #[serde(default = "twenty")]
    limit: u32,
}

fn twenty() -> u32 {
    20
}

/// Shows a ticket.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub struct GetTicket {
    /// The ticket's number.
    id: i64,
}

/// Gives a ticket to someone, or to nobody.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent)]
pub struct AssignTicket {
    /// The ticket's number.
    id: i64,
    /// Who works on it; leave it out to take the ticket from its assignee.
    assignee: Option<String>,
}

/// Adds a comment to a ticket.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct AddComment {
    /// The ticket's number.
    id: i64,
    /// The comment.
    #[mcp(min_length = 1, max_length = 4000)]
    text: String,
}

/// Changes the title or the status of a ticket.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent)]
pub struct UpdateTicket {
    /// The ticket's number.
    id: i64,
    /// The new title.
    #[mcp(min_length = 1, max_length = 120)]
    title: Option<String>,
    /// The new status.
    status: Option<Status>,
}

/// Closes all open tickets that have not changed for some time.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent)]
pub struct CloseStaleTickets {
    /// For how many days they have not changed.
    days: u32,
}

/// Deletes a ticket for good, if the user agrees.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(destructive, scopes("tickets:delete"))]
pub struct DeleteTicket {
    /// The ticket's number.
    id: i64,
}

/// The form that the user fills in before a ticket is deleted.
#[derive(Deserialize, JsonSchema)]
struct Consent {
    /// Delete it for good
    delete: bool,
}

/// A ticket as JSON.
#[derive(Debug, Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{id}", mime_type = "application/json")]
pub struct TicketById {
    id: i64,
}

/// Drafts a reply to the person who opened a ticket.
#[derive(Debug, Prompt, Deserialize, JsonSchema)]
pub struct DraftReply {
    /// The ticket's number.
    id: i64,
    /// The tone of the reply.
    tone: Option<Tone>,
}

/// The tone of a reply.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    /// As one writes to a colleague.
    #[default]
    Friendly,
    /// As one writes to an office.
    Formal,
}

/// The help desk.
#[derive(Debug)]
pub struct Desk(pub Store);

#[handlers(
    name = "tickets",
    instructions = "List the tickets before you open one: someone may have reported it already."
)]
impl Desk {
    fn create_ticket(&self, input: CreateTicket) -> anyhow::Result<Json<Ticket>> {
        let comments: Vec<_> = input.details.into_iter().collect();
        Ok(Json(self.0.create(&input.title, &comments)?))
    }

    fn list_tickets(&self, input: ListTickets) -> anyhow::Result<Json<Page>> {
        Ok(Json(self.0.list(input.status, input.assignee.as_deref(), input.after, input.limit)?))
    }

    fn get_ticket(&self, input: GetTicket) -> anyhow::Result<Json<Ticket>> {
        Ok(Json(self.0.get(input.id)?))
    }

    fn assign_ticket(&self, input: AssignTicket) -> anyhow::Result<Json<Ticket>> {
        Ok(Json(self.0.change(input.id, |ticket| ticket.assignee = input.assignee)?))
    }

    fn add_comment(&self, input: AddComment) -> anyhow::Result<Json<Ticket>> {
        Ok(Json(self.0.change(input.id, |ticket| ticket.comments.push(input.text))?))
    }

    fn update_ticket(&self, input: UpdateTicket) -> anyhow::Result<Json<Ticket>> {
        let ticket = self.0.change(input.id, |ticket| {
            ticket.status = input.status.unwrap_or(ticket.status);
            if let Some(title) = input.title {
                ticket.title = title;
            }
        })?;
        Ok(Json(ticket))
    }

    async fn close_stale_tickets(&self, input: CloseStaleTickets, cx: &Context) -> Result<String, ToolError> {
        let stale = self.0.stale(input.days)?;
        let total = u32::try_from(stale.len())?;
        for (count, id) in (1..=total).zip(stale) {
            self.0.change(id, |ticket| ticket.status = Status::Closed)?;
            let message = format!("closed ticket {id}");
            cx.progress(count.into(), Some(total.into()), Some(&message)).await;
        }
        Ok(format!("closed {total} tickets"))
    }

    async fn delete_ticket(&self, input: DeleteTicket, cx: &Context) -> Result<String, ToolError> {
        let ticket = self.0.get(input.id)?;
        let question = format!("Delete ticket {}, “{}”?", ticket.id, ticket.title);
        match cx.elicit::<Consent>("consent", &question).await? {
            Elicited::Accepted(Consent { delete: true }) => {
                self.0.delete(ticket.id)?;
                Ok(format!("ticket {} is deleted", ticket.id))
            }
            _ => Err(ToolError::new(format!("the user wants to keep ticket {}", ticket.id))),
        }
    }

    #[resource]
    fn ticket(&self, input: TicketById) -> anyhow::Result<Option<String>> {
        Ok(self.0.find(input.id)?.map(|ticket| serde_json::json!(ticket).to_string()))
    }

    #[prompt]
    fn draft_reply(&self, input: DraftReply) -> anyhow::Result<String> {
        let Ticket { title, comments, .. } = self.0.get(input.id)?;
        let tone = match input.tone.unwrap_or_default() {
            Tone::Friendly => "friendly",
            Tone::Formal => "formal",
        };
        Ok(format!("Write a {tone} reply about “{title}”. What is known:\n\n{}", comments.join("\n\n")))
    }
}
