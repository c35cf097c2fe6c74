//! Reuses the buffers of large messages: allocating and freeing memory for each message costs more than processing it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The smallest buffer that is kept, in bytes; allocators rarely return smaller ones to the system.
const MIN_BYTES: usize = 64 << 10;
/// The largest buffer that is kept, in bytes.
const MAX_BYTES: usize = 1 << 20;
/// How many buffers are kept: for the arguments of a call, the bytes and the data of an event, and the result in it.
const MAX_BUFFERS: usize = 4;

/// The unused buffers of one client, at most [`MAX_BUFFERS`] of [`MAX_BYTES`] each. There are none as long as all
/// messages are small.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an empty buffer, with the capacity of a kept one if possible.
    pub(crate) fn take(&self) -> Vec<u8> {
        self.lock().pop().unwrap_or_default()
    }

    /// Copies `text`, into a kept buffer if it is large.
    pub(crate) fn copy(&self, text: &str) -> String {
        if text.len() < MIN_BYTES {
            return text.to_owned();
        }
        // It is empty, so it is valid UTF-8.
        let mut copy = String::from_utf8(self.take()).unwrap_or_default();
        copy.push_str(text);
        copy
    }

    /// Keeps an unused buffer, unless it is small, very large or there are enough.
    pub(crate) fn put(&self, buffer: impl Into<Vec<u8>>) {
        let mut buffer = buffer.into();
        if !(MIN_BYTES..=MAX_BYTES).contains(&buffer.capacity()) {
            return;
        }
        buffer.clear();
        let mut buffers = self.lock();
        if buffers.len() < MAX_BUFFERS {
            buffers.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_buffers_are_bounded() {
        let buffers = Buffers::default();
        for bytes in [0, MIN_BYTES - 1, MAX_BYTES + 1] {
            buffers.put(Vec::with_capacity(bytes));
            assert_eq!(buffers.take().capacity(), 0, "{bytes}");
        }
        for _ in 0..MAX_BUFFERS + 2 {
            buffers.put(vec![1; MIN_BYTES]);
        }
        let capacities = [(); MAX_BUFFERS + 1].map(|()| buffers.take().capacity());
        assert_eq!(capacities, [MIN_BYTES, MIN_BYTES, MIN_BYTES, MIN_BYTES, 0]);
    }

    #[test]
    fn only_large_texts_reuse_buffers() {
        let buffers = Buffers::default();
        buffers.put(vec![b'x'; MAX_BYTES]);
        assert_eq!(buffers.copy("small").capacity(), "small".len());
        let large = "y".repeat(MIN_BYTES);
        let copy = buffers.copy(&large);
        assert_eq!((copy.capacity(), copy == large), (MAX_BYTES, true));
        assert_eq!(buffers.copy(&large).capacity(), MIN_BYTES);
    }
}
