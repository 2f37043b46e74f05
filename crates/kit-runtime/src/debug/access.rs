//! IP addresses of the clients of the sidecar.

use std::net::{IpAddr, Ipv6Addr};

use ipnet::IpNet;

use crate::Error;

/// Set of IP addresses that may send requests to the sidecar. An IPv4 address and its IPv4-mapped IPv6 form
/// (`::ffff:192.0.2.7`) mean the same, in the list and as the address of a client.
#[derive(Debug, Clone)]
pub(super) struct Allowlist(Vec<IpNet>);

impl Allowlist {
    /// Parses addresses and ranges, separated by commas: `10.0.0.0/8, fd00::/8, 192.0.2.7`.
    pub(super) fn parse(list: &str) -> Result<Self, Error> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(range).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|range| range.contains(&address))
    }
}

fn range(entry: &str) -> Result<IpNet, Error> {
    parse_range(entry).ok_or_else(|| {
        Error::internal(format!(
            "DEBUG_ALLOWED_IPS has `{entry}`, which is neither an address nor a range; write `10.0.0.0/8`, `fd00::/8` or `192.0.2.7`"
        ))
    })
}

fn parse_range(entry: &str) -> Option<IpNet> {
    if let Ok(address) = entry.parse::<IpAddr>() {
        return Some(address.to_canonical().into());
    }
    let range: IpNet = entry.parse().ok()?;
    // A range of IPv4-mapped addresses is a range of IPv4 addresses, unless it contains other IPv6 addresses too.
    let mapped = match range.addr() {
        IpAddr::V6(address) => Ipv6Addr::to_ipv4_mapped(&address),
        IpAddr::V4(_) => None,
    };
    match mapped {
        Some(address) if range.prefix_len() >= 96 => IpNet::new(address.into(), range.prefix_len() - 96).ok(),
        Some(_) => None,
        None => Some(range),
    }
}

/// Returns true for loopback addresses, and for the name `localhost`. Other names may resolve to any address.
pub(super) fn is_loopback(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host.eq_ignore_ascii_case("localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Allowlist, is_loopback};

    #[test]
    fn contains_ranges_and_addresses_in_each_of_their_forms() {
        let list = Allowlist::parse("10.0.0.0/8, fd00::/8,192.0.2.7,::ffff:172.16.0.0/108").expect("valid");
        let has = |address: &str| list.has(address.parse().expect("an address"));
        for address in [
            "10.1.2.3",
            "::ffff:10.1.2.3",
            "fd00::1",
            "192.0.2.7",
            "172.16.9.9",
        ] {
            assert!(has(address), "{address}");
        }
        for address in ["11.0.0.1", "fe80::1", "192.0.2.8", "172.32.0.1"] {
            assert!(!has(address), "{address}");
        }
        for wrong in ["10.0.0.0/33", "localhost", "10.0.0", "::ffff:10.0.0.0/90"] {
            assert!(Allowlist::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn knows_loopback_addresses() {
        for host in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "LocalHost"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["0.0.0.0", "::", "10.0.0.1", "localhost.example", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
