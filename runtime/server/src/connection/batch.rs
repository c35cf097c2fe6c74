//! Batches: in revision 2025-03-26 only (basic "Batching"); before, JSON-RPC's own rule was not taken up, and
//! 2025-06-18 took them out again.

use serde_json::value::RawValue;
use toolwright_core::revision::Revision;

use super::{Connection, Later};
use crate::error;
use crate::message::Malformed;

impl Connection {
    /// Takes an array of messages. Appends the array of answers, or what to wait for if one of them takes time.
    pub(super) fn receive_batch(&self, bytes: &[u8], out: &mut Vec<u8>) -> Option<Later> {
        let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(bytes) else {
            self.refuse_message(None, &error::malformed(Malformed::Syntax, "line"), out);
            return None;
        };
        let limit = self.service.limits().max_batch_messages;
        let refusal = match self.agreed_revision() {
            Some(Revision::V2025_03_26) if messages.is_empty() => {
                "a batch holds at least one message".to_owned()
            }
            Some(Revision::V2025_03_26) if messages.len() > limit => {
                format!("a batch holds at most {limit} messages")
            }
            Some(Revision::V2025_03_26) => return self.answer_batch(&messages, out),
            Some(revision) => format!("revision {revision} has no batches; send one message a line"),
            None => "only revision 2025-03-26 has batches; send one message a line".to_owned(),
        };
        self.refuse_message(None, &error::invalid_request(&refusal), out);
        None
    }

    fn answer_batch(&self, messages: &[&RawValue], out: &mut Vec<u8>) -> Option<Later> {
        let mut answers: Vec<Vec<u8>> = Vec::new();
        let mut waiting: Vec<Later> = Vec::new();
        for message in messages {
            let mut answer = Vec::new();
            waiting.extend(self.receive_message(message.get().as_bytes(), &mut answer));
            if !answer.is_empty() {
                answers.push(answer);
            }
        }
        if waiting.is_empty() {
            write_batch(&answers, out);
            return None;
        }
        Some(Box::pin(async move {
            // They run side by side: each is a task, and all were started above.
            let running: Vec<_> = waiting.into_iter().map(tokio::spawn).collect();
            for task in running {
                answers.extend(task.await.ok().flatten());
            }
            let mut out = Vec::new();
            write_batch(&answers, &mut out);
            (!out.is_empty()).then_some(out)
        }))
    }
}

/// Writes the answers as one array; nothing where there are none, as for a batch of notifications.
fn write_batch(answers: &[Vec<u8>], out: &mut Vec<u8>) {
    if answers.is_empty() {
        return;
    }
    out.push(b'[');
    out.extend_from_slice(&answers.join(&b','));
    out.push(b']');
}
