//! Sessions and streams of legacy servers: started again where they are lost, resumed where they break, ended at the end
//! (2025-11-25, basic/transports "Session Management", "Resumability and Redelivery").

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method};
use tokio::time::{sleep, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{Answer, Ended, LAST_EVENT, media_type};
use super::meet::Met;
use super::{Clock, Http};
use crate::era::Identity;
use crate::error::{ClientError, ErrorKind};
use crate::event::Event;
use crate::message::OutgoingRequest;
use crate::pending::{Reply, RequestFailure, RequestOptions};

/// How long is waited before a stream is resumed, where the server does not say.
pub(super) const RETRY: Duration = Duration::from_secs(1);
/// How often a stream is resumed without anything new on it.
const MAX_RESUMES: usize = 5;
/// How long the end of a session may take.
const FAREWELL: Duration = Duration::from_secs(2);

impl Http {
    /// Replaces a lost session, once for all callers that notice it.
    pub(super) async fn renew(self: &Arc<Self>, lost: u64) -> Result<(), ClientError> {
        let _gate = self.gate.lock().await;
        if self.generation() != lost {
            return Ok(());
        }
        let Some((identity, revision)) = self.lock().handshake.clone() else {
            return Err(self.host.error(ErrorKind::Lost, "its session is gone", "connect again"));
        };
        let met = self.begin(&identity, revision, self.settings.timeout).await?;
        match met {
            Met::Streamable(_) => {
                self.host.emit(Event::Disconnected("its session was lost; a new one was begun".to_owned()));
                Ok(())
            }
            Met::MaybeSse(error) => Err(error),
        }
    }

    /// Waits for the answer on further streams, where the one that was to bring it broke off.
    pub(super) async fn resume(
        self: &Arc<Self>,
        id: u64,
        mut ended: Ended,
        clock: &mut Clock<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<Reply, RequestFailure> {
        let lost = |ended: &Ended| {
            let problem = format!("the answer did not come: {}", ended.why);
            let advice = "check whether the request was executed before you repeat it";
            RequestFailure::Failed(self.host.error(ErrorKind::Lost, problem, advice))
        };
        let mut idle = 0;
        while self.is_legacy() && idle < MAX_RESUMES {
            let Some(last_id) = ended.last_id.clone() else { return Err(lost(&ended)) };
            clock.within(sleep(ended.retry.unwrap_or(RETRY))).await?;
            let mut further = HeaderMap::new();
            let Ok(value) = HeaderValue::from_str(&last_id) else { return Err(lost(&ended)) };
            further.insert(LAST_EVENT, value);
            let nothing = OutgoingRequest::default();
            let opening = self.open(Method::GET, Bytes::new(), &nothing, further);
            let opened = match clock.within(timeout(self.settings.timeout, opening)).await? {
                Ok(Ok(opened)) => opened,
                // It may be back the next time.
                Ok(Err(RequestFailure::Failed(error))) => {
                    idle += 1;
                    error.problem().clone_into(&mut ended.why);
                    continue;
                }
                Ok(Err(other)) => return Err(other),
                Err(_) => return Err(self.late("GET").into()),
            };
            let status = opened.response.status();
            let (head, body) = opened.response.into_parts();
            if !status.is_success() || media_type(&head.headers) != "text/event-stream" {
                ended.why =
                    format!("{}, and the stream was not resumed (status {})", ended.why, status.as_u16());
                return Err(lost(&ended));
            }
            let reader = EventReader::new(self.settings.max_message_bytes);
            match self.read_events(id, body, opened.link, reader, clock, options).await? {
                Answer::Reply { reply, .. } => return Ok(reply),
                Answer::Ended(next) => {
                    idle = if next.last_id.is_some() { 0 } else { idle + 1 };
                    ended.last_id = next.last_id.or(ended.last_id);
                    ended.retry = next.retry.or(ended.retry);
                    ended.why = next.why;
                }
                Answer::Nothing { .. } | Answer::Refused(_) => return Err(lost(&ended)),
            }
        }
        Err(lost(&ended))
    }

    /// Keeps what a new session needs.
    pub(crate) fn remember(&self, identity: &Identity) {
        let mut state = self.lock();
        state.handshake = state.revision.map(|revision| (Arc::new(identity.clone()), revision));
    }

    /// Ends the session, if there is one.
    pub(crate) async fn end(self: &Arc<Self>) {
        let session = {
            let mut state = self.lock();
            state.listener.take().inspect(tokio::task::AbortHandle::abort);
            state.session.clone()
        };
        if session.is_none() || !self.settings.terminates {
            return;
        }
        let nothing = OutgoingRequest::default();
        let ending = self.open(Method::DELETE, Bytes::new(), &nothing, HeaderMap::new());
        // A server may not allow it (405), and one that is gone needs no farewell.
        _ = timeout(FAREWELL, ending).await;
        self.lock().session = None;
    }
}
