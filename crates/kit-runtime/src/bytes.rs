//! Byte strings: the Rust type for `Uint8Array` of TypeScript. On the wire they are base64.

use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A byte string, which serializes to base64 in JSON.
///
/// ```
/// use kit_runtime::Bytes;
///
/// let bytes = Bytes::from(vec![0, 1]);
/// assert_eq!(kit_runtime::json::to_text(&bytes)?, "\"AAE=\"");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({} of them)", self.0.len())
    }
}

impl Deref for Bytes {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.0
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        decode(&text)
            .map(Self)
            .ok_or_else(|| D::Error::custom("no base64"))
    }
}

/// Returns true if a string is base64 with the standard alphabet and padding (RFC 4648, section 4). The unused bits
/// of the last digit must be zero: `AA==` is accepted, and `AB==` is refused.
pub(crate) fn is_base64(text: &str) -> bool {
    let Some((digits, padding)) = split(text) else {
        return false;
    };
    let Some((last, rest)) = digits.split_last() else {
        return padding == 0;
    };
    let unused = match padding {
        0 => 0,
        1 => 0b11,
        _ => 0b1111,
    };
    rest.iter().all(|digit| sextet(*digit).is_some()) && sextet(*last).is_some_and(|bits| bits & unused == 0)
}

/// Splits base64 into its digits and the number of `=` characters at its end. Returns `None` if the length is not a
/// multiple of 4.
fn split(text: &str) -> Option<(&[u8], usize)> {
    let bytes = text.as_bytes();
    let padding = match bytes {
        [.., b'=', b'='] => 2,
        [.., b'='] => 1,
        _ => 0,
    };
    (bytes.len() % 4 == 0).then(|| (&bytes[..bytes.len() - padding], padding))
}

fn sextet(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// Returns the bytes of a base64 string. Returns `None` if the string is not base64.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    if !is_base64(text) {
        return None;
    }
    let (digits, _) = split(text)?;
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let bits = group
            .iter()
            .try_fold(0_u32, |bits, digit| Some(bits << 6 | u32::from(sextet(*digit)?)))?;
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit > group.len() {
                text.push('=');
            } else {
                let index = bits >> (18 - 6 * digit) & 0b11_1111;
                text.push(char::from(DIGITS[index as usize]));
            }
        }
    }
    text
}

/// Returns bytes as hexadecimal digits in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Encodes bytes as base64 without padding, as stored hashes of passwords have it.
#[cfg(feature = "passwords")]
pub(crate) fn base64_without_padding(bytes: &[u8]) -> String {
    encode(bytes).trim_end_matches('=').to_owned()
}

/// Decodes the text that [`base64_without_padding`] returns. Returns `None` for any other text.
#[cfg(feature = "passwords")]
pub(crate) fn from_base64_without_padding(text: &str) -> Option<Vec<u8>> {
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    let is_padded = text.ends_with('=');
    decode(&format!("{text}{padding}")).filter(|_| !is_padded)
}

/// Encodes bytes as base64 with the alphabet for URLs, without padding (RFC 4648, section 5).
pub(crate) fn base64url(bytes: &[u8]) -> String {
    let text = encode(bytes);
    text.trim_end_matches('=').replace('+', "-").replace('/', "_")
}

/// Decodes the text that [`base64url`] returns. Returns `None` for any other text.
pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let padding = "=".repeat((4 - text.len() % 4) % 4);
    let bytes = decode(&format!("{}{padding}", text.replace('-', "+").replace('_', "/")))?;
    // The standard alphabet, and padding in the text, are refused.
    (base64url(&bytes) == text).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{base64url, decode, encode, from_base64url, is_base64};

    #[test]
    fn decodes_base64url_that_kit_has_encoded_and_refuses_every_other_form() {
        for length in 0..=64_u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37)).collect();
            assert_eq!(from_base64url(&base64url(&bytes)), Some(bytes));
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
        for other in ["+/8", "-_8=", "-_9", "-_8A_", "A", "-_8 ", "é"] {
            assert_eq!(from_base64url(other), None, "{other}");
        }
    }

    #[test]
    fn decodes_base64_of_every_length_to_the_bytes_that_were_encoded() {
        for length in 0..=64_u8 {
            let bytes: Vec<u8> = (0..length)
                .map(|byte| byte.wrapping_mul(73).wrapping_add(length))
                .collect();
            let text = encode(&bytes);
            assert!(is_base64(&text), "{text}");
            assert_eq!(decode(&text), Some(bytes));
        }
        assert_eq!(encode(b"\xfb\xff\xfe"), "+//+");
        assert_eq!(encode(b"hello"), "aGVsbG8=");
    }

    #[test]
    fn refuses_base64_with_wrong_padding_or_unused_bits() {
        for bad in [
            "A", "AA", "AAA", "AB==", "AAB=", "====", "=", "A===", "AA=A", "AA-_", "AA==AAAA", "A A=",
        ] {
            assert!(!is_base64(bad) && decode(bad).is_none(), "{bad}");
        }
        assert!(is_base64("") && is_base64("AA==") && is_base64("AAE="));
    }
}
