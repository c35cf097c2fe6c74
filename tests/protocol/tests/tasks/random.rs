//! Random instructions for a task and its client, compared with a model.

use proptest::prelude::*;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;
use toolwright::tasks::Tasks;

use crate::stage::{Caller, Do, Stage, asked, eventually, named, service};

const KEYS: [&str; 3] = ["a", "b", "c"];

/// What happens to the task.
#[derive(Debug, Clone)]
enum Event {
    Ask(usize),
    Withdraw(usize),
    Say,
    Return,
    Fail,
    Panic,
    Answer(usize),
    AnswerOther,
    Cancel,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let key = 0..KEYS.len();
    let event = prop_oneof![
        6 => key.clone().prop_map(Event::Ask),
        2 => key.clone().prop_map(Event::Withdraw),
        2 => Just(Event::Say),
        1 => Just(Event::Return),
        1 => Just(Event::Fail),
        1 => Just(Event::Panic),
        4 => key.prop_map(Event::Answer),
        1 => Just(Event::AnswerOther),
        1 => Just(Event::Cancel),
    ];
    proptest::collection::vec(event, 1..20)
}

/// The expected state of the task.
#[derive(Debug, Default)]
struct Model {
    end: Option<&'static str>,
    /// By key: nothing, asked, or answered.
    open: [bool; 3],
    answered: [bool; 3],
    is_said: bool,
}

impl Model {
    /// Applies an event; returns what the handler has to do.
    fn take(&mut self, event: &Event) -> Option<Do> {
        let goes_on = self.end.is_none();
        let mut end = |status| {
            self.end.get_or_insert(status);
        };
        match *event {
            Event::Ask(key) => {
                self.open[key] |= goes_on && !self.answered[key];
                return Some(Do::Ask(KEYS[key]));
            }
            Event::Withdraw(key) => {
                self.open[key] = false;
                return Some(Do::Withdraw(KEYS[key]));
            }
            Event::Say => {
                self.is_said |= goes_on;
                return Some(Do::Say("said"));
            }
            Event::Return | Event::Fail => end("completed"),
            Event::Panic => end("failed"),
            Event::Cancel => end("cancelled"),
            Event::Answer(key) => {
                self.answered[key] |= self.open[key];
                self.open[key] = false;
            }
            Event::AnswerOther => {}
        }
        match event {
            Event::Return => Some(Do::Return("returned".to_owned())),
            Event::Fail => Some(Do::Fail),
            Event::Panic => Some(Do::Panic),
            _ => None,
        }
    }

    fn status(&self) -> &'static str {
        let is_asking = self.open.contains(&true);
        self.end.unwrap_or(if is_asking { "input_required" } else { "working" })
    }

    fn keys(&self) -> Vec<&'static str> {
        let is_asking = self.end.is_none();
        KEYS.into_iter().zip(self.open).filter(|(_, open)| is_asking && *open).map(|(key, _)| key).collect()
    }
}

async fn play(events: &[Event]) {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    let script: UnboundedSender<Do> = stage.script("random");
    let id = caller.play("random").await;
    let mut model = Model::default();
    for event in events {
        if let Some(order) = model.take(event) {
            // Not received if the task has ended.
            let _ = script.send(order);
        }
        match event {
            Event::Answer(key) => caller.answer(&id, KEYS[*key], named("x")).await,
            Event::AnswerOther => caller.answer(&id, "other", json!(1)).await,
            Event::Cancel => caller.cancel(&id).await,
            _ => {}
        }
        let task = caller
            .until(&id, |task| {
                task["status"] == model.status()
                    && asked(task) == model.keys()
                    && (task["statusMessage"] == "said" || !model.is_said || task["status"] == "failed")
            })
            .await;
        assert_eq!(task.get("result").is_some(), model.status() == "completed", "{task}");
        assert_eq!(task.get("error").is_some(), model.status() == "failed", "{task}");
    }
    let has_ended = model.end.is_some();
    drop(script);
    if !has_ended {
        caller.until_status(&id, "completed").await;
    }
    eventually("no handler is left", || stage.running() == 0).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_events_match_the_model(events in events()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(play(&events));
    }
}
