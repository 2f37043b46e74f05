//! The handshake.

use sha1::{Digest as _, Sha1};

/// Returns the value of `sec-websocket-accept` for the value of `sec-websocket-key` (RFC 6455, section 4.2.2).
///
/// ```
/// use kit_websocket::accept_key;
///
/// assert_eq!(accept_key(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
/// ```
#[must_use]
pub fn accept_key(key: &[u8]) -> String {
    let mut hash = Sha1::new();
    hash.update(key);
    hash.update(b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    base64(&hash.finalize())
}

/// Returns a value of `sec-websocket-key` for the handshake of a client, from random bytes (RFC 6455, section 4.1).
///
/// ```
/// use kit_websocket::handshake_key;
///
/// assert_eq!(handshake_key(*b"the sample nonce"), "dGhlIHNhbXBsZSBub25jZQ==");
/// ```
#[must_use]
pub fn handshake_key(random: [u8; 16]) -> String {
    base64(&random)
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            if digit > chunk.len() {
                text.push('=');
            } else {
                text.push(char::from(ALPHABET[(bits >> (18 - 6 * digit)) as usize & 63]));
            }
        }
    }
    text
}

/// Compression that a handshake agrees on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Messages are not compressed.
    None,
    /// Each message may be compressed, without a context of earlier messages.
    Deflate,
}

impl Compression {
    /// Value of `sec-websocket-extensions` in the response, if [`Self::negotiate`] has returned [`Self::Deflate`].
    pub const RESPONSE: &str = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

    /// Chooses from the value of `sec-websocket-extensions` in the request. Compresses if an offer of
    /// permessage-deflate lets the server use a window of 32 KiB. Ignores other extensions and invalid offers.
    ///
    /// ```
    /// use kit_websocket::Compression;
    ///
    /// let choose = |offers: &str| Compression::negotiate(offers.as_bytes());
    /// assert_eq!(choose("permessage-deflate; client_max_window_bits"), Compression::Deflate);
    /// assert_eq!(choose("permessage-deflate; server_max_window_bits=9"), Compression::None);
    /// assert_eq!(choose("permessage-deflate; server_max_window_bits=9, permessage-deflate"), Compression::Deflate);
    /// assert_eq!(choose("x-webkit-deflate-frame"), Compression::None);
    /// ```
    #[must_use]
    pub fn negotiate(offers: &[u8]) -> Self {
        let is_usable = offers.split(|byte| *byte == b',').any(is_usable_offer);
        if is_usable { Self::Deflate } else { Self::None }
    }
}

fn is_usable_offer(offer: &[u8]) -> bool {
    let mut parts = offer.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    if !parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(b"permessage-deflate"))
    {
        return false;
    }
    let mut seen: Vec<&[u8]> = Vec::new();
    parts.all(|parameter| {
        let (name, value) = match parameter.iter().position(|byte| *byte == b'=') {
            Some(at) => (
                parameter[..at].trim_ascii(),
                Some(unquoted(parameter[at + 1..].trim_ascii())),
            ),
            None => (parameter, None),
        };
        // An offer with an unknown or repeated parameter is invalid (RFC 7692, section 7.1).
        if seen.contains(&name) {
            return false;
        }
        seen.push(name);
        match (name, value) {
            (
                b"server_no_context_takeover" | b"client_no_context_takeover" | b"client_max_window_bits",
                None,
            ) => true,
            (b"client_max_window_bits", Some(bits)) => {
                matches!(bits, [b'8' | b'9'] | [b'1', b'0'..=b'5'])
            }
            // The compressor has a window of 32 KiB only.
            (b"server_max_window_bits", Some(bits)) => bits == b"15",
            _ => false,
        }
    })
}

fn unquoted(value: &[u8]) -> &[u8] {
    value
        .strip_prefix(b"\"")
        .and_then(|value| value.strip_suffix(b"\""))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{Compression, base64};

    #[test]
    fn encodes_base64_of_every_length() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"\xff\xff\xfe", "///+"),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn ignores_offers_of_compression_that_are_invalid_or_unusable() {
        for offer in [
            "",
            "permessage-deflat",
            "permessage-deflate; client_max_window_bits=7",
            "permessage-deflate; client_max_window_bits=16",
            "permessage-deflate; server_max_window_bits",
            "permessage-deflate; server_max_window_bits=8",
            "permessage-deflate; server_no_context_takeover=1",
            "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
            "permessage-deflate; x",
            "x; permessage-deflate",
        ] {
            assert_eq!(
                Compression::negotiate(offer.as_bytes()),
                Compression::None,
                "{offer}"
            );
        }
        for offer in [
            "permessage-deflate",
            " Permessage-Deflate ; client_max_window_bits = \"15\" ",
            "x, permessage-deflate; server_max_window_bits=15; server_no_context_takeover",
        ] {
            assert_eq!(
                Compression::negotiate(offer.as_bytes()),
                Compression::Deflate,
                "{offer}"
            );
        }
    }
}
