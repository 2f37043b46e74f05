//! The choice of a subprotocol in a handshake.

use std::fmt;

/// Error for a header `sec-websocket-protocol` that is not a list of distinct tokens (RFC 6455, section 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedOffer;

impl fmt::Display for MalformedOffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("The header sec-websocket-protocol must be a list of distinct tokens")
    }
}

impl std::error::Error for MalformedOffer {}

/// Returns the first subprotocol of a client's offer that the server supports, because a client offers its preferred
/// subprotocol first. `offer` is the value of the header `sec-websocket-protocol`. Returns `None` if the server supports none
/// of them.
///
/// ```
/// use kit_websocket::choose_subprotocol;
///
/// let supported = ["chat.v1", "chat.v2"];
/// assert_eq!(choose_subprotocol("chat.v3, chat.v2, chat.v1", &supported), Ok(Some("chat.v2")));
/// assert_eq!(choose_subprotocol("other", &supported), Ok(None));
/// assert!(choose_subprotocol("chat.v1,", &supported).is_err());
/// ```
///
/// # Errors
///
/// Returns an error if the offer is not a list of distinct tokens.
pub fn choose_subprotocol<'s>(offer: &str, supported: &[&'s str]) -> Result<Option<&'s str>, MalformedOffer> {
    let offered: Vec<&str> = offer
        .split(',')
        .map(|name| name.trim_matches([' ', '\t']))
        .collect();
    let mut sorted = offered.clone();
    sorted.sort_unstable();
    if !offered.iter().all(|name| is_token(name)) || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(MalformedOffer);
    }
    let chosen = offered
        .iter()
        .find_map(|name| supported.iter().find(|known| *known == name));
    Ok(chosen.copied())
}

/// Returns true if a text is a token (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
