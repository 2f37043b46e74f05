//! Reads values of ASN.1 in DER (X.690).

/// Tag of a sequence.
pub(crate) const SEQUENCE: u8 = 0x30;

/// Reads values one after the other.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Returns tag and content of the next value. Returns `None` at the end, and if the value is not valid.
    pub(crate) fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        // A tag whose lowest bits are all set continues in further bytes. No field of a certificate has such a tag.
        if tag & 0x1F == 0x1F {
            return None;
        }
        let mut length = usize::from(first);
        if first >= 0x80 {
            // The other bits are the number of bytes of the length. 0 means that the length is unknown, which DER forbids.
            let count = usize::from(first & 0x7F);
            if count == 0 || count > 3 {
                return None;
            }
            let (bytes, after) = rest.split_at_checked(count)?;
            length = bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
            rest = after;
        }
        let (content, after) = rest.split_at_checked(length)?;
        self.0 = after;
        Some((tag, content))
    }

    /// Returns the content of the next value if it has this tag.
    pub(crate) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next()
            .filter(|(found, _)| *found == tag)
            .map(|(_, content)| content)
    }
}

/// Returns the text of a string value. Returns `None` for types that no authority should use any more, such as `TeletexString`.
pub(crate) fn decode_text(tag: u8, content: &[u8]) -> Option<String> {
    match tag {
        // `UTF8String`
        0x0C => std::str::from_utf8(content).ok().map(str::to_owned),
        // `PrintableString` and `IA5String`
        0x13 | 0x16 => std::str::from_utf8(content)
            .ok()
            .filter(|text| text.is_ascii())
            .map(str::to_owned),
        // `BMPString`
        0x1E if content.len() % 2 == 0 => {
            let units = content
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
            String::from_utf16(&units.collect::<Vec<_>>()).ok()
        }
        _ => None,
    }
}

/// Returns an object identifier as numbers with dots. Returns `None` if the identifier is not valid.
pub(crate) fn decode_identifier(content: &[u8]) -> Option<String> {
    let mut numbers = Vec::new();
    let mut number = 0_u64;
    for byte in content {
        number = number.checked_mul(128)? + u64::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            numbers.push(std::mem::take(&mut number));
        }
    }
    if content.last().is_none_or(|last| last & 0x80 != 0) {
        return None;
    }
    // The first number on the wire contains two numbers.
    let first = numbers.first()?;
    let top = (first / 40).min(2);
    let mut text = format!("{top}.{}", first - 40 * top);
    for number in &numbers[1..] {
        text.push('.');
        text.push_str(&number.to_string());
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Reader, decode_identifier, decode_text};

    #[test]
    fn reads_short_and_long_lengths_and_refuses_incomplete_values() {
        let mut long = vec![0x04, 0x81, 0x80];
        long.resize(3 + 128, 7);
        assert_eq!(
            Reader::new(&long)
                .next()
                .map(|(tag, content)| (tag, content.len())),
            Some((4, 128))
        );
        for bytes in [
            &[0x04][..],
            &[0x04, 2, 1],
            &[0x04, 0x80],
            &[0x04, 0x84, 0, 0, 0, 0],
            &[0x1F, 1, 0],
        ] {
            assert!(Reader::new(bytes).next().is_none(), "{bytes:?}");
        }
    }

    #[test]
    fn decodes_texts_of_four_types() {
        assert_eq!(decode_text(0x0C, "ä".as_bytes()).as_deref(), Some("ä"));
        assert_eq!(decode_text(0x0C, &[0xFF]), None);
        assert_eq!(decode_text(0x13, &[0xC3, 0xA4]), None);
        assert_eq!(decode_text(0x1E, &[0, 0xE4]).as_deref(), Some("ä"));
        assert_eq!(decode_text(0x1E, &[0xE4]), None);
        assert_eq!(decode_text(0x14, b"a"), None);
    }

    #[test]
    fn decodes_object_identifiers() {
        assert_eq!(decode_identifier(&[0x55, 4, 3]).as_deref(), Some("2.5.4.3"));
        assert_eq!(
            decode_identifier(&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1]).as_deref(),
            Some("1.2.840.113549.1.9.1")
        );
        assert_eq!(decode_identifier(&[0x88, 0x37]).as_deref(), Some("2.999"));
        assert_eq!(decode_identifier(&[0x55, 0x84]), None);
        assert_eq!(decode_identifier(&[]), None);
    }
}
