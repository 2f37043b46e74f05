//! Entries of forwarding headers: the address of the client, and the scheme and the host that it uses.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

/// Header in which proxies report the address of the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ForwardingHeader {
    #[default]
    XForwardedFor,
    /// The header `Forwarded` of RFC 7239.
    Forwarded,
}

impl ForwardingHeader {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

/// Report of a trusted proxy about the request of the client.
#[derive(Debug, Default)]
pub(super) struct Forwarded {
    pub(super) scheme: Report,
    pub(super) host: Report,
}

/// Part of the report of a trusted proxy.
#[derive(Debug, Default)]
pub(super) enum Report {
    /// The proxy reports nothing, or kit does not read its report.
    #[default]
    None,
    Malformed,
    Text(String),
}

impl Report {
    /// Checks the name of a scheme.
    pub(super) fn scheme(text: Option<Cow<'_, str>>) -> Self {
        Self::checked(text, |scheme| matches!(scheme, "http" | "https"))
    }

    /// Checks the name or the address of a host with an optional port (RFC 9110, section 7.2), without characters that only
    /// user names have.
    pub(super) fn host(text: Option<Cow<'_, str>>) -> Self {
        Self::checked(text, is_host)
    }

    /// Converts a text to lower case and checks it.
    fn checked(text: Option<Cow<'_, str>>, is_valid: impl FnOnce(&str) -> bool) -> Self {
        let Some(text) = text else {
            return Self::None;
        };
        let text = text.to_ascii_lowercase();
        if is_valid(&text) {
            Self::Text(text)
        } else {
            Self::Malformed
        }
    }

    /// Returns the reported text, or `other` if the proxy reports nothing. Returns `None` for a malformed report.
    pub(super) fn or_else(self, other: impl FnOnce() -> Option<String>) -> Option<String> {
        match self {
            Self::None => other(),
            Self::Malformed => None,
            Self::Text(text) => Some(text),
        }
    }
}

/// Entry of a proxy.
pub(super) struct Entry {
    /// Address in the entry. `None` if the entry has no valid address.
    pub(super) address: Option<IpAddr>,
    pub(super) scheme: Report,
    pub(super) host: Report,
}

/// Iterator over the entries of a forwarding header, from right to left. A malformed entry is `Some(None)`.
pub(super) struct EntriesFromRight<'t> {
    pub(super) header: ForwardingHeader,
    /// Part of the header that was not read yet.
    pub(super) rest: Option<&'t str>,
}

impl Iterator for EntriesFromRight<'_> {
    type Item = Option<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        let start = match self.header {
            ForwardingHeader::XForwardedFor => Some(rest.rfind(',').map_or(0, |comma| comma + 1)),
            ForwardingHeader::Forwarded => start_of_last_element(rest),
        };
        let Some(start) = start else {
            self.rest = None;
            return Some(None);
        };
        self.rest = start.checked_sub(1).map(|comma| &rest[..comma]);
        let entry = rest[start..].trim_matches(BLANKS);
        Some(match self.header {
            ForwardingHeader::XForwardedFor => Some(Entry {
                address: read_address(entry),
                scheme: Report::None,
                host: Report::None,
            }),
            ForwardingHeader::Forwarded => read_element(entry),
        })
    }
}

/// Whitespace in HTTP headers. `str::trim` would also remove non-ASCII characters of Latin-1.
const BLANKS: [char; 2] = [' ', '\t'];

/// Returns the position at which the last element of a `Forwarded` header begins: after the last comma that is not in
/// quotes, or 0 if there is no comma. Returns `None` if a quoted string in the element has no end.
fn start_of_last_element(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut is_quoted, mut end) = (false, bytes.len());
    while let Some(at) = end.checked_sub(1) {
        end = at;
        if bytes[at] == b'"' {
            let backslashes = bytes[..at]
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count();
            end -= backslashes;
            if backslashes % 2 == 0 {
                is_quoted = !is_quoted;
            } else if !is_quoted {
                // An escaped quote is valid only in a quoted string, and does not end it.
                return None;
            }
        } else if bytes[at] == b',' && !is_quoted {
            return Some(at + 1);
        }
    }
    (!is_quoted).then_some(0)
}

/// Returns the entry in an element of a `Forwarded` header (RFC 7239, 4). Returns `None` if the element is malformed, or does not have exactly one `for`. Accepts more than the standard, because some proxies write it:
/// whitespace around `;`, and `[`, `]` and `:` in values without quotes.
fn read_element(element: &str) -> Option<Entry> {
    let (mut node, mut schemes, mut hosts) = (None, Vec::new(), Vec::new());
    let mut rest = element.trim_start_matches(BLANKS);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(';') {
            rest = after.trim_start_matches(BLANKS);
            continue;
        }
        let (name, after) = rest.split_at(token_length(rest, ""));
        let after = after.strip_prefix('=').filter(|_| !name.is_empty())?;
        let (value, after) = if let Some(quoted) = after.strip_prefix('"') {
            quoted_string(quoted)?
        } else {
            let (value, after) = after.split_at(token_length(after, ":[]"));
            (
                Some(Cow::Borrowed(value)).filter(|value| !value.is_empty())?,
                after,
            )
        };
        match name.to_ascii_lowercase().as_str() {
            "for" if node.is_some() => return None,
            "for" => node = Some(value),
            "proto" => schemes.push(value),
            "host" => hosts.push(value),
            _ => {}
        }
        let after = after.trim_start_matches(BLANKS);
        rest = if after.is_empty() {
            after
        } else {
            after.strip_prefix(';')?.trim_start_matches(BLANKS)
        };
    }
    let node = node?;
    let only = |mut values: Vec<Cow<'_, str>>, check: fn(Option<Cow<'_, str>>) -> Report| {
        if values.len() > 1 {
            Report::Malformed
        } else {
            check(values.pop())
        }
    };
    Some(Entry {
        address: read_address(&node),
        scheme: only(schemes, Report::scheme),
        host: only(hosts, Report::host),
    })
}

/// Returns the length of the token that a string begins with (RFC 9110, 5.6.2). The characters of `further` count as
/// part of a token too.
fn token_length(text: &str, further: &str) -> usize {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"!#$%&'*+-.^_`|~".contains(&byte)
            || further.as_bytes().contains(&byte)
    };
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

/// Returns the value of a quoted string, and the text after the string. `text` begins after the opening quote.
/// Returns `None` if the closing quote is missing.
fn quoted_string(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut said = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((Cow::Owned(said), &text[at + 1..])),
            '\\' => said.push(characters.next()?.1),
            other => said.push(other),
        }
    }
    None
}

/// Parses `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`. The port may be a name such as
/// `_hidden` (RFC 7239, 6.3).
fn read_address(text: &str) -> Option<IpAddr> {
    let is_rest = |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let address: Ipv6Addr = address.parse().ok()?;
        return Some(IpAddr::V6(address).to_canonical()).filter(|_| is_rest(rest));
    }
    let plain = match text.split_once(':') {
        Some((address, port)) if is_port(port) && address.contains('.') => address,
        _ => text,
    };
    plain.parse().ok().map(|address: IpAddr| address.to_canonical())
}

fn is_port(text: &str) -> bool {
    match text.strip_prefix('_') {
        Some(name) => {
            (1..=64).contains(&name.len())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        }
        None => (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Returns the item of a list that a proxy wrote if `count` proxies append one item each, the nearest proxy the last one.
/// Returns the first item of a shorter list, because a proxy may replace the list or pass it on.
pub(super) fn item_of_proxy(text: &str, count: usize) -> &str {
    let item = text.rsplit(',').take(count).last().unwrap_or(text);
    item.trim_matches(BLANKS)
}

/// Returns true for a name or an address in lower case, with an optional port.
fn is_host(text: &str) -> bool {
    let is_port = |rest: &str| {
        rest.is_empty()
            || rest.strip_prefix(':').is_some_and(|port| {
                (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    if let Some(rest) = text.strip_prefix('[') {
        return rest.split_once(']').is_some_and(|(address, rest)| {
            let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b':' | b'.');
            (2..=45).contains(&address.len()) && address.bytes().all(is_part) && is_port(rest)
        });
    }
    let is_part = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'.' | b'_' | b'-');
    let end = text.find(':').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    (1..=255).contains(&name.len()) && name.bytes().all(is_part) && is_port(rest)
}
