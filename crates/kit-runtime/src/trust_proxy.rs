//! Finds the address of the client of a request if there are proxies in front of the server.
//!
//! Each proxy appends an entry to its header. Everything to the left of the entries of trusted proxies comes from the
//! client. So entries are read from the right, one at a time, and nothing further left can change how an entry is read:
//! a quote that a client opened cannot swallow the entry of a proxy. `packages/core/src/request/forwarded.ts`
//! implements the same, and `conformance/trust-proxy.json` tests both implementations.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use crate::Error;

/// Trusted proxies, and the header in which they report the address of the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustProxy {
    proxies: Proxies,
    header: ForwardingHeader,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Proxies {
    /// No proxy is trusted.
    #[default]
    None,
    /// Number of trusted proxies, starting with the proxy nearest to the server.
    Count(usize),
    /// Proxies with these addresses are trusted.
    Ranges(Vec<IpNet>),
    /// All proxies are trusted. This is safe only if each proxy replaces the header.
    All,
}

/// Header in which proxies report the address of the client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ForwardingHeader {
    #[default]
    XForwardedFor,
    /// The header `Forwarded` of RFC 7239.
    Forwarded,
}

const NAMES: [(&str, &[&str]); 3] = [
    ("loopback", &["127.0.0.0/8", "::1/128"]),
    ("linklocal", &["169.254.0.0/16", "fe80::/10"]),
    (
        "uniquelocal",
        &["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
    ),
];

impl TrustProxy {
    /// Parses the two environment variables. `proxies` is `TRUST_PROXY`: `true`, `false`, a number of proxies, or a
    /// comma-separated list of addresses, ranges and names. `header` is `TRUST_PROXY_HEADER`: `x-forwarded-for`
    /// (default) or `forwarded`.
    ///
    /// # Errors
    ///
    /// If one of the two values is invalid. The message names the variable.
    pub fn parse(proxies: &str, header: Option<&str>) -> Result<Self, Error> {
        let header = match header.map(str::trim) {
            None | Some("x-forwarded-for") => ForwardingHeader::XForwardedFor,
            Some("forwarded") => ForwardingHeader::Forwarded,
            Some(other) => {
                return Err(Error::internal(format!(
                    "TRUST_PROXY_HEADER: `{other}` is neither x-forwarded-for nor forwarded"
                )));
            }
        };
        Ok(Self {
            proxies: Proxies::parse(proxies)?,
            header,
        })
    }

    /// Returns the address of the client, or `None` if it is unknown. `peer` is the address at the other end of the
    /// connection. `header` returns a header of the request, with the values of a repeated header joined by commas.
    pub fn client<'h>(
        &self,
        peer: IpAddr,
        header: impl FnOnce(&str) -> Option<Cow<'h, str>>,
    ) -> Option<IpAddr> {
        let mut address = peer.to_canonical();
        if !self.proxies.trusts(address, 0) {
            return Some(address);
        }
        // A request of the proxy itself, such as a health check, has no such header.
        let Some(text) = header(self.header.name()) else {
            return Some(address);
        };
        let mut entries = EntriesFromRight {
            header: self.header,
            rest: Some(&text),
        };
        let mut distance = 0;
        while self.proxies.trusts(address, distance) {
            match entries.next() {
                // A malformed entry must not become the address of the proxy that wrote it: an application that trusts
                // internal addresses would then trust the client.
                Some(next) => address = next?,
                None => break,
            }
            distance += 1;
        }
        Some(address)
    }
}

impl Proxies {
    fn parse(text: &str) -> Result<Self, Error> {
        match text.trim() {
            "true" => return Ok(Self::All),
            "false" | "0" => return Ok(Self::None),
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                let count = number.parse().ok().filter(|count| *count > 0);
                return count.map(Self::Count).ok_or_else(|| refused(number));
            }
            _ => {}
        }
        let mut ranges = Vec::new();
        for item in text.split(',').map(str::trim) {
            let known = NAMES.iter().find(|(name, _)| *name == item);
            for text in known.map_or(&[item][..], |(_, texts)| texts) {
                ranges.push(parse_range(text).ok_or_else(|| refused(item))?);
            }
        }
        Ok(Self::Ranges(ranges))
    }

    /// Returns true if the proxy at an address is trusted. `distance` is its number counted from the server; the peer
    /// has 0.
    fn trusts(&self, address: IpAddr, distance: usize) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Count(count) => distance < *count,
            Self::Ranges(ranges) => ranges.iter().any(|range| range.contains(&address)),
        }
    }
}

fn refused(found: &str) -> Error {
    Error::internal(format!(
        "TRUST_PROXY: `{found}` is none of true, false, a number of proxies, an address or range such as 10.0.0.0/8, loopback, \
         linklocal and uniquelocal; several addresses and names have commas between"
    ))
}

/// Parses an address or a range. Refuses forms such as `010.0.0.0/8`, which the library would accept.
fn parse_range(text: &str) -> Option<IpNet> {
    let Some((address, length)) = text.split_once('/') else {
        return Some(IpNet::from(text.parse::<IpAddr>().ok()?));
    };
    let is_length = length.len() <= 3 && length.bytes().all(|byte| byte.is_ascii_digit());
    let bits = length.parse().ok().filter(|_| is_length)?;
    IpNet::new(address.parse().ok()?, bits).ok()
}

impl ForwardingHeader {
    fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

/// Iterator over the entries of a forwarding header, from right to left. An entry without a valid address is
/// `Some(None)`.
struct EntriesFromRight<'t> {
    header: ForwardingHeader,
    /// Part of the header that was not read yet.
    rest: Option<&'t str>,
}

impl Iterator for EntriesFromRight<'_> {
    type Item = Option<IpAddr>;

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
        let node = match self.header {
            ForwardingHeader::XForwardedFor => Some(Cow::Borrowed(entry)),
            ForwardingHeader::Forwarded => node_of_element(entry),
        };
        Some(node.and_then(|node| read_address(&node)))
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

/// Returns the value of `for` in an element of a `Forwarded` header (RFC 7239, 4). Returns `None` if the element is
/// malformed, or does not have exactly one `for`. Accepts more than the standard, because some proxies write it:
/// whitespace around `;`, and `[`, `]` and `:` in values without quotes.
fn node_of_element(element: &str) -> Option<Cow<'_, str>> {
    let mut node = None;
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
        if name.eq_ignore_ascii_case("for") && node.replace(value).is_some() {
            return None;
        }
        let after = after.trim_start_matches(BLANKS);
        rest = if after.is_empty() {
            after
        } else {
            after.strip_prefix(';')?.trim_start_matches(BLANKS)
        };
    }
    node
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
