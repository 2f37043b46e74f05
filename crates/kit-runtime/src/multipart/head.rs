//! Headers of a part: the name of the field, the name of the file, and the media type.

use std::collections::HashMap;

use super::Mistake;
use crate::media_type::{MediaType, is_token, parse_parameters, trim};

/// Description of a valid header `content-length` of a part, which few clients send.
pub(super) const LENGTH: &str = "a content-length that equals the number of bytes in the part";

/// Description of a part, from its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name of the form's field.
    pub name: String,
    /// Name of the file, without a path. `None` if the part is not a file.
    pub file_name: Option<String>,
    /// Type and subtype in lower case. `None` if the part has no content type.
    pub media_type: Option<String>,
    /// Number of bytes that the header `content-length` declares.
    pub(super) length: Option<usize>,
}

impl Head {
    /// Reads the headers of a part: their lines without the last line break.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Mistake> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Mistake::new("headers of a part in UTF-8", "other bytes"))?;
        let mut headers = HashMap::new();
        for line in text.split("\r\n").filter(|_| !text.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or_default();
            let has_control = line
                .bytes()
                .any(|byte| byte != b'\t' && (byte < b' ' || byte == 0x7f));
            if !is_token(name) || has_control {
                return Err(Mistake::new("headers of a part as `name: value`", "another line"));
            }
            let name = name.to_ascii_lowercase();
            if headers.contains_key(&name) {
                return Err(Mistake::new(format!("one header {name} in a part"), "several"));
            }
            headers.insert(name, trim(value));
        }
        Self::new(&headers)
    }

    fn new(headers: &HashMap<String, &str>) -> Result<Self, Mistake> {
        const EXPECTED: &str = "a header `content-disposition: form-data; name=\"…\"` in each part";
        let disposition = headers
            .get("content-disposition")
            .ok_or_else(|| Mistake::new(EXPECTED, "none"))?;
        let other = || Mistake::new(EXPECTED, "another value");
        let semicolon = disposition.find(';').ok_or_else(other)?;
        let mut parameters = parse_parameters(&disposition[semicolon..]).ok_or_else(other)?;
        if !trim(&disposition[..semicolon]).eq_ignore_ascii_case("form-data") {
            return Err(other());
        }
        let name = parameters.swap_remove("name").ok_or_else(other)?;
        if let Some(encoding) = headers.get("content-transfer-encoding") {
            let encoding = encoding.to_lowercase();
            if !matches!(encoding.as_str(), "7bit" | "8bit" | "binary") {
                let shown: String = encoding.chars().take(40).collect();
                return Err(Mistake::new("parts without a content-transfer-encoding", shown));
            }
        }
        let media_type = match headers.get("content-type") {
            None => None,
            Some(text) => Some(MediaType::parse(text).ok_or_else(|| {
                Mistake::new("a media type as the content-type of a part", "another value")
            })?),
        };
        let charset = media_type
            .as_ref()
            .and_then(|known| known.parameters.get("charset"));
        let is_utf8 = |charset: &String| matches!(charset.to_lowercase().as_str(), "utf-8" | "utf8");
        if !charset.is_none_or(is_utf8) {
            return Err(Mistake::new("text in UTF-8 in each part", "another charset"));
        }
        let length = match headers.get("content-length") {
            None => None,
            Some(text) => {
                let is_number = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse().ok().filter(|_| is_number);
                Some(number.ok_or_else(|| Mistake::new(LENGTH, "another value"))?)
            }
        };
        let file_name = parameters.swap_remove("filename");
        Ok(Self {
            length,
            name: decode_name(&name),
            file_name: file_name.map(|name| base_name(&decode_name(&name)).to_owned()),
            media_type: media_type.map(|known| known.essence),
        })
    }
}

/// Decodes the three characters that browsers escape in names (WHATWG HTML, 4.10.21.8).
fn decode_name(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(percent) = rest.find('%') {
        decoded.push_str(&rest[..percent]);
        let escape = rest.get(percent + 1..percent + 3).map(str::to_ascii_uppercase);
        let character = match escape.as_deref() {
            Some("22") => Some('"'),
            Some("0D") => Some('\r'),
            Some("0A") => Some('\n'),
            _ => None,
        };
        decoded.push(character.unwrap_or('%'));
        rest = &rest[percent + if character.is_some() { 3 } else { 1 }..];
    }
    decoded + rest
}

/// Returns the last part of a path (RFC 7578, 4.2), so that a name such as `../../etc/passwd` is harmless.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
