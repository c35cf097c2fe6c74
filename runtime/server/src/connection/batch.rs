//! Batches, which only revision 2025-03-26 has (basic "Batching").

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::revision::Revision;

use super::request::Answer;
use super::{Connection, Later, Taken};
use crate::error;
#[cfg(feature = "http")]
use crate::message::RequestId;
use crate::message::{Envelope, Fault, Malformed};
use crate::reply::AnswerKind;

/// The messages of a batch, each parsed once.
#[derive(Debug)]
pub(crate) struct Batch<'a>(Vec<Result<Envelope<'a>, Malformed<'a>>>);

/// A transport's check of each message in a batch before it is handled.
pub(crate) type MessageCheck<'c> = dyn Fn(&Envelope<'_>) -> Result<(), ErrorObject> + 'c;

impl Batch<'_> {
    /// The requests that the batch cancels, which may precede it.
    #[cfg(feature = "http")]
    pub(crate) fn cancelled(&self) -> impl Iterator<Item = RequestId<'_>> {
        let messages = self.0.iter().flatten();
        messages.filter_map(Envelope::cancelled)
    }
}

impl Connection {
    /// Parses an array of messages, if the peer's revision has batches. Stops reading at the maximum size, and keeps
    /// nothing of a rejected batch.
    pub(crate) fn read_batch<'a>(&self, bytes: &'a [u8]) -> Result<Batch<'a>, ErrorObject> {
        let limit = self.service.limits().max_batch_messages;
        let refused = |why: &str| Err(error::invalid_request(why));
        match self.agreed_revision() {
            Some(Revision::V2025_03_26) => {}
            // Invalid JSON is reported as such first.
            _ if serde_json::from_slice::<IgnoredAny>(bytes).is_err() => {
                return Err(error::malformed(Fault::Syntax, "line"));
            }
            Some(revision) => {
                return refused(&format!(
                    "revision {revision} does not support batches; send each message separately"
                ));
            }
            None => {
                return refused("only revision 2025-03-26 supports batches; send each message separately");
            }
        }
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let read = Elements { limit }.deserialize(&mut deserializer);
        match read.and_then(|messages| deserializer.end().map(|()| messages)) {
            Ok(messages) if messages.is_empty() => refused("a batch must contain at least one message"),
            Ok(messages) => Ok(Batch(
                messages.into_iter().map(|message| Envelope::parse(message.get().as_bytes())).collect(),
            )),
            Err(error) if error.is_data() => {
                refused(&format!("a batch may contain at most {limit} messages"))
            }
            Err(_) => Err(error::malformed(Fault::Syntax, "line")),
        }
    }

    /// Handles the messages of a batch. Appends the array of responses, or returns a future if one of them takes
    /// time. A request that `check` rejects is answered with its error.
    pub(crate) fn take_batch(&self, batch: Batch<'_>, check: &MessageCheck<'_>, out: &mut Vec<u8>) -> Taken {
        let mut answers: Vec<Vec<u8>> = Vec::new();
        let mut waiting: Vec<Later> = Vec::new();
        for message in batch.0 {
            let mut answer = Vec::new();
            match message {
                Err(malformed) => {
                    self.refuse_malformed(&malformed, &mut answer);
                }
                Ok(envelope) => match check(&envelope) {
                    Ok(()) => {
                        if let Taken::Later(later) = self.take_message(envelope, &mut answer) {
                            waiting.push(later);
                        }
                    }
                    Err(_) if envelope.id.is_none() => {}
                    Err(error) => {
                        self.refuse_message(envelope.request_id().as_ref(), &error, &mut answer);
                    }
                },
            }
            if !answer.is_empty() {
                answers.push(answer);
            }
        }
        if waiting.is_empty() {
            write_batch(&answers, out);
            return if answers.is_empty() { Taken::Silent } else { Taken::Answered(AnswerKind::Result) };
        }
        Taken::Later(Box::pin(async move {
            // They run concurrently: each is a task, and all were started above.
            let running: Vec<_> = waiting.into_iter().map(tokio::spawn).collect();
            for task in running {
                answers.extend(task.await.ok().flatten().map(|answer| answer.text));
            }
            let mut text = Vec::new();
            write_batch(&answers, &mut text);
            (!text.is_empty()).then_some(Answer { text, kind: AnswerKind::Result })
        }))
    }
}

/// Writes the responses as one array, or nothing if there are none, as for a batch of notifications.
fn write_batch(answers: &[Vec<u8>], out: &mut Vec<u8>) {
    if answers.is_empty() {
        return;
    }
    out.push(b'[');
    out.extend_from_slice(&answers.join(&b','));
    out.push(b']');
}

/// The elements of an array, up to a limit.
struct Elements {
    limit: usize,
}

impl<'de> DeserializeSeed<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut read = Vec::new();
        while let Some(element) = elements.next_element()? {
            if read.len() == self.limit {
                return Err(A::Error::custom("too many"));
            }
            read.push(element);
        }
        Ok(read)
    }
}
