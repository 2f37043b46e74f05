//! Bytes of a client that sends its next requests before it gets the response to the request before (pipelining).

/// Bytes that follow a request of the fast path and arrived in the same read. The guard has not seen these bytes. At most as many
/// as the engine reads at once.
#[derive(Default)]
pub(crate) struct Unread {
    bytes: Vec<u8>,
    /// Number of bytes at the beginning of `bytes` that the fast path has read.
    start: usize,
}

impl Unread {
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.bytes.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Stores bytes. No other bytes may be there.
    pub(crate) fn store(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.start = 0;
            self.bytes.clear();
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Removes bytes from the beginning.
    pub(crate) fn advance(&mut self, count: usize) {
        self.start += count;
        if self.is_empty() {
            self.discard();
        }
    }

    /// Removes all bytes, and frees the buffer, because few clients need it.
    pub(crate) fn discard(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::Unread;

    #[test]
    fn returns_stored_bytes_in_order_until_they_are_read_or_discarded() {
        let mut unread = Unread::default();
        unread.store(b"");
        assert!(unread.is_empty());
        unread.store(b"onetwo");
        unread.advance(3);
        assert_eq!(unread.bytes(), b"two");
        unread.advance(3);
        assert!(unread.is_empty());
        unread.store(b"three");
        assert_eq!(unread.bytes(), b"three");
        unread.discard();
        assert!(unread.is_empty());
    }
}
