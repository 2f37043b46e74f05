//! Reads a path eight bytes at a time, as 64-bit words.

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// The bytes of a path. A word of eight bytes can be read at any position. Bytes after the end of the path
/// are zero.
#[derive(Clone, Copy)]
pub(crate) struct PathWords<'a> {
    bytes: &'a [u8],
    /// The last eight bytes of the path, or all bytes if the path is shorter.
    last: u64,
    /// Number of bytes in `last`.
    last_length: usize,
}

impl<'a> PathWords<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let last = bytes
            .last_chunk::<8>()
            .map_or_else(|| short_word(bytes), |last| u64::from_le_bytes(*last));
        Self {
            bytes,
            last,
            last_length: bytes.len().min(8),
        }
    }

    /// Returns the eight bytes from the position `at`, with the first of them as the lowest byte. `at` must not
    /// exceed the length.
    #[inline]
    pub(crate) fn at(&self, at: usize) -> u64 {
        let rest = &self.bytes[at..];
        if let Some(word) = rest.first_chunk::<8>() {
            return u64::from_le_bytes(*word);
        }
        #[allow(clippy::cast_possible_truncation)] // at most 64
        let shift = (8 * (self.last_length - rest.len())) as u32;
        self.last.unbounded_shr(shift)
    }

    /// Returns true if the path contains a percent sign or a non-ASCII byte, so that its normal form may differ.
    #[inline]
    pub(crate) fn may_be_changed_by_normal_form(&self) -> bool {
        (0..self.bytes.len()).step_by(8).any(|at| {
            let word = self.at(at);
            (bytes_equal_to(b'%', word) | word & HIGH_BITS) != 0
        })
    }

    /// Returns the first position of `byte` from the position `at`. If there is none, returns the length of the
    /// path. `byte` must not be zero.
    #[inline]
    pub(crate) fn find(&self, byte: u8, mut at: usize) -> usize {
        while at < self.bytes.len() {
            let word = self.at(at);
            let hits = bytes_equal_to(byte, word);
            if hits != 0 {
                return at + hits.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        self.bytes.len()
    }
}

/// Reads fewer than eight bytes as a word. Needs no loop for at least four bytes.
#[cold]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4));
    }
    bytes
        .iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Returns a word in which the high bit of the lowest byte that equals `value` is set. Bits of higher bytes
/// may be set by mistake.
#[inline]
fn bytes_equal_to(value: u8, word: u64) -> u64 {
    let difference = word ^ (LOW_BITS * u64::from(value));
    difference.wrapping_sub(LOW_BITS) & !difference & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use super::PathWords;

    #[test]
    fn word_contains_zeros_for_bytes_after_the_end_of_the_path() {
        let all: Vec<u8> = (1..=40).collect();
        for length in 0..=all.len() {
            let words = PathWords::new(&all[..length]);
            for at in 0..=length {
                let mut expected = [0; 8];
                let rest = &all[at..length.min(at + 8)];
                expected[..rest.len()].copy_from_slice(rest);
                assert_eq!(words.at(at), u64::from_le_bytes(expected), "{at} of {length}");
            }
        }
    }

    #[test]
    fn finds_the_first_occurrence_of_a_byte_in_a_path() {
        // These bytes are similar to the value. Errors in the word arithmetic would confuse them.
        for other in [0, 0x2E, 0x30, 0xAF, b'a', 0xFF] {
            for length in 0..30 {
                for at in 0..=length {
                    for hit in at..=length {
                        let mut text = vec![other; length];
                        if let Some(place) = text.get_mut(hit) {
                            *place = b'/';
                        }
                        assert_eq!(PathWords::new(&text).find(b'/', at), hit, "{text:?} from {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn detects_escapes_and_non_ascii_bytes_at_every_position_of_a_path() {
        for length in 0..30 {
            let plain = vec![b'a'; length];
            assert!(!PathWords::new(&plain).may_be_changed_by_normal_form());
            for at in 0..length {
                for byte in [b'%', 0x80, 0xC3, 0xFF] {
                    let mut text = plain.clone();
                    text[at] = byte;
                    assert!(PathWords::new(&text).may_be_changed_by_normal_form(), "{text:?}");
                }
            }
        }
    }
}
