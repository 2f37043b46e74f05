//! Ring of the newest entries, whose count and bytes are limited.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::http::Segment;

/// Entry as the ring stores it, with the fields that lists are filtered by.
#[derive(Debug)]
pub(super) struct KeptText {
    /// Time in milliseconds since 1970.
    pub(super) time: u64,
    pub(super) request_id: Option<String>,
    /// Severity of a log entry.
    pub(super) severity: u8,
    /// Segments of the path of an error's request.
    pub(super) segments: &'static [Segment],
    /// Entry as JSON.
    pub(super) text: String,
}

/// Estimated bytes that an entry needs in addition to its JSON.
const OVERHEAD: usize = 120;

/// Ring of the newest entries. Entries are stored as JSON, because one text needs less memory than a tree of values.
#[derive(Debug)]
pub(super) struct Ring {
    most: usize,
    most_bytes: usize,
    entries: VecDeque<Arc<KeptText>>,
    bytes: usize,
}

impl Ring {
    pub(super) const fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            most,
            most_bytes,
            entries: VecDeque::new(),
            bytes: 0,
        }
    }

    pub(super) fn push(&mut self, entry: KeptText) {
        self.bytes += size_of_entry(&entry);
        self.entries.push_back(Arc::new(entry));
        while self.entries.len() > self.most || self.bytes > self.most_bytes {
            let Some(oldest) = self.entries.pop_front() else {
                return;
            };
            self.bytes -= size_of_entry(&oldest);
        }
    }

    /// Returns the entries, the newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = &Arc<KeptText>> {
        self.entries.iter().rev()
    }
}

fn size_of_entry(entry: &KeptText) -> usize {
    entry.text.len() + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::{KeptText, Ring};

    fn entry(text: &str) -> KeptText {
        KeptText {
            time: 0,
            request_id: None,
            severity: 0,
            segments: &[],
            text: text.to_owned(),
        }
    }

    #[test]
    fn keeps_the_newest_entries_within_its_count_and_its_bytes() {
        let mut ring = Ring::new(2, 1_000);
        for text in ["a", "b", "c"] {
            ring.push(entry(text));
        }
        let texts: Vec<_> = ring.newest().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["c", "b"]);
        ring.push(entry(&"x".repeat(800)));
        assert_eq!(ring.newest().count(), 1);
        ring.push(entry(&"x".repeat(2_000)));
        assert_eq!(ring.newest().count(), 0);
    }
}
