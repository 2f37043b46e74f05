//! Parts of hosts: names and addresses, ports, and the brackets of IPv6 addresses.

/// Returns a host without its port. Digits after the last colon are the port, so an IPv6 address needs brackets.
pub(crate) fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Returns an IPv6 address without its brackets. Returns any other name or address as it is.
pub(crate) fn without_brackets(name: &str) -> &str {
    name.strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{without_brackets, without_port};

    #[test]
    fn removes_only_the_port_of_a_host() {
        for (host, expected) in [
            ("a", "a"),
            ("a:80", "a"),
            ("a:", "a"),
            ("[::1]", "[::1]"),
            ("[::1]:80", "[::1]"),
        ] {
            assert_eq!(without_port(host), expected);
        }
    }

    #[test]
    fn removes_only_pairs_of_brackets() {
        for (name, expected) in [
            ("[::1]", "::1"),
            ("::1", "::1"),
            ("a", "a"),
            ("[a", "[a"),
            ("a]", "a]"),
        ] {
            assert_eq!(without_brackets(name), expected);
        }
    }
}
