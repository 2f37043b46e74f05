//! Which address a request came from, where proxies stand before the server.
//!
//! Every proxy appends the address that it was reached from to `X-Forwarded-For`, and the first entries are whatever the client sent. So the
//! header is read from the right, and only as far as the proxies that are trusted reach: what stands further left anybody may have made up.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::Error;

/// Which proxies are believed when they say where a request came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum TrustProxy {
    /// None.
    #[default]
    Nobody,
    /// So many, one behind the other.
    Count(usize),
    /// Those with these addresses.
    Ranges(Vec<Range>),
    /// All: only where each replaces the header.
    Everybody,
}

/// Addresses with a common beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
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
    /// `true`, `false`, a number of proxies, or a list of addresses, ranges and names with commas between.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
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

    /// The client's address, from that of the peer and what the request's headers say.
    pub(crate) fn client(&self, peer: IpAddr, header: impl Fn(&str) -> Option<String>) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer, 0) {
            return peer;
        }
        let listed =
            header("x-forwarded-for").map(|list| self.find(peer, &list.split(',').collect::<Vec<_>>()));
        let standard = header("forwarded").map(|list| {
            let entries = read_for(&list);
            self.find(peer, &entries.iter().map(String::as_str).collect::<Vec<_>>())
        });
        match (listed, standard) {
            // Proxies write one of the two and pass the other on as the client sent it; which, is not known here.
            (Some(listed), Some(standard)) if listed != standard => peer,
            (Some(found), _) | (None, Some(found)) => found,
            (None, None) => peer,
        }
    }

    /// Whether the proxy at an address is believed; `distance` counts from the server, whose peer has 0.
    fn trusts(&self, address: IpAddr, distance: usize) -> bool {
        match self {
            Self::Nobody => false,
            Self::Everybody => true,
            Self::Count(count) => distance < *count,
            Self::Ranges(ranges) => ranges.iter().any(|range| range.has(address)),
        }
    }

    /// Goes from the server to the client, one proxy at a time. An entry that is no address is as far as it is known where the request came
    /// from: the proxy that wrote it is the answer then.
    fn find(&self, peer: IpAddr, entries: &[&str]) -> IpAddr {
        let mut address = peer;
        for (distance, entry) in entries.iter().rev().enumerate() {
            if !self.trusts(address, distance) {
                break;
            }
            match read_address(entry) {
                Some(next) => address = next,
                None => break,
            }
        }
        address
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

/// The `for` of each element of a `Forwarded` header (RFC 7239); empty where an element has none.
fn read_for(header: &str) -> Vec<String> {
    let value_of = |element: &str| {
        for pair in split_outside_quotes(element, ';') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !name.trim().eq_ignore_ascii_case("for") {
                continue;
            }
            let value = value.trim();
            let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            return quoted.map_or_else(|| value.to_owned(), unescape);
        }
        String::new()
    };
    split_outside_quotes(header, ',')
        .into_iter()
        .map(value_of)
        .collect()
}

fn unescape(quoted: &str) -> String {
    let mut text = String::with_capacity(quoted.len());
    let mut characters = quoted.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    text
}

fn split_outside_quotes(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (index, character) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' && is_quoted {
            is_escaped = true;
        } else if character == '"' {
            is_quoted = !is_quoted;
        } else if character == separator && !is_quoted {
            parts.push(&text[start..index]);
            start = index + character.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The address of an entry, which may have a port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
fn read_address(entry: &str) -> Option<IpAddr> {
    let text = entry.trim();
    let is_port =
        |port: &str| (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_rest = |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    if let Some(rest) = text.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        return Some(IpAddr::V6(address.parse().ok()?).to_canonical()).filter(|_| is_rest(rest));
    }
    let plain = match text.split_once(':') {
        Some((address, port)) if is_port(port) && address.contains('.') => address,
        _ => text,
    };
    plain.parse().ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::TrustProxy;

    fn ip(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    fn client(option: &str, peer: &str, headers: &[(&str, &str)]) -> String {
        let option = TrustProxy::parse(option).expect(option);
        let header = |name: &str| {
            let found = headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        option.client(ip(peer), header).to_string()
    }

    #[test]
    fn the_header_is_read_as_far_as_the_proxies_are_trusted() {
        let list = [("x-forwarded-for", "6.6.6.6, 203.0.113.9, 10.0.0.2")];
        for (option, peer, found) in [
            ("false", "10.0.0.1", "10.0.0.1"),
            ("1", "10.0.0.1", "10.0.0.2"),
            ("2", "10.0.0.1", "203.0.113.9"),
            ("9", "10.0.0.1", "6.6.6.6"),
            ("true", "10.0.0.1", "6.6.6.6"),
            ("10.0.0.0/8", "10.0.0.1", "203.0.113.9"),
            ("uniquelocal, loopback", "::1", "203.0.113.9"),
            ("uniquelocal", "::ffff:10.0.0.1", "203.0.113.9"),
            ("10.0.0.1", "10.0.0.1", "10.0.0.2"),
            ("10.0.0.0/8", "192.0.2.1", "192.0.2.1"),
        ] {
            assert_eq!(client(option, peer, &list), found, "{option} {peer}");
        }
    }

    #[test]
    fn an_entry_that_is_no_address_ends_the_search() {
        for (entry, found) in [
            ("unknown", "10.0.0.1"),
            ("", "10.0.0.1"),
            ("203.0.113.9:4711", "203.0.113.9"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("[2001:db8::1]x", "10.0.0.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("::ffff:203.0.113.9", "203.0.113.9"),
            ("fe80::1%eth0", "10.0.0.1"),
            ("203.0.113.9:port", "10.0.0.1"),
        ] {
            let headers = [("x-forwarded-for", entry)];
            assert_eq!(client("1", "10.0.0.1", &headers), found, "{entry}");
        }
    }

    #[test]
    fn forwarded_is_read_too_and_two_that_differ_are_not_believed() {
        for (value, found) in [
            ("for=203.0.113.9;proto=https", "203.0.113.9"),
            ("proto=http; For=\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("for=6.6.6.6, for=\"203.0.113.9\"", "203.0.113.9"),
            ("by=\"a,b;for=6.6.6.6\";for=203.0.113.9", "203.0.113.9"),
            ("for=_hidden", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
        ] {
            assert_eq!(client("1", "10.0.0.1", &[("forwarded", value)]), found, "{value}");
            let both = [("forwarded", value), ("x-forwarded-for", "203.0.113.77")];
            assert_eq!(client("1", "10.0.0.1", &both), "10.0.0.1", "{value}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for wrong in [
            "yes",
            "10.0.0.0/33",
            "10.0.0.0/",
            "::1/129",
            "10.0.0/8",
            "loopback,",
            "-1",
            "unix",
        ] {
            let error = TrustProxy::parse(wrong).expect_err(wrong);
            assert!(error.message().starts_with("TRUST_PROXY: `"), "{error}");
        }
    }
}
