//! Names of subjects and authorities as text (RFC 4514).

use std::fmt::Write as _;

use crate::der::{Reader, SEQUENCE, decode_identifier, decode_text};

/// Object identifier of `CN`: 2.5.4.3.
pub(crate) const COMMON_NAME: &[u8] = &[0x55, 4, 3];

/// Short names of attributes: those of RFC 4514, 3, and two that are common.
const SHORT_NAMES: &[(&[u8], &str)] = &[
    (COMMON_NAME, "CN"),
    (&[0x55, 4, 5], "serialNumber"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 9], "STREET"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1], "UID"),
    (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25], "DC"),
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1], "emailAddress"),
];

/// Attribute of a name.
pub(crate) struct Attribute<'a> {
    pub(crate) identifier: &'a [u8],
    pub(crate) tag: u8,
    pub(crate) value: &'a [u8],
}

/// Reads the content of a name: a list of sets of attributes.
pub(crate) fn read(content: &[u8]) -> Option<Vec<Vec<Attribute<'_>>>> {
    let mut sets = Vec::new();
    let mut list = Reader::new(content);
    while let Some((_, set)) = list.next() {
        let mut attributes = Vec::new();
        let mut set = Reader::new(set);
        while let Some((tag, attribute)) = set.next() {
            let mut attribute = Reader::new(attribute);
            let identifier = attribute.expect(0x06).filter(|_| tag == SEQUENCE)?;
            let (tag, value) = attribute.next()?;
            attributes.push(Attribute {
                identifier,
                tag,
                value,
            });
        }
        sets.push(attributes);
    }
    Some(sets)
}

/// Writes a name. The last set comes first (RFC 4514, 2.1).
pub(crate) fn to_text(sets: &[Vec<Attribute<'_>>]) -> String {
    let sets: Vec<_> = sets
        .iter()
        .rev()
        .map(|set| set.iter().map(attribute_text).collect::<Vec<_>>().join("+"))
        .collect();
    sets.join(",")
}

fn attribute_text(
    Attribute {
        identifier,
        tag,
        value,
    }: &Attribute<'_>,
) -> String {
    let short = SHORT_NAMES.iter().find(|(known, _)| known == identifier);
    if let (Some((_, short)), Some(text)) = (short, decode_text(*tag, value)) {
        return format!("{short}={}", escaped(&text));
    }
    let name = short.map(|(_, short)| (*short).to_owned());
    let name = name.or_else(|| decode_identifier(identifier)).unwrap_or_default();
    // Values without a text are written as the hexadecimal digits of their encoding.
    let mut text = format!("{name}=#{tag:02x}");
    if value.len() < 0x80 {
        let _ = write!(text, "{:02x}", value.len());
    } else {
        let bytes = value.len().to_be_bytes();
        let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        let _ = write!(text, "{:02x}", 0x80 | (bytes.len() - start));
        push_hexadecimal(&mut text, &bytes[start..]);
    }
    push_hexadecimal(&mut text, value);
    text
}

fn push_hexadecimal(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
}

/// Escapes a value so that no value can look like another attribute (RFC 4514, 2.4).
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    for (index, character) in value.chars().enumerate() {
        match character {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => text.extend(['\\', character]),
            '#' if index == 0 => text.push_str("\\#"),
            ' ' if index == 0 || index == last => text.push_str("\\ "),
            '\0'..='\x1F' | '\x7F' => {
                let _ = write!(text, "\\{:02x}", u32::from(character));
            }
            _ => text.push(character),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Attribute, escaped, to_text};

    #[test]
    fn escapes_values_that_could_look_like_another_attribute() {
        assert_eq!(escaped("a,O=b+c\\d"), "a\\,O=b\\+c\\\\d");
        assert_eq!(escaped(" # a "), "\\ # a\\ ");
        assert_eq!(escaped("#a\0\n"), "\\#a\\00\\0a");
        assert_eq!(escaped(" "), "\\ ");
    }

    #[test]
    fn writes_the_last_set_first_and_values_without_text_as_digits() {
        let attribute = |identifier, tag, value| Attribute {
            identifier,
            tag,
            value,
        };
        let sets = [
            vec![attribute(&[0x55, 4, 10][..], 0x0C, &b"Acme"[..])],
            vec![
                attribute(&[0x55, 4, 3], 0x13, b"a"),
                attribute(&[0x55, 4, 12], 0x0C, b"b"),
            ],
            vec![attribute(&[0x55, 4, 11], 0x14, &[0xE4])],
        ];
        assert_eq!(to_text(&sets), "OU=#1401e4,CN=a+2.5.4.12=#0c0162,O=Acme");
    }
}
