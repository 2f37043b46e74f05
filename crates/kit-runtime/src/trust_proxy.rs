//! Finds out which address a request came from if proxies stand before the server.
//!
//! Each proxy appends an entry to the one header that it writes, and everything to the left of the entries of trusted proxies is the client's.
//! So entries are read from the right, one at a time, and nothing that stands further left can change how an entry is read: no quote that a
//! client opened swallows the entry of a proxy. `packages/core/src/request/forwarded.ts` does the same; `conformance/trust-proxy.json` holds both.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::Error;

/// Which proxies are believed when they say where a request came from, and by which header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustProxy {
    proxies: Proxies,
    header: ForwardingHeader,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Proxies {
    /// None.
    #[default]
    Nobody,
    /// So many, one behind the other.
    Count(usize),
    /// Those with these addresses.
    Ranges(Vec<Range>),
    /// All: only if each replaces the header.
    Everybody,
}

/// A header by which proxies say where a request came from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ForwardingHeader {
    #[default]
    XForwardedFor,
    /// RFC 7239.
    Forwarded,
}

/// Addresses with a common beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    address: IpAddr,
    bits: u32,
}

const NAMES: [(&str, &[(IpAddr, u32)]); 3] = [
    (
        "loopback",
        &[
            (IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), 8),
            (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
        ],
    ),
    (
        "linklocal",
        &[
            (IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), 16),
            (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), 10),
        ],
    ),
    (
        "uniquelocal",
        &[
            (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
            (IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), 12),
            (IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), 16),
            (IpAddr::V6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0)), 7),
        ],
    ),
];

impl TrustProxy {
    /// Reads `TRUST_PROXY`: `true`, `false`, a number of proxies, or a list of addresses, ranges and names with commas between; and
    /// `TRUST_PROXY_HEADER`: `x-forwarded-for` (default) or `forwarded`.
    ///
    /// # Errors
    ///
    /// Says which of the two is wrong.
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

    /// Finds the client's address from that of the peer and the header that the proxies write; `header` reads a header of the request, with
    /// repeated ones joined by commas. Nothing if the address is unknown.
    pub fn client<'h>(
        &self,
        peer: IpAddr,
        header: impl FnOnce(&str) -> Option<Cow<'h, str>>,
    ) -> Option<IpAddr> {
        let mut address = peer.to_canonical();
        if !self.proxies.trusts(address, 0) {
            return Some(address);
        }
        // A proxy that asks for itself, for example for a health check, writes no header.
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
                // An entry that is malformed or no address is not the address of the proxy that wrote it: whoever trusts internal
                // addresses would trust the client then.
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
            "true" => return Ok(Self::Everybody),
            "false" | "0" => return Ok(Self::Nobody),
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                let count = number.parse().ok().filter(|count| *count > 0);
                return count.map(Self::Count).ok_or_else(|| refused(number));
            }
            _ => {}
        }
        let mut ranges = Vec::new();
        for item in text.split(',').map(str::trim) {
            if let Some((_, known)) = NAMES.iter().find(|(name, _)| *name == item) {
                ranges.extend(known.iter().map(|(address, bits)| Range {
                    address: *address,
                    bits: *bits,
                }));
            } else {
                ranges.push(Range::parse(item).ok_or_else(|| refused(item))?);
            }
        }
        Ok(Self::Ranges(ranges))
    }

    /// Returns true if the proxy at an address is believed; `distance` counts from the server, whose peer has 0.
    fn trusts(&self, address: IpAddr, distance: usize) -> bool {
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::Count(count) => distance < *count,
            Self::Ranges(ranges) => ranges.iter().any(|range| range.has(address)),
        }
    }
}

fn refused(found: &str) -> Error {
    Error::internal(format!(
        "TRUST_PROXY: `{found}` is none of true, false, a number of proxies, an address or range such as 10.0.0.0/8, loopback, \
         linklocal and uniquelocal; several addresses and names have commas between"
    ))
}

impl Range {
    fn parse(text: &str) -> Option<Self> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match length {
            None => most,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok()?,
            Some(_) => return None,
        };
        (bits <= most).then_some(Self { address, bits })
    }

    fn has(&self, address: IpAddr) -> bool {
        match (self.address, address) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = u32::from(own) ^ u32::from(other);
                differing.leading_zeros() >= self.bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = u128::from(own) ^ u128::from(other);
                differing.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl ForwardingHeader {
    fn name(self) -> &'static str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
        }
    }
}

/// The entries of a header, from right to left. An entry without an address is `Some(None)`.
struct EntriesFromRight<'t> {
    header: ForwardingHeader,
    /// The text of the entries that were not read yet.
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

/// All that HTTP has around values. `str::trim` also takes characters that Latin-1 has beyond ASCII.
const BLANKS: [char; 2] = [' ', '\t'];

/// Looks for the beginning of the last element of a `Forwarded` header, from the right: behind a comma, or at 0. Nothing if the quotes of the
/// element do not match.
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
                // Only a quoted string may have an escaped quote; it does not end there.
                return None;
            }
        } else if bytes[at] == b',' && !is_quoted {
            return Some(at + 1);
        }
    }
    (!is_quoted).then_some(0)
}

/// The value of `for` in an element of a `Forwarded` header (RFC 7239, 4). Nothing if the element is malformed, or has not exactly one `for`.
/// Beyond the standard, blanks may stand around `;`, and `[`, `]` and `:` in values without quotes, as some proxies write them.
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

/// Length of the token at the beginning of a text (RFC 9110, 5.6.2), with further characters that it may have.
fn token_length(text: &str, further: &str) -> usize {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || b"!#$%&'*+-.^_`|~".contains(&byte)
            || further.as_bytes().contains(&byte)
    };
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

/// Value of a quoted string, and the text that follows; `text` begins behind its first quote.
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

/// Reads `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1` and `[2001:db8::1]:4711`; the port may be a name such as `_hidden` (RFC 7239, 6.3).
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
