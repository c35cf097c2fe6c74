//! Unique ids of sections.

use std::collections::HashMap;

/// The ids in use.
#[derive(Debug, Default)]
pub(super) struct Anchors(HashMap<String, usize>);

impl Anchors {
    /// Returns an id without characters that URLs would escape.
    pub(super) fn of(&mut self, server: &str, name: &str) -> String {
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "_-.".contains(one);
        let plain = |text: &str| -> String {
            text.chars().map(|one| if is_plain(one) { one } else { '-' }).collect()
        };
        let mut anchor = format!("{}--{}", plain(server), plain(name));
        loop {
            let before = self.0.entry(anchor.clone()).or_insert(0);
            *before += 1;
            if *before == 1 {
                return anchor;
            }
            // Plain names contain no colon, so the result is unique.
            anchor = format!("{anchor}:{before}");
        }
    }
}
