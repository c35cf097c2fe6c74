//! Limits what is stored of the responses to one call's input requests, in count and bytes, within the limits of the
//! caller and of the server.

use std::sync::{Mutex, PoisonError};

use super::InputRequestError;
use crate::quotas::{Caller, Quotas, Received};

/// The storage for the responses of one call, from its first input request to its end.
#[derive(Debug)]
pub(crate) struct Room {
    max_input_responses: usize,
    max_bytes: usize,
    /// `None` once the call has ended.
    used: Mutex<Option<Used>>,
}

#[derive(Debug)]
struct Used {
    answers: usize,
    bytes: usize,
    received: Received,
}

impl Room {
    /// Creates the storage for one call of `caller`.
    pub(crate) fn new(quotas: &Quotas, caller: &Caller) -> Self {
        let limits = quotas.limits();
        Self::of(limits.max_input_responses, limits.max_input_response_bytes, quotas.receive(caller))
    }

    fn of(max_input_responses: usize, max_bytes: usize, received: Received) -> Self {
        let used = Mutex::new(Some(Used { answers: 0, bytes: 0, received }));
        Self { max_input_responses, max_bytes, used }
    }

    /// Checks whether another input request may be made.
    ///
    /// # Errors
    /// [`InputRequestError::NoRoom`].
    pub(crate) fn check_requests(&self, asked: usize) -> Result<(), InputRequestError> {
        if asked < self.max_input_responses {
            return Ok(());
        }
        Err(InputRequestError::NoRoom(format!(
            "a call may make at most {} input requests; make fewer",
            self.max_input_responses
        )))
    }

    /// Counts responses that are stored from now on.
    ///
    /// # Errors
    /// [`InputRequestError::NoRoom`] if none of them may be stored; [`InputRequestError::Ended`].
    pub(crate) fn take(&self, answers: usize, bytes: usize) -> Result<(), InputRequestError> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let used = used.as_mut().ok_or(InputRequestError::Ended)?;
        let no_room = |why: String| Err(InputRequestError::NoRoom(why));
        if answers > self.max_input_responses - used.answers {
            return no_room(format!(
                "a call may have at most {} responses; make fewer input requests",
                self.max_input_responses
            ));
        }
        if bytes > self.max_bytes - used.bytes {
            let limit = self.max_bytes;
            return no_room(format!(
                "the responses of a call may have {limit} bytes in total; send shorter responses"
            ));
        }
        if !used.received.grow(bytes) {
            return no_room("the server is handling too many messages; try again later".to_owned());
        }
        used.answers += answers;
        used.bytes += bytes;
        Ok(())
    }

    /// Releases everything.
    pub(crate) fn end(&self) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use toolwright_wire::budget::Budget;

    use super::{InputRequestError, Room};
    use crate::quotas::{Caller, Callers, Received};

    /// Ample storage for tests.
    pub(crate) fn ample() -> Room {
        let callers = Callers::of_at_most(9);
        room(&callers, callers.anonymous(), 1_000)
    }

    fn room(callers: &Callers, caller: &Caller, all: usize) -> Room {
        Room::of(20, 100, Received::new(callers, caller, 150, all))
    }

    #[test]
    fn responses_of_a_call_are_limited_in_count_and_bytes() {
        let callers = Callers::of_at_most(9);
        let one = room(&callers, callers.anonymous(), 1_000);
        assert_eq!(one.take(1, 100), Ok(()));
        assert!(matches!(one.take(1, 1), Err(InputRequestError::NoRoom(why)) if why.contains("100 bytes")));
        assert_eq!(one.take(19, 0), Ok(()));
        assert!(
            matches!(one.take(1, 0), Err(InputRequestError::NoRoom(why)) if why.contains("20 responses"))
        );
        assert_eq!(one.check_requests(19), Ok(()));
        assert!(
            matches!(one.check_requests(20), Err(InputRequestError::NoRoom(why)) if why.contains("20 input requests"))
        );
    }

    #[test]
    fn responses_count_for_their_caller_until_the_end() {
        let callers = Callers::of_at_most(9);
        let ada = Caller::new(true, Budget::new(0));
        let (first, second) = (room(&callers, &ada, 1_000), room(&callers, &ada, 1_000));
        assert_eq!(first.take(1, 100), Ok(()));
        assert!(
            matches!(second.take(1, 51), Err(InputRequestError::NoRoom(why)) if why.contains("too many messages"))
        );
        assert_eq!(second.take(1, 50), Ok(()), "rejected responses do not count");
        first.end();
        assert_eq!(first.take(1, 1), Err(InputRequestError::Ended));
        assert_eq!(second.take(1, 50), Ok(()));
        drop(second);
        let (full, other) = (room(&callers, callers.anonymous(), 60), room(&callers, &ada, 60));
        assert_eq!(full.take(1, 60), Ok(()));
        assert!(other.take(1, 1).is_err(), "the limit of all callers");
    }
}
