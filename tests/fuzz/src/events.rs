//! A reader of event streams, written from the WHATWG's text alone (HTML, "Server-sent events").

/// The data of the events in `stream`, which must be whole.
pub fn data_of(stream: &str) -> Vec<String> {
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    for line in stream.replace("\r\n", "\n").split(['\n', '\r']) {
        if line.is_empty() {
            events.extend(data.take());
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        if field == "data" {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            }
        }
    }
    assert_eq!(data, None, "the last event has no end");
    // An event without data has an id, but no message.
    events.retain(|data| !data.is_empty());
    events
}
