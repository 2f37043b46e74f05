//! A path eight bytes at a time.

const LOW_BITS: u64 = 0x0101_0101_0101_0101;
const HIGH_BITS: u64 = LOW_BITS << 7;

/// Bytes that can be read as words from any place, with zeros where they end.
#[derive(Clone, Copy)]
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    /// The last eight bytes, or all where they are fewer.
    last: u64,
    /// How many bytes `last` has.
    last_length: usize,
}

impl<'a> Words<'a> {
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

    /// Eight bytes from `at` on, which is at most the length; the first one is the lowest.
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

    /// Tells if there is a percent sign, or a byte outside of ASCII.
    #[inline]
    pub(crate) fn may_be_changed_by_normal_form(&self) -> bool {
        (0..self.bytes.len()).step_by(8).any(|at| {
            let word = self.at(at);
            (bytes_equal_to(b'%', word) | word & HIGH_BITS) != 0
        })
    }

    /// Returns the place of the first such byte, which is not zero, from `at` on, or the end.
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

/// Fewer than eight bytes, without a loop where there are four.
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

/// Has the high bit of the lowest byte that has the value; of those above it, bits may be set or not.
#[inline]
fn bytes_equal_to(value: u8, word: u64) -> u64 {
    let difference = word ^ (LOW_BITS * u64::from(value));
    difference.wrapping_sub(LOW_BITS) & !difference & HIGH_BITS
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn words_are_the_bytes_with_zeros_behind() {
        let all: Vec<u8> = (1..=40).collect();
        for length in 0..=all.len() {
            let words = Words::new(&all[..length]);
            for at in 0..=length {
                let mut expected = [0; 8];
                let rest = &all[at..length.min(at + 8)];
                expected[..rest.len()].copy_from_slice(rest);
                assert_eq!(words.at(at), u64::from_le_bytes(expected), "{at} of {length}");
            }
        }
    }

    #[test]
    fn finding_stops_at_the_first_such_byte() {
        // Bytes beside the value, which arithmetic on words could take for the value.
        for other in [0, 0x2E, 0x30, 0xAF, b'a', 0xFF] {
            for length in 0..30 {
                for at in 0..=length {
                    for hit in at..=length {
                        let mut text = vec![other; length];
                        if let Some(place) = text.get_mut(hit) {
                            *place = b'/';
                        }
                        assert_eq!(Words::new(&text).find(b'/', at), hit, "{text:?} from {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn sees_escapes_and_bytes_outside_of_ascii_at_every_place() {
        for length in 0..30 {
            let plain = vec![b'a'; length];
            assert!(!Words::new(&plain).may_be_changed_by_normal_form());
            for at in 0..length {
                for byte in [b'%', 0x80, 0xC3, 0xFF] {
                    let mut text = plain.clone();
                    text[at] = byte;
                    assert!(Words::new(&text).may_be_changed_by_normal_form(), "{text:?}");
                }
            }
        }
    }
}
