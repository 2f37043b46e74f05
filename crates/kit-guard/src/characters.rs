//! Classes of the bytes that HTTP allows in each part of a head.

/// Class of the characters of a token (RFC 9110, 5.6.2).
pub(crate) const TOKEN: u8 = 1;
/// Class of the characters of a path.
pub(crate) const PATH: u8 = 2;
/// Class of the characters of a query.
pub(crate) const QUERY: u8 = 4;
/// Class of the characters of a host name, without brackets, colon and percent sign.
pub(crate) const HOST: u8 = 8;
/// Class of the characters of a field value.
pub(crate) const VALUE: u8 = 16;

/// Classes of each byte, as a set of bits.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        #[allow(clippy::cast_possible_truncation)] // index is below 256
        let byte = index as u8;
        let alphanumeric = byte.is_ascii_alphanumeric();
        let mut class = 0;
        if alphanumeric || contains(b"!#$%&'*+-.^_`|~", byte) {
            class |= TOKEN;
        }
        // Characters that clients, including browsers, send unescaped: all visible characters except for those that the
        // URL standard always encodes, and except for the backslash, which is invalid in a URI (RFC 3986) and which
        // some parsers treat as a slash. The path has the characters of `http::Uri`, which would reject the others
        // without a response.
        if byte > b' ' && byte < 0x7f && !contains(b"\"<>#\\", byte) {
            class |= QUERY;
            if !contains(b"`", byte) {
                class |= PATH;
            }
        }
        if alphanumeric || contains(b"-._~!$&'()*+,;=", byte) {
            class |= HOST;
        }
        if byte == b'\t' || (byte >= b' ' && byte != 0x7f) {
            class |= VALUE;
        }
        table[index] = class;
        index += 1;
    }
    table
}

const fn contains(set: &[u8], byte: u8) -> bool {
    let mut index = 0;
    while index < set.len() {
        if set[index] == byte {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns true if every byte is in the class. Looks at all bytes, because most requests are valid and a loop without an exit is
/// faster.
pub(crate) fn all(bytes: &[u8], class: u8) -> bool {
    let common = bytes
        .iter()
        .fold(class, |common, &byte| common & CLASSES[usize::from(byte)]);
    common != 0
}

/// Removes the surrounding spaces and tabs, which are not a part of a field value. Other whitespace characters are a
/// part of the value, although libraries would remove them.
///
/// ```
/// use kit_guard::trim;
///
/// assert_eq!(trim(b" \t close "), b"close");
/// assert_eq!(trim(b"\x0bclose"), b"\x0bclose");
/// ```
pub fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}
