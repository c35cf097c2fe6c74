//! HTTP+SSE, the transport of 2024-11-05: one stream brings everything, and each message of the client is a POST to the address
//! that the stream names first (2024-11-05, basic/transports "HTTP with SSE").

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method};
use tokio::task::JoinHandle;
use tokio::time::{sleep_until, timeout};
use toolwright_wire::event_stream::EventReader;

use super::exchange::{Answer, Opened, media_type};
use super::{Clock, Http};
use crate::error::{AFTER_LOSS, ClientError, ErrorKind};
use crate::event::Event;
use crate::message::{self, OutgoingRequest};
use crate::mux::Mux;
use crate::pending::{RequestFailure, RequestOptions, TimeLimit};

/// A stream whose address for messages is known.
struct Stream {
    opened: Opened,
    reader: EventReader,
    /// Where messages are posted.
    back: Arc<Http>,
}

impl Http {
    /// Opens the stream, and drives it until it ends.
    pub(crate) async fn open_sse(self: &Arc<Self>, mux: &Arc<Mux>) -> Result<JoinHandle<()>, ClientError> {
        let stream = match timeout(self.settings.timeout, self.sse_stream()).await {
            Ok(stream) => stream?,
            Err(_) => return Err(self.late("GET")),
        };
        let (http, mux) = (Arc::clone(self), Arc::clone(mux));
        Ok(tokio::spawn(async move { http.drive_sse(stream, &mux).await }))
    }

    async fn sse_stream(self: &Arc<Self>) -> Result<Stream, ClientError> {
        let (nothing, mut refusals) = (OutgoingRequest::default(), 0);
        let mut opened = loop {
            let opening = self.open(Method::GET, Bytes::new(), &nothing, HeaderMap::new());
            let opened = opening.await.map_err(|failure| self.unopened(failure))?;
            let status = opened.response.status();
            if status.is_success() && media_type(opened.response.headers()) == "text/event-stream" {
                break opened;
            }
            let time_limit = TimeLimit::new(self.settings.timeout, self.settings.timeout);
            let timer = pin!(sleep_until(time_limit.deadline()));
            let mut clock = Clock { time_limit, timer, pending_input: &self.host.pending_input };
            let (timeout, max_duration) = (self.settings.timeout, self.settings.timeout);
            let mut options = RequestOptions { timeout, max_duration, on_notice: None, relay: None };
            match self.read(0, opened, &mut clock, &mut options).await {
                Ok(Answer::Refused(refused)) if refusals < super::MAX_REFUSALS => {
                    let again = matches!(refused.status, 401 | 403)
                        && self.authorize_again(&refused, refusals).await?;
                    if !again {
                        return Err(self.refusal(&refused));
                    }
                    refusals += 1;
                }
                Ok(Answer::Refused(refused)) => return Err(self.refusal(&refused)),
                Err(failure) => return Err(self.unopened(failure)),
                Ok(_) => {
                    let problem =
                        format!("{} answered with something that is not a stream of events", self.address());
                    return Err(self.host.error(
                        ErrorKind::Protocol,
                        problem,
                        "check that the address is that of an MCP server",
                    ));
                }
            }
        };
        let mut reader = EventReader::new(self.settings.max_message_bytes);
        loop {
            while let Some(event) = reader.next() {
                let event = event.map_err(|_| self.too_large(self.settings.max_message_bytes))?;
                if event.name == "endpoint" {
                    let back = self.back(&String::from_utf8_lossy(&event.data))?;
                    return Ok(Stream { opened, reader, back });
                }
            }
            let Opened { response, link, .. } = &mut opened;
            let Ok(Some(bytes)) = link.next(response.body_mut()).await else {
                let problem =
                    format!("the stream of {} ended before it named an address for messages", self.address());
                return Err(self.host.error(
                    ErrorKind::Protocol,
                    problem,
                    "check that the address is that of an MCP server",
                ));
            };
            reader.push(&bytes);
        }
    }

    /// The way for messages, which must be on the same server: what authorizes requests goes there too.
    fn back(&self, endpoint: &str) -> Result<Arc<Self>, ClientError> {
        let from = self.address();
        let refuse = |problem: String| {
            self.host.error(ErrorKind::Protocol, problem, "report this to those who make the server")
        };
        let to = from
            .join(endpoint)
            .map_err(|problem| refuse(format!("its address for messages is none: {problem}")))?;
        if !from.has_same_origin(&to) {
            return Err(refuse(format!("its address for messages, {to}, is on another server")));
        }
        Ok(Arc::new(Self::new(Arc::clone(&self.host), to, self.settings.clone())))
    }

    async fn drive_sse(self: Arc<Self>, stream: Stream, mux: &Arc<Mux>) {
        let Stream { mut opened, mut reader, back } = stream;
        let reading = async {
            let Opened { response, link, .. } = &mut opened;
            let body = response.body_mut();
            loop {
                while let Some(event) = reader.next() {
                    let event = match event {
                        Ok(event) => event,
                        Err(large) => {
                            if let Err(error) =
                                mux.receive_oversized(&large.start, self.settings.max_message_bytes)
                            {
                                return error;
                            }
                            continue;
                        }
                    };
                    if matches!(event.name.as_str(), "" | "message")
                        && let Err(error) = mux.receive(&event.data)
                    {
                        return error;
                    }
                }
                let why = match timeout(self.settings.silence, link.next(body)).await {
                    Ok(Ok(Some(bytes))) => {
                        reader.push(&bytes);
                        continue;
                    }
                    Ok(Ok(None)) => "its stream ended".to_owned(),
                    Ok(Err(broken)) => format!("its stream broke off: {broken}"),
                    Err(_) => {
                        format!("its stream was silent for {:?} (`sse_read_timeout`)", self.settings.silence)
                    }
                };
                let problem = format!("it is no longer available: {why}");
                return self.host.error(ErrorKind::Lost, problem, AFTER_LOSS);
            }
        };
        let error = tokio::select! {
            error = reading => error,
            () = post_all(&back, mux) => mux.host.closed_locally(),
        };
        mux.close(&error);
        mux.host.emit(Event::Disconnected(error.problem().to_owned()));
    }

    fn unopened(&self, failure: RequestFailure) -> ClientError {
        match failure {
            RequestFailure::Failed(error) => error,
            RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_) => self.late("GET"),
        }
    }
}

/// Posts what is to be sent, message by message and in order, until nothing more will come.
async fn post_all(back: &Arc<Http>, mux: &Arc<Mux>) {
    let mut lines = Vec::new();
    while poll_fn(|cx| mux.poll_outgoing(&mut lines, cx)).await {
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let mut outcome = Err(back.late("POST"));
            for attempt in 0..super::MAX_REFUSALS {
                outcome = back.post_checked(line.to_vec(), attempt).await;
                if !matches!(outcome, Ok(false)) {
                    break;
                }
            }
            // Without the message there will be no answer to it.
            if let Err(error) = outcome
                && let Some(id) = message::find_id(line)
            {
                mux.fail(id, error);
            }
        }
        lines.clear();
    }
}
