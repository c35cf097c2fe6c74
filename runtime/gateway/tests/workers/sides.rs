//! The two ends of a way to workers, as the tests need them.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use toolwright_gateway::calls::{Call, CallBus, CallRecord, CallState, Claim, Finish};

/// A bus as a gateway has it, and as a worker elsewhere has it: where a bus is of one process, the same one.
pub(crate) struct Sides {
    pub(crate) gateway: Arc<dyn CallBus>,
    pub(crate) worker: Arc<dyn CallBus>,
    /// What must live as long as the test, such as a server.
    pub(crate) _keep: Box<dyn Any + Send>,
}

impl Sides {
    /// With the worker `w` in the pool `p`.
    pub(crate) async fn with_worker(self) -> Self {
        self.worker.announce("p", "w", true).await.unwrap();
        self
    }

    pub(crate) async fn submit(&self, id: &str, is_repeatable: bool) {
        self.gateway.submit("p", call(id, is_repeatable)).await.unwrap();
    }

    /// Claims what waits; fails if nothing does.
    pub(crate) async fn claim(&self) -> Claim {
        let claimed = tokio::time::timeout(self.a_while(), self.worker.claim("p", "w"));
        claimed.await.expect("a call should wait in the pool").unwrap()
    }

    /// Fails if something waits.
    pub(crate) async fn expect_no_call(&self) {
        let claimed = tokio::time::timeout(Duration::from_millis(300), self.worker.claim("p", "w"));
        assert!(claimed.await.is_err(), "no call should wait in the pool");
    }

    pub(crate) async fn finish(&self, claim: &Claim, text: &str) -> bool {
        self.worker.finish(&claim.call.id, &claim.lease, Finish::Result(raw(text))).await.unwrap()
    }

    /// Lets all leases end.
    pub(crate) async fn outlive_leases(&self) {
        // The worker says that it is there, so that calls can be submitted.
        tokio::time::sleep(self.gateway.lease() + Duration::from_millis(50)).await;
        self.worker.announce("p", "w", true).await.unwrap();
    }

    /// Waits for the end of a call.
    pub(crate) async fn end_of(&self, id: &str) -> CallRecord {
        end_of(&*self.gateway, id, self.a_while()).await
    }

    /// Longer than anything takes: a call that must be made three times, and the breaks between.
    pub(crate) fn a_while(&self) -> Duration {
        self.gateway.lease() * 8 + Duration::from_secs(5)
    }
}

pub(crate) async fn end_of(bus: &dyn CallBus, id: &str, within: Duration) -> CallRecord {
    let end = async {
        let mut seen = 0;
        loop {
            let record = bus.wait(id, seen).await.unwrap();
            assert!(record.version > seen, "{record:?} is not newer than {seen}");
            if record.state.is_final() {
                return record;
            }
            seen = record.version;
        }
    };
    tokio::time::timeout(within, end).await.expect("the call should end")
}

pub(crate) fn call(id: &str, is_repeatable: bool) -> Call {
    let mut call = Call::new(id.to_owned(), "node".to_owned(), "count".to_owned(), raw("{}"), later(600));
    call.is_repeatable = is_repeatable;
    call
}

/// In so many seconds, in milliseconds since 1970.
pub(crate) fn later(seconds: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(now.as_millis()).unwrap() + seconds * 1_000
}

pub(crate) fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// The result of a call that is done.
pub(crate) fn result_of(record: &CallRecord) -> &str {
    match &record.state {
        CallState::Done { result } => result.get(),
        other => panic!("the call should be done, it is {other:?}"),
    }
}

/// Tests with an attribute, each a function that takes what an expression makes.
macro_rules! tests {
    ($attribute:meta, $made:expr, $module:ident: $($name:ident)+) => {
        $(
            #[$attribute]
            async fn $name() {
                crate::$module::$name($made.await).await;
            }
        )+
    };
}
pub(crate) use tests;

/// The same, each a function that takes a function, which makes stores within limits.
macro_rules! limited {
    ($attribute:meta, $make:expr, $module:ident: $($name:ident)+) => {
        $(
            #[$attribute]
            async fn $name() {
                crate::$module::$name($make).await;
            }
        )+
    };
}
pub(crate) use limited;
