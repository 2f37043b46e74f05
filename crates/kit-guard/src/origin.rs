//! Origins of web pages (RFC 6454), as options list them.

/// Returns true for an origin as browsers send it, such as `https://example.com`: without a path, in lower
/// case, without a default port. Also returns true for `https://*.example.com`, which matches all subdomains.
///
/// ```
/// use kit_guard::is_origin;
///
/// assert!(is_origin("https://app.example.com"));
/// assert!(!is_origin("https://app.example.com/"));
/// ```
pub fn is_origin(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !port.ends_with(']') => (host, Some(port)),
        _ => (rest, None),
    };
    let default_port = match scheme {
        "http" => "80",
        "https" => "443",
        _ => return false,
    };
    let is_port = port.is_none_or(|port| {
        port != default_port
            && !port.starts_with('0')
            && port.bytes().all(|byte| byte.is_ascii_digit())
            && port.parse::<u16>().is_ok()
    });
    is_port && is_host(host)
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let labels = host.strip_prefix("*.").unwrap_or(host);
    labels.split('.').all(|label| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
    })
}

#[cfg(test)]
mod tests {
    use super::is_origin;

    #[test]
    fn accepts_only_origins_in_the_form_that_browsers_send() {
        for origin in [
            "https://app.example.com",
            "https://*.example.com",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:3000",
            "http://[::1]",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for other in [
            "*",
            "null",
            "app.example.com",
            "https://app.example.com/",
            "https://App.example.com",
            "https://app.example.com:443",
            "http://a:80",
            "http://a:080",
            "https://a.*.com",
            "https://",
            "ftp://a",
        ] {
            assert!(!is_origin(other), "{other}");
        }
    }
}
