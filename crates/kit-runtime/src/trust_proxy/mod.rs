//! Finds the address of the client of a request, and the origin at which the client reaches the server, if there are proxies in
//! front of the server.
//!
//! Each proxy appends an entry to its header. Everything to the left of the entries of trusted proxies comes from the
//! client. So entries are read from the right, one at a time, and nothing further left can change how an entry is read:
//! a quote that a client opened cannot swallow the entry of a proxy. `packages/core/src/request/forwarded.ts`
//! implements the same, and `conformance/trust-proxy.json` and `conformance/trusted-origin.json` test both implementations.

mod entries;

use std::borrow::Cow;
use std::net::IpAddr;

use ipnet::IpNet;

use self::entries::{EntriesFromRight, Entry, Forwarded, ForwardingHeader, Report, item_of_proxy};
use crate::Error;

/// Trusted proxies, and the header in which they report the address of the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustProxy {
    proxies: Proxies,
    header: ForwardingHeader,
    /// True if the outermost trusted proxy reports the scheme that the client uses.
    scheme: bool,
    /// True if the outermost trusted proxy reports the host that the client uses.
    host: bool,
    /// True if the server itself uses TLS.
    has_tls: bool,
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
            scheme: false,
            host: false,
            has_tls: false,
        })
    }

    /// Lets the trusted proxies report the scheme and the host that the client uses. The texts are `TRUST_PROXY_SCHEME` and
    /// `TRUST_PROXY_HOST`: `true` or `false`.
    ///
    /// ```
    /// use kit_runtime::trust_proxy::TrustProxy;
    ///
    /// let trust = TrustProxy::parse("1", None)?.with_origin(Some("true"), Some("true"))?;
    /// let header = |name: &str| match name {
    ///     "x-forwarded-proto" => Some("https".into()),
    ///     "x-forwarded-host" => Some("shop.example".into()),
    ///     _ => None,
    /// };
    /// let peer = "10.0.0.1".parse().ok();
    /// assert_eq!(trust.origin(peer, header).as_deref(), Some("https://shop.example"));
    /// # Ok::<(), kit_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a text is neither `true` nor `false`, or if `TRUST_PROXY` is not a number of proxies or a list of their addresses.
    pub fn with_origin(mut self, scheme: Option<&str>, host: Option<&str>) -> Result<Self, Error> {
        let read = |name: &str, text: Option<&str>| match text.map(str::trim) {
            None | Some("false") => Ok(false),
            Some("true") if matches!(self.proxies, Proxies::None | Proxies::All) => {
                Err(Error::internal(format!(
                    "{name} is true, but TRUST_PROXY is neither a number of proxies nor a list of their addresses"
                )))
            }
            Some("true") => Ok(true),
            Some(other) => Err(Error::internal(format!(
                "{name} is `{other}`, which is neither true nor false"
            ))),
        };
        let (scheme, host) = (
            read("TRUST_PROXY_SCHEME", scheme)?,
            read("TRUST_PROXY_HOST", host)?,
        );
        (self.scheme, self.host) = (scheme, host);
        Ok(self)
    }

    /// Sets if the server itself uses TLS. Its scheme is `https` then, unless a trusted proxy reports another one.
    pub(crate) fn with_tls(mut self, has_tls: bool) -> Self {
        self.has_tls = has_tls;
        self
    }

    /// Returns the origin at which the client reaches the server, such as `https://api.example.com`, or `None` if it is unknown:
    /// the request has no header `host`, or the report of a trusted proxy is malformed. The arguments are those of
    /// [`TrustProxy::client`].
    pub fn origin<'h>(
        &self,
        peer: Option<IpAddr>,
        header: impl Fn(&str) -> Option<Cow<'h, str>>,
    ) -> Option<String> {
        let (scheme, host) = self.scheme_and_host(peer, header)?;
        let port = if scheme == "https" { ":443" } else { ":80" };
        Some(format!("{scheme}://{}", host.strip_suffix(port).unwrap_or(&host)))
    }

    /// Returns true if a web page belongs to the server: its origin has the host of the request. The scheme counts only if a
    /// trusted proxy reports it, because a server behind a proxy does not know it otherwise.
    ///
    /// ```
    /// use kit_runtime::trust_proxy::TrustProxy;
    ///
    /// let trust = TrustProxy::parse("false", None)?;
    /// let header = |name: &str| (name == "host").then(|| "shop.example".into());
    /// assert!(trust.is_own_origin("https://shop.example", None, header));
    /// assert!(!trust.is_own_origin("https://evil.example", None, header));
    /// # Ok::<(), kit_runtime::Error>(())
    /// ```
    pub fn is_own_origin<'h>(
        &self,
        origin: &str,
        peer: Option<IpAddr>,
        header: impl Fn(&str) -> Option<Cow<'h, str>>,
    ) -> bool {
        let Some((scheme, host)) = self.scheme_and_host(peer, header) else {
            return false;
        };
        let page = origin.split_once("://").map_or("", |(scheme, _)| scheme);
        (!self.scheme || page.eq_ignore_ascii_case(&scheme)) && is_origin_of(origin, &host)
    }

    /// Returns the scheme and the host of the request as the client knows them.
    fn scheme_and_host<'h>(
        &self,
        peer: Option<IpAddr>,
        header: impl Fn(&str) -> Option<Cow<'h, str>>,
    ) -> Option<(String, String)> {
        let found = peer.map_or_else(Forwarded::default, |peer| self.forwarded(peer, &header));
        let own = if self.has_tls { "https" } else { "http" };
        let scheme = found.scheme.or_else(|| Some(own.to_owned()))?;
        let host = found
            .host
            .or_else(|| Some(header("host")?.to_ascii_lowercase()))?;
        (!host.is_empty()).then_some((scheme, host))
    }

    /// Returns the report of the trusted proxies.
    fn forwarded<'h>(&self, peer: IpAddr, header: &impl Fn(&str) -> Option<Cow<'h, str>>) -> Forwarded {
        let address = peer.to_canonical();
        if !(self.scheme || self.host) || !self.proxies.trusts(address, 0) {
            return Forwarded::default();
        }
        let text = header(self.header.name());
        let last = text.as_deref().and_then(|text| self.last_entry(address, text));
        let (scheme, host) = if self.header == ForwardingHeader::Forwarded {
            match last {
                None => (Report::None, Report::None),
                Some((_, None)) => (Report::Malformed, Report::Malformed),
                Some((_, Some(entry))) => (entry.scheme, entry.host),
            }
        } else {
            let count = last.map_or(1, |(count, _)| count);
            let item = |name: &str| header(name).map(|text| item_of_proxy(&text, count).to_owned().into());
            (
                Report::scheme(item("x-forwarded-proto")),
                Report::host(item("x-forwarded-host")),
            )
        };
        Forwarded {
            scheme: if self.scheme { scheme } else { Report::None },
            host: if self.host { host } else { Report::None },
        }
    }

    /// Returns the number of entries that trusted proxies wrote, and the last one that was read from the right, `None` if it is
    /// malformed. Returns `None` if there is no entry.
    fn last_entry(&self, peer: IpAddr, text: &str) -> Option<(usize, Option<Entry>)> {
        let mut entries = EntriesFromRight {
            header: self.header,
            rest: Some(text),
        };
        let (mut address, mut last) = (peer, None);
        for distance in 0.. {
            if !self.proxies.trusts(address, distance) {
                break;
            }
            let Some(entry) = entries.next() else { break };
            let next = entry.as_ref().and_then(|entry| entry.address);
            last = Some((distance + 1, entry));
            match next {
                Some(next) => address = next,
                None => break,
            }
        }
        last
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
                Some(next) => address = next?.address?,
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

/// Returns true if an origin has a host and its port. False for `null` and for a text that is no origin. An origin does not
/// contain the default port of its scheme, but the host may.
fn is_origin_of(origin: &str, host: &str) -> bool {
    let https = origin.strip_prefix("https://").map(|rest| (rest, ":443"));
    let parts = https.or_else(|| origin.strip_prefix("http://").map(|rest| (rest, ":80")));
    let Some((own, default_port)) = parts else {
        return false;
    };
    let is_of_host =
        |character: char| !matches!(character, '/' | '?' | '#' | '@') && !character.is_whitespace();
    !own.is_empty()
        && own.chars().all(is_of_host)
        && (host.eq_ignore_ascii_case(own) || host.eq_ignore_ascii_case(&format!("{own}{default_port}")))
}
