use proptest::prelude::*;
use pulldown_cmark::{Event, Tag, TagEnd};
use test_strings::{hostile, markdown_events};

use super::*;

fn events(markdown: &str) -> Vec<Event<'_>> {
    markdown_events(markdown).collect()
}

/// The text of the events, or the first event that is neither text nor a code span.
fn text(events: &[Event<'_>]) -> Result<String, String> {
    let mut text = String::new();
    for event in events {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            Event::SoftBreak => text.push(' '),
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(text)
}

/// Returns the characters that a reader sees, except those that Markdown in descriptions may consume.
fn bare(text: &str) -> String {
    let spaced = text.split_whitespace().map(visible).collect::<String>();
    spaced.chars().filter(|one| !"`-*".contains(*one)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn code_is_one_span_with_its_text(value in hostile(0..8)) {
        let markdown = format!("x {} y", code(&value));
        let events = events(&markdown);
        let shown = if value.is_empty() { " ".to_owned() } else { visible(&value) };
        let expected = [
            Event::Start(Tag::Paragraph),
            Event::Text("x ".into()),
            Event::Code(shown.into()),
            Event::Text(" y".into()),
            Event::End(TagEnd::Paragraph),
        ];
        prop_assert_eq!(events, expected, "{}", markdown);
    }

    #[test]
    fn a_line_stays_in_its_paragraph_and_heading(value in hostile(0..8)) {
        let markdown = format!("x {} y\n\n## {0}\n\nend\n", line(&value));
        let events = events(&markdown);
        let Some(end) = events.iter().position(|event| *event == Event::End(TagEnd::Paragraph)) else {
            return Err(TestCaseError::fail(markdown));
        };
        let paragraph = text(&events[1..end]);
        prop_assert_eq!(paragraph.map(|text| bare(&text)), Ok(bare(&format!("x{value}y"))), "{}", markdown);
        let heading = events.iter().position(|event| matches!(event, Event::End(TagEnd::Heading(_)))).unwrap();
        let said = text(&events[end + 2..heading]);
        prop_assert_eq!(said.map(|text| bare(&text)), Ok(bare(&value)), "{}", markdown);
        prop_assert_eq!(text(&events[heading + 2..events.len() - 1]), Ok("end".to_owned()));
    }

    #[test]
    fn paragraphs_hold_text_and_lists_alone(value in hostile(0..8)) {
        let markdown = format!("# T\n\n{}\n\n## E\n", paragraphs(&value));
        let events = events(&markdown);
        let mut said = String::new();
        for event in &events[3..events.len() - 3] {
            match event {
                Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item)
                | Event::End(TagEnd::Paragraph | TagEnd::List(_) | TagEnd::Item) => {}
                other => said += &text(std::slice::from_ref(other)).map_err(|wrong| TestCaseError::fail(wrong + &markdown))?,
            }
        }
        prop_assert_eq!(bare(&said), bare(&value), "{}", markdown);
        let is_heading = |at: usize| matches!(events[at], Event::Start(Tag::Heading { .. }));
        prop_assert!(is_heading(0) && is_heading(events.len() - 3));
    }

    #[test]
    fn no_string_ends_a_cell(words in hostile(0..8), value in hostile(0..8)) {
        let row = format!("| x {} y | {} |", line_in_cell(&words), code_in_cell(&value));
        let markdown = format!("| a | b |\n|---|---|\n{row}\n");
        let events = events(&markdown);
        let starts: Vec<_> =
            events.iter().enumerate().filter(|(_, event)| **event == Event::Start(Tag::TableCell)).collect();
        prop_assert_eq!(starts.len(), 4, "{}", markdown);
        let cell = |at: usize| {
            let start = starts[at].0 + 1;
            let end = events[start..].iter().position(|event| *event == Event::End(TagEnd::TableCell)).unwrap();
            text(&events[start..start + end])
        };
        prop_assert_eq!(cell(2).map(|text| bare(&text)), Ok(bare(&format!("x{words}y"))), "{}", markdown);
        let shown = if value.is_empty() { " ".to_owned() } else { visible(&value) };
        prop_assert_eq!(cell(3), Ok(shown), "{}", markdown);
        prop_assert_eq!(&events[events.len() - 1], &Event::End(TagEnd::Table));
    }
}

#[test]
fn plain_texts_stay_as_they_are() {
    for plain in [
        "Shows an order: its status, and what it cost.",
        "An id such as `#W1`, order_id or a-b; 3 * 4 = 12 & more, 1 < 2.",
        "Über 3 % (\"quoted\") – it's done!",
    ] {
        assert_eq!(line(plain), plain);
        assert_eq!(paragraphs(plain), plain);
    }
    assert_eq!(paragraphs("One\ntwo.\n\n\n* a\n  b\n- c\nThree."), "One\ntwo.\n\n- a\nb\n- c\nThree.");
    assert_eq!(paragraphs("# No heading\n1. no"), "\\# No heading\n1\\. no");
    assert_eq!(code("a`b"), "``a`b``");
    assert_eq!(code_in_cell("a|b"), "`a\\|b`");
    assert_eq!(json(&serde_json::json!("a\u{202e}\u{e0041}b")), "\"a\\u202e\\udb40\\udc41b\"");
}
