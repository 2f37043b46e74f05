//! Addresses of the Internet Protocol.

/// Whether a text is four decimal numbers up to 255, without leading zeros (RFC 2673, section 3.2).
pub fn is_ipv4(text: &str) -> bool {
    let octets: Vec<&str> = text.split('.').collect();
    octets.len() == 4
        && octets.iter().all(|octet| {
            let digits = (1..=3).contains(&octet.len()) && octet.bytes().all(|byte| byte.is_ascii_digit());
            // A leading zero may only stand alone: some readers take 010 as eight.
            digits && (octet.len() == 1 || !octet.starts_with('0')) && octet.parse::<u8>().is_ok()
        })
}

/// Whether a text is an address as RFC 4291, section 2.2, writes it; no zone, no brackets, no prefix length.
pub fn is_ipv6(text: &str) -> bool {
    // The standard library takes exactly that.
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_ipv6;

    #[test]
    fn dotted_quads_have_no_leading_zeros() {
        assert!(is_ipv6("::ffff:192.0.2.1") && !is_ipv6("::ffff:192.0.2.01") && !is_ipv6("::1%eth0"));
    }
}
