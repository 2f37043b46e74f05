//! IPv4 and IPv6 addresses.

/// Returns true if a string is an IPv4 address: four decimal numbers up to 255, without leading zeros (RFC 2673,
/// section 3.2).
///
/// ```
/// use kit_runtime::format::is_ipv4;
///
/// assert!(is_ipv4("192.0.2.1"));
/// assert!(!is_ipv4("192.0.2.01"));
/// ```
pub fn is_ipv4(text: &str) -> bool {
    let octets: Vec<&str> = text.split('.').collect();
    octets.len() == 4
        && octets.iter().all(|octet| {
            let digits = (1..=3).contains(&octet.len()) && octet.bytes().all(|byte| byte.is_ascii_digit());
            // Leading zeros are rejected because some parsers read 010 as octal 8.
            digits && (octet.len() == 1 || !octet.starts_with('0')) && octet.parse::<u8>().is_ok()
        })
}

/// Returns true if a string is an IPv6 address as in RFC 4291, section 2.2: `2001:db8::1`. A zone (`%eth0`), brackets
/// and a prefix length (`/64`) are refused.
///
/// ```
/// use kit_runtime::format::is_ipv6;
///
/// assert!(is_ipv6("2001:db8::1"));
/// assert!(!is_ipv6("[2001:db8::1]"));
/// ```
pub fn is_ipv6(text: &str) -> bool {
    // The parser of the standard library accepts exactly these forms.
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_ipv6;

    #[test]
    fn refuses_ip_addresses_with_leading_zeros_or_a_zone() {
        assert!(is_ipv6("::ffff:192.0.2.1") && !is_ipv6("::ffff:192.0.2.01") && !is_ipv6("::1%eth0"));
    }
}
