//! Counts calls for the limits of rules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::Refusal;
use super::rules::{Per, Rule};

/// Maximum number of callers and tools with counted usage: 10,000. Idle entries are removed if needed; if there
/// are none, further callers are rejected.
pub const MAX_COUNTED: usize = 10_000;

/// Fractions of a token in a bucket.
const MINUTE: f64 = 60.0;

/// Counts calls by rule and unit.
#[derive(Debug, Default)]
pub(crate) struct Usage(Mutex<HashMap<Key, Counted>>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    rule: usize,
    caller: Option<String>,
    tool: Option<String>,
}

#[derive(Debug)]
struct Counted {
    running: u32,
    /// The number of calls that are currently permitted.
    left: f64,
    /// The time of `tokens`.
    at: Instant,
    a_minute: Option<u32>,
}

/// Running calls; dropping it ends them.
#[derive(Debug, Default)]
pub(crate) struct Used {
    usage: Option<Arc<Usage>>,
    running: Vec<Key>,
}

impl Usage {
    /// Counts a call, unless a rule rejects it: then nothing is counted.
    pub(crate) fn begin<'a>(
        self: &Arc<Self>,
        rules: impl Iterator<Item = (usize, &'a Rule)>,
        caller: &str,
        tool: &str,
    ) -> Result<Used, Refusal> {
        let limited = rules.filter(|(_, rule)| rule.calls_per_minute.is_some() || rule.concurrency.is_some());
        let limited: Vec<(Key, &Rule)> =
            limited.map(|(number, rule)| (Key::new(number, rule.per, caller, tool), rule)).collect();
        if limited.is_empty() {
            return Ok(Used::default());
        }
        let now = Instant::now();
        let mut counted = self.counted();
        for (key, rule) in &limited {
            if !counted.contains_key(key) {
                make_room(&mut counted, now)?;
                let left = f64::from(rule.calls_per_minute.unwrap_or(0));
                let new = Counted { running: 0, left, at: now, a_minute: rule.calls_per_minute };
                counted.insert(key.clone(), new);
            }
            if let Some(known) = counted.get_mut(key) {
                known.a_minute = rule.calls_per_minute;
                known.refill(now);
                known.check(rule)?;
            }
        }
        for (key, rule) in &limited {
            if let Some(known) = counted.get_mut(key) {
                known.running += 1;
                known.left -= if rule.calls_per_minute.is_some() { 1.0 } else { 0.0 };
            }
        }
        drop(counted);
        let running = limited.into_iter().map(|(key, _)| key).collect();
        Ok(Used { usage: Some(Arc::clone(self)), running })
    }

    fn counted(&self) -> MutexGuard<'_, HashMap<Key, Counted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Key {
    fn new(rule: usize, per: Per, caller: &str, tool: &str) -> Self {
        let (caller, tool) = (caller.to_owned(), tool.to_owned());
        match per {
            Per::Caller => Self { rule, caller: Some(caller), tool: None },
            Per::Tool => Self { rule, caller: None, tool: Some(tool) },
            Per::CallerAndTool => Self { rule, caller: Some(caller), tool: Some(tool) },
        }
    }
}

impl Counted {
    fn refill(&mut self, now: Instant) {
        let a_minute = f64::from(self.a_minute.unwrap_or(0));
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed / MINUTE * a_minute).min(a_minute);
        self.at = now;
    }

    fn check(&self, rule: &Rule) -> Result<(), Refusal> {
        if let Some(limit) = rule.concurrency.filter(|limit| self.running >= *limit) {
            let text =
                format!("{limit} calls run already, and no more are allowed at a time: wait for one to end");
            return Err(Refusal::new("overloaded", text).after(1_000));
        }
        if let Some(limit) = rule.calls_per_minute.filter(|_| self.left < 1.0) {
            let wait = (1.0 - self.left) * MINUTE / f64::from(limit);
            let text = format!("{limit} calls a minute are allowed: call again in {} seconds", wait.ceil());
            // At most one minute.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between 0 and 60,000"
            )]
            return Err(Refusal::new("rate_limited", text).after((wait * 1_000.0).ceil() as u64));
        }
        Ok(())
    }

    fn is_unused(&self) -> bool {
        self.running == 0 && self.left >= f64::from(self.a_minute.unwrap_or(0))
    }
}

fn make_room(counted: &mut HashMap<Key, Counted>, now: Instant) -> Result<(), Refusal> {
    if counted.len() < MAX_COUNTED {
        return Ok(());
    }
    counted.retain(|_, known| {
        known.refill(now);
        !known.is_unused()
    });
    if counted.len() < MAX_COUNTED {
        return Ok(());
    }
    Err(Refusal::new("overloaded", "too many callers are active: call again in a minute").after(60_000))
}

impl Drop for Used {
    fn drop(&mut self) {
        let Some(usage) = &self.usage else { return };
        let mut counted = usage.counted();
        for key in &self.running {
            if let Some(known) = counted.get_mut(key) {
                known.running = known.running.saturating_sub(1);
                // Without a rate, there is nothing to store.
                if known.running == 0 && known.a_minute.is_none() {
                    counted.remove(key);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::policy::Policy;

    struct Stand(Policy, Arc<Usage>);

    impl Stand {
        fn new(rules: &str) -> Self {
            Self(Policy::parse(&format!(r#"{{"rules":[{rules}]}}"#)).unwrap(), Arc::default())
        }

        fn begin(&self, caller: &str, tool: &str) -> Result<Used, Refusal> {
            self.1.begin(self.0.rules_for(Some("acme"), caller, tool), caller, tool)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn calls_are_counted_by_the_minute() {
        let stand = Stand::new(r#"{"callsPerMinute":3}"#);
        for _ in 0..3 {
            stand.begin("ada", "read").unwrap();
        }
        let refused = stand.begin("ada", "write").unwrap_err();
        assert_eq!((refused.kind, refused.retry_after_ms), ("rate_limited", Some(20_000)));
        stand.begin("ben", "read").unwrap();
        tokio::time::sleep(Duration::from_secs(20)).await;
        stand.begin("ada", "read").unwrap();
        assert!(stand.begin("ada", "read").is_err());
        tokio::time::sleep(Duration::from_mins(10)).await;
        assert_eq!(
            (0..10).filter(|_| stand.begin("ada", "read").is_ok()).count(),
            3,
            "a pause saves no more"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_run_are_counted_until_they_end() {
        let stand = Stand::new(r#"{"concurrency":2,"per":"callerAndTool"}"#);
        let (first, _second) = (stand.begin("ada", "read").unwrap(), stand.begin("ada", "read").unwrap());
        assert_eq!(stand.begin("ada", "read").unwrap_err().kind, "overloaded");
        let _other = (stand.begin("ada", "write").unwrap(), stand.begin("ben", "read").unwrap());
        drop(first);
        stand.begin("ada", "read").unwrap();
        let stand = Stand::new(r#"{"concurrency":1,"per":"tool"}"#);
        let _one = stand.begin("ada", "read").unwrap();
        assert!(stand.begin("ben", "read").is_err());
        assert!(stand.begin("ben", "write").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn every_rule_that_matches_applies_or_nothing_is_counted() {
        let stand = Stand::new(r#"{"callsPerMinute":10},{"tools":["w*"],"concurrency":1,"orgs":["ac*"]}"#);
        let _running = stand.begin("ada", "write").unwrap();
        for _ in 0..20 {
            assert_eq!(stand.begin("ada", "write").unwrap_err().kind, "overloaded");
        }
        // Rejected calls consume no tokens.
        assert_eq!((0..20).filter(|_| stand.begin("ada", "read").is_ok()).count(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_counted_is_bounded() {
        let stand = Stand::new(r#"{"callsPerMinute":1}"#);
        for number in 0..MAX_COUNTED {
            stand.begin(&format!("caller-{number}"), "read").unwrap();
        }
        assert_eq!(stand.begin("one-more", "read").unwrap_err().kind, "overloaded");
        assert_eq!(
            stand.begin("caller-7", "read").unwrap_err().kind,
            "rate_limited",
            "no usage is forgotten early"
        );
        tokio::time::sleep(Duration::from_secs(61)).await;
        stand.begin("one-more", "read").unwrap();
        assert!(stand.1.counted().len() <= 2);
    }
}
