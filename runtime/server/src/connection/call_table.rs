//! A table of calls by request id.

use std::collections::HashMap;

/// The calls of a connection by request id. A single call, as most HTTP requests have, is stored without a hash table.
#[derive(Debug)]
pub(super) struct CallTable<C> {
    single: Option<(Box<str>, C)>,
    others: HashMap<Box<str>, C>,
}

impl<C> Default for CallTable<C> {
    fn default() -> Self {
        Self { single: None, others: HashMap::new() }
    }
}

impl<C> CallTable<C> {
    pub(super) fn len(&self) -> usize {
        usize::from(self.single.is_some()) + self.others.len()
    }

    pub(super) fn get(&self, id: &str) -> Option<&C> {
        match &self.single {
            Some((single, call)) if **single == *id => Some(call),
            _ => self.others.get(id),
        }
    }

    /// Adds a call, in place of one with the same id.
    pub(super) fn insert(&mut self, id: Box<str>, call: C) {
        let is_single = self.single.as_ref().map_or(self.others.is_empty(), |(single, _)| *single == id);
        if is_single {
            self.single = Some((id, call));
        } else {
            self.others.insert(id, call);
        }
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<C> {
        match self.single.take_if(|(single, _)| **single == *id) {
            Some((_, call)) => Some(call),
            None => self.others.remove(id),
        }
    }

    /// Returns the calls in any order.
    pub(super) fn into_values(self) -> impl Iterator<Item = C> {
        let single = self.single.map(|(_, call)| call);
        single.into_iter().chain(self.others.into_values())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::CallTable;

    const IDS: [&str; 3] = ["a", "b", "c"];

    /// All sequences of six steps: each inserts or removes one of three ids.
    #[test]
    fn a_table_has_the_calls_of_a_map() {
        const STEPS: u32 = 6;
        for sequence in 0..6_usize.pow(STEPS) {
            let (mut table, mut map) = (CallTable::default(), HashMap::new());
            for step in 0..STEPS {
                let choice = sequence / 6_usize.pow(step) % 6;
                let id = IDS[choice / 2];
                if choice % 2 == 0 {
                    table.insert(id.into(), step);
                    map.insert(id, step);
                } else {
                    assert_eq!(table.remove(id), map.remove(id), "{sequence}");
                }
                assert_eq!(table.len(), map.len(), "{sequence}");
                assert!(IDS.iter().all(|id| table.get(id) == map.get(id)), "{sequence}");
            }
            let mut calls: Vec<_> = table.into_values().collect();
            let mut expected: Vec<_> = map.into_values().collect();
            calls.sort_unstable();
            expected.sort_unstable();
            assert_eq!(calls, expected, "{sequence}");
        }
    }
}
