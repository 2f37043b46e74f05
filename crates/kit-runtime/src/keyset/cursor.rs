//! Text of cursors: JSON in base64url, with a signature if there are keys.

use crate::bytes::{base64url, from_base64url};
use crate::cookies::CookieKeys;
use crate::json::to_text;

/// Maximum length of a cursor.
pub(super) const MAX_LENGTH: usize = 1024;

/// Side of an item on which a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// After the item.
    Next,
    /// Before the item.
    Previous,
}

/// Place in a list: the key of an item, and the side of the item on which the page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) side: Side,
    /// Values of the columns, as text.
    pub(super) key: Vec<String>,
}

impl Position {
    /// Returns the text of a cursor. `list` is the fingerprint of the list.
    pub(super) fn encode(&self, list: &str, keys: &CookieKeys) -> String {
        let side = match self.side {
            Side::Next => "n",
            Side::Previous => "p",
        };
        let mut parts = vec![list, side];
        parts.extend(self.key.iter().map(String::as_str));
        // A list of strings always has a JSON form.
        let payload = base64url(to_text(&parts).unwrap_or_default().as_bytes());
        match keys.sign_text(&signed(&payload)) {
            Some(signature) => format!("{payload}.{signature}"),
            None => payload,
        }
    }

    /// Returns the position in the text of a cursor. Returns `None` if the text is not a cursor of this list, or if no
    /// key has made its signature. The comparison takes the same time for every signature.
    pub(super) fn decode(text: &str, list: &str, keys: &CookieKeys) -> Option<Self> {
        if text.len() > MAX_LENGTH {
            return None;
        }
        let (payload, signature) = match text.split_once('.') {
            Some((payload, signature)) => (payload, Some(signature)),
            None => (text, None),
        };
        let is_signed = match signature {
            Some(signature) => keys.verify_text(&signed(payload), signature),
            None => keys.is_empty(),
        };
        if !is_signed {
            return None;
        }
        let parts: Vec<String> = serde_json::from_slice(&from_base64url(payload)?).ok()?;
        let mut parts = parts.into_iter();
        if parts.next()? != list {
            return None;
        }
        let side = match parts.next()?.as_str() {
            "n" => Side::Next,
            "p" => Side::Previous,
            _ => return None,
        };
        Some(Self {
            side,
            key: parts.collect(),
        })
    }
}

/// Returns the text that a signature is made for. The name keeps signatures of cursors apart from signatures of cookies, if
/// both have the same key.
fn signed(payload: &str) -> String {
    format!("kit cursor {payload}")
}
