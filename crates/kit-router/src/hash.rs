//! Static children of all nodes in one hash table: parent and text to child.
//!
//! One table for the whole tree makes a lookup one probe whether a node has two children or a thousand. The function is
//! fixed, so that a tree behaves alike on every machine; requests choose only what is looked up, never what is stored, so
//! the longest run of collisions is the application's own.

const EMPTY: u32 = u32::MAX;
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

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
        let (tag, mut at) = self.place(parent, text);
        while self.slots[at].node != EMPTY {
            at = (at + 1) & self.mask;
        }
        self.slots[at] = Slot { tag, node };
    }

    /// The entry for which `is_it` holds.
    #[inline]
    pub(crate) fn get(&self, parent: u32, text: &[u8], is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let (tag, mut at) = self.place(parent, text);
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
    fn place(&self, parent: u32, text: &[u8]) -> (u32, usize) {
        let hash = hash(parent, text);
        let bytes = hash.to_le_bytes();
        let tag = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        let low = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        (tag, low as usize & self.mask)
    }
}

#[inline]
fn hash(parent: u32, text: &[u8]) -> u64 {
    let mut hash = u64::from(parent)
        .wrapping_add(text.len() as u64)
        .wrapping_mul(MULTIPLIER);
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    let mut last = 0;
    for &byte in chunks.remainder() {
        last = last << 8 | u64::from(byte);
    }
    let hash = mix(hash, last);
    hash ^ hash >> 32
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER)
}
