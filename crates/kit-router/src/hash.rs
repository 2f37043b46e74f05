//! Static children of all nodes in one hash table: parent and text to child.
//!
//! One table for the whole tree makes a lookup one probe whether a node has two children or a thousand. The hash of a segment
//! is made while its end is looked for, eight bytes at a time. The function is fixed, so that a tree behaves alike on every
//! machine; requests choose only what is looked up, never what is stored, so the longest run of collisions is the application's own.

const EMPTY: u32 = u32::MAX;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
const MULTIPLIER: u64 = 0xD6E8_FEB8_6659_FD93;
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// Open addressing with linear probing, at most half full.
#[derive(Debug, Clone)]
pub(crate) struct SegmentTable {
    slots: Box<[Slot]>,
    mask: usize,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    tag: u32,
    node: u32,
}

impl SegmentTable {
    pub(crate) fn with_capacity(entries: usize) -> Self {
        let size = (entries * 2).next_power_of_two().max(2);
        Self {
            slots: vec![Slot { tag: 0, node: EMPTY }; size].into_boxed_slice(),
            mask: size - 1,
        }
    }

    /// Adds an entry that is not there yet.
    pub(crate) fn insert(&mut self, parent: u32, text: &[u8], node: u32) {
        let (tag, mut at) = self.place(parent, hash_text(text));
        while self.slots[at].node != EMPTY {
            at = (at + 1) & self.mask;
        }
        self.slots[at] = Slot { tag, node };
    }

    /// The entry for which `is_it` holds, among those below `parent` whose text has the hash.
    #[inline]
    pub(crate) fn get(&self, parent: u32, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let (tag, mut at) = self.place(parent, hash);
        loop {
            let slot = self.slots[at];
            if slot.node == EMPTY {
                return None;
            }
            if slot.tag == tag && is_it(slot.node) {
                return Some(slot.node);
            }
            at = (at + 1) & self.mask;
        }
    }

    /// Bytes on the heap.
    pub(crate) fn size(&self) -> usize {
        size_of_val(&*self.slots)
    }

    #[inline]
    fn place(&self, parent: u32, hash: u64) -> (u32, usize) {
        let (low, high) = halves(mix(hash, u64::from(parent)));
        (high, low as usize & self.mask)
    }
}

/// Where the segment that begins at `start` ends, and the hash of its text.
#[inline]
pub(crate) fn scan_segment(path: &[u8], start: usize) -> (usize, u64) {
    let (mut at, mut hash) = (start, SEED);
    loop {
        let (word, length) = word_at(path, at);
        let slash = bytes_equal_to(b'/', word);
        if slash != 0 {
            let bits = slash.trailing_zeros() & !7;
            return (at + bits as usize / 8, mix(hash, word & ((1 << bits) - 1)));
        }
        hash = mix(hash, word);
        at += length;
        if length < 8 {
            return (at, hash);
        }
    }
}

/// Whether the path holds an escape, or what looks like one.
#[inline]
pub(crate) fn has_percent(path: &[u8]) -> bool {
    let mut at = 0;
    loop {
        let (word, length) = word_at(path, at);
        if bytes_equal_to(b'%', word) != 0 {
            return true;
        }
        at += length;
        if length < 8 {
            return false;
        }
    }
}

/// Has the high bit of the lowest byte that has the value; of those above it, bits may be set or not.
#[inline]
fn bytes_equal_to(value: u8, word: u64) -> u64 {
    let difference = word ^ (LOW_BITS * u64::from(value));
    difference.wrapping_sub(LOW_BITS) & !difference & HIGH_BITS
}

/// The hash of [`scan_segment`] for a text that is a whole segment, whatever it holds.
#[inline]
pub(crate) fn hash_text(text: &[u8]) -> u64 {
    let (mut at, mut hash) = (0, SEED);
    loop {
        let (word, length) = word_at(text, at);
        hash = mix(hash, word);
        at += length;
        if length < 8 {
            return hash;
        }
    }
}

/// Up to eight bytes with zeros above, and how many they are. A text of a multiple of eight ends in a word of none, so that
/// what follows a segment cannot be seen in its hash.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> (u64, usize) {
    let rest = &bytes[at..];
    if let Some(word) = rest.first_chunk::<8>() {
        return (u64::from_le_bytes(*word), 8);
    }
    if rest.is_empty() {
        return (0, 0);
    }
    // The last eight bytes of a longer text, shifted, are read at once.
    let word = match bytes.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last) >> (8 * (8 - rest.len())),
        None => rest
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    (word, rest.len())
}

/// Both halves of the product, so that every bit of the input reaches every part of the result.
#[inline]
#[allow(clippy::cast_possible_truncation)] // cutting in halves is the point
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * u128::from(MULTIPLIER);
    let low = product as u64;
    let high = (product >> 64) as u64;
    low ^ high
}

#[inline]
#[allow(clippy::cast_possible_truncation)] // cutting in halves is the point
fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::{hash_text, scan_segment};

    #[test]
    fn scanning_finds_the_end_and_the_hash_of_the_text() {
        for length in 0..40 {
            // Bytes beside a slash's value, where finding it by arithmetic could go wrong.
            for byte in [0, 0x2E, 0x30, 0xAF, b'a', 0xFF] {
                let text = vec![byte; length];
                for before in ["/", "/abc/", "/abcdefgh/"] {
                    for after in [
                        "",
                        "/",
                        "//",
                        "/x",
                        "/\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
                    ] {
                        let path = [before.as_bytes(), &text, after.as_bytes()].concat();
                        let (stop, hash) = scan_segment(&path, before.len());
                        assert_eq!(stop, before.len() + length, "{path:?}");
                        assert_eq!(hash, hash_text(&text), "{path:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn texts_of_zeros_differ_by_their_nodes_alone() {
        // Equal hashes are allowed: the table compares texts. This pins that it has to.
        assert_eq!(hash_text(b""), hash_text(b"\0"));
    }
}
