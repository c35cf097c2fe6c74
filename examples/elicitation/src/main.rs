//! Notes that are deleted only if the user agrees.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, ServeError, Server, Stdio, Tool, ToolError, input_requests::Elicited};

/// Deletes a note for good, after its owner has agreed.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(destructive)]
struct DeleteNote {
    /// The title of the note.
    title: String,
}

/// The form that the owner sees.
#[derive(Deserialize, JsonSchema)]
struct Consent {
    /// What to do with the note
    choice: Choice,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Choice {
    /// Keep it
    Keep,
    /// Delete it for good
    Delete,
}

struct Notes(Mutex<BTreeMap<String, String>>);

impl Handler<DeleteNote> for Notes {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: DeleteNote, cx: &Context) -> Self::Output {
        let title = input.title;
        let Some(text) = self.read(&title) else {
            return Err(ToolError::new(format!("there is no note `{title}`")));
        };
        // Ask first, then act: with a client of 2026-07-28 this function runs again once the answer has arrived.
        let question = format!("`{title}` says: {text}");
        match cx.elicit::<Consent>("consent", &question).await? {
            Elicited::Accepted(Consent { choice: Choice::Delete }) => {
                self.notes().remove(&title);
                Ok(format!("`{title}` is deleted."))
            }
            Elicited::Accepted(_) | Elicited::Declined => Ok(format!("The user wants to keep `{title}`.")),
            Elicited::Cancelled => Ok(format!("The user did not answer; `{title}` is still there.")),
        }
    }
}

impl Notes {
    fn read(&self, title: &str) -> Option<String> {
        self.notes().get(title).cloned()
    }

    fn notes(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ServeError> {
    let notes = [("tea", "water first"), ("keys", "under the mat")];
    let notes = notes.map(|(title, text)| (title.to_owned(), text.to_owned()));
    Server::new(Notes(Mutex::new(notes.into()))).tools::<DeleteNote>().serve(Stdio).await
}
