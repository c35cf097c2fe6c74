//! Any bytes as a stream of events: they are read alike in whatever pieces they come, as a reader reads them that was written from the
//! WHATWG's text alone, and never more is kept than the limit allows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwright_fuzz::events::data_of;
use toolwright_wire::event_stream::{Event, EventReader, TooLarge};

/// More than any input has.
const NO_LIMIT: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else { return };
    let whole = read(stream, stream.len().max(1), NO_LIMIT);
    let pieces = read(stream, usize::from(size % 7) + 1, NO_LIMIT);
    assert_eq!(whole, pieces, "pieces of {} bytes", size % 7 + 1);

    let limit = usize::from(size);
    for event in read(stream, 3, limit) {
        match event {
            Ok(event) => assert!(event.data.len() <= limit, "{} of {limit} bytes", event.data.len()),
            Err(large) => assert!(large.start.len() <= stream.len()),
        }
    }

    let text = String::from_utf8_lossy(stream);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    if text.contains('\u{feff}') {
        return;
    }
    let ended = format!("{text}\n\n");
    let expected: Vec<Vec<u8>> = data_of(&ended).into_iter().map(String::into_bytes).collect();
    let events = read(ended.as_bytes(), ended.len(), NO_LIMIT);
    let found: Vec<Vec<u8>> =
        events.into_iter().map(|event| event.expect("there is no limit").data).collect();
    let found: Vec<_> = found.into_iter().filter(|data| !data.is_empty()).collect();
    assert_eq!(found, expected, "{ended:?}");
});

fn read(stream: &[u8], size: usize, limit: usize) -> Vec<Result<Event, TooLarge>> {
    let (mut reader, mut events) = (EventReader::new(limit), Vec::new());
    for piece in stream.chunks(size) {
        reader.push(piece);
        while let Some(event) = reader.next() {
            events.push(event);
        }
    }
    events
}
