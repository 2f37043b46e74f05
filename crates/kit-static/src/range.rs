//! Ranges of a file (RFC 9110, 14).

/// Part of a body: the position of its first byte and of its last byte.
///
/// ```
/// use kit_static::ByteRange;
///
/// let range = ByteRange { first: 0, last: 99 };
/// assert_eq!(range.length(), 100);
/// assert_eq!(range.content_range(1000), "bytes 0-99/1000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRange {
    /// Position of the first byte.
    pub first: u64,
    /// Position of the last byte, at least [`ByteRange::first`].
    pub last: u64,
}

impl ByteRange {
    /// Returns the number of bytes.
    #[must_use]
    pub fn length(self) -> u64 {
        self.last - self.first + 1
    }

    /// Returns the value of the header `content-range`. `size` is the number of bytes of the whole body.
    #[must_use]
    pub fn content_range(self, size: u64) -> String {
        let Self { first, last } = self;
        format!("bytes {first}-{last}/{size}")
    }
}

/// Maximum number of ranges of one request. With more ranges, the whole file is sent (RFC 9110, 14.2).
const MOST_RANGES: usize = 16;
/// Number of bytes between two ranges up to which the two become one range, because the head of a part is longer (RFC
/// 9110, 15.3.7.2).
const SMALLEST_GAP: u64 = 80;

/// Returns the ranges that the header `range` selects of a file with `size` bytes (RFC 9110, 14.1.2). Returns `None` if the
/// header is ignored, so that the whole file is sent. The list is empty if the file contains none of the ranges.
///
/// Ranges that overlap or nearly touch become one range.
pub(crate) fn ranges_of(header: &str, size: u64) -> Option<Vec<ByteRange>> {
    let (unit, list) = header.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") || size == 0 {
        return None;
    }
    let items: Vec<&str> = list
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .collect();
    if items.is_empty() || items.len() > MOST_RANGES {
        return None;
    }
    let mut ranges = Vec::new();
    for item in items {
        let (first, last) = item.split_once('-')?;
        if !(first.bytes().chain(last.bytes())).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match (first, last) {
            ("", "") => return None,
            ("", length) => {
                let length = position(length).min(size);
                if length > 0 {
                    let (first, last) = (size - length, size - 1);
                    add_range(&mut ranges, ByteRange { first, last });
                }
            }
            (first, last) => {
                if !last.is_empty() && is_less(last, first) {
                    return None;
                }
                let end = if last.is_empty() { u64::MAX } else { position(last) };
                if position(first) < size {
                    let (first, last) = (position(first), end.min(size - 1));
                    add_range(&mut ranges, ByteRange { first, last });
                }
            }
        }
    }
    Some(ranges)
}

/// Returns a position. A number with too many digits means a position after the end of every file.
fn position(digits: &str) -> u64 {
    digits.parse().unwrap_or(u64::MAX)
}

/// Returns true if the first number is less than the second. The numbers are texts of digits, because they may exceed `u64`.
fn is_less(number: &str, other: &str) -> bool {
    let (number, other) = (number.trim_start_matches('0'), other.trim_start_matches('0'));
    (number.len(), number) < (other.len(), other)
}

/// Adds a range, merged with all ranges that it overlaps or nearly touches, at the place of the first of them.
fn add_range(ranges: &mut Vec<ByteRange>, mut added: ByteRange) {
    let mut place = ranges.len();
    let mut index = 0;
    while let Some(range) = ranges.get(index).copied() {
        let is_apart = added.first > range.last.saturating_add(SMALLEST_GAP)
            || range.first > added.last.saturating_add(SMALLEST_GAP);
        if is_apart {
            index += 1;
            continue;
        }
        added.first = added.first.min(range.first);
        added.last = added.last.max(range.last);
        ranges.remove(index);
        place = place.min(index);
        // The merged range may touch ranges that the added one did not touch.
        index = 0;
    }
    ranges.insert(place.min(ranges.len()), added);
}
