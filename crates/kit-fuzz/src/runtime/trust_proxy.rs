//! Fuzz target for the address of a client behind proxies. A client may send a forwarding header itself, which must not
//! change the address that kit finds.

use std::borrow::Cow;
use std::net::IpAddr;

use kit_runtime::trust_proxy::TrustProxy;

/// Parses any bytes as the option for trusted proxies and as a forwarding header. Appends the entries of
/// trusted proxies to the header.
///
/// The first byte chooses the header, the number of proxies, and the form of their entries. The other bytes are the client's
/// header.
///
/// # Panics
///
/// Panics if the bytes from the client change the address that kit finds.
pub fn trust_proxy(data: &[u8]) {
    let Some((choice, sent)) = data.split_first() else {
        return;
    };
    let _ = TrustProxy::parse(&String::from_utf8_lossy(sent), None);
    // A header cannot contain line breaks and U+0000. Servers read its bytes as Latin-1.
    let sent: String = sent
        .iter()
        .filter(|byte| !matches!(byte, b'\r' | b'\n' | 0))
        .map(|byte| char::from(*byte))
        .collect();
    let peer = IpAddr::from([10, 0, 0, 1]);
    let is_standard = choice & 1 != 0;
    let name = if is_standard {
        "forwarded"
    } else {
        "x-forwarded-for"
    };
    let find = |proxies: &str, text: &str| {
        let option = TrustProxy::parse(proxies, Some(name)).expect("the setting is right");
        option.client(peer, |asked| (asked == name).then_some(Cow::Borrowed(text)))
    };
    // If no proxy has added an entry, the address can be anything. Parsing must not panic.
    for proxies in ["1", "2", "1000000", "10.0.0.0/8", "true"] {
        let _ = find(proxies, &sent);
    }
    // Every report is an origin with a valid host, or none.
    let trust =
        TrustProxy::parse("2", Some(name)).and_then(|trust| trust.with_origin(Some("true"), Some("true")));
    let trust = trust.expect("the setting is right");
    if let Some(origin) = trust.origin(Some(peer), |asked| {
        (asked != "host").then_some(Cow::Borrowed(sent.as_str()))
    }) {
        let (scheme, host) = origin.split_once("://").expect("an origin");
        assert!(matches!(scheme, "http" | "https"), "{sent:?}");
        assert!(
            !host.is_empty() && !host.contains(['/', '@', ' ', ',', '"', '?', '#']),
            "{sent:?}"
        );
    }

    let client = [
        IpAddr::from([203, 0, 113, 9]),
        "2001:db9::5".parse().expect("an address"),
    ][usize::from(choice >> 1 & 1)];
    let (mut text, separator) = (sent, [", ", ","][usize::from(choice >> 2 & 1)]);
    if choice & 8 != 0 && text.is_empty() {
        text.push_str(&entry(client, choice >> 4, is_standard));
    } else {
        text = format!("{text}{separator}{}", entry(client, choice >> 4, is_standard));
    }
    assert_eq!(find("1", &text), Some(client), "{text:?}");
    assert_eq!(find("10.0.0.0/8", &text), Some(client), "{text:?}");
    let text = format!(
        "{text}{separator}{}",
        entry(IpAddr::from([10, 0, 0, 2]), choice >> 6, is_standard)
    );
    assert_eq!(find("2", &text), Some(client), "{text:?}");
    assert_eq!(find("10.0.0.0/8", &text), Some(client), "{text:?}");
}

/// Returns an entry as a proxy writes it, in one of several forms.
fn entry(address: IpAddr, form: u8, is_standard: bool) -> String {
    let with_port = match address {
        IpAddr::V4(address) => format!("{address}:4711"),
        IpAddr::V6(address) => format!("[{address}]:4711"),
    };
    match (is_standard, form & 3) {
        (false, 0 | 1) => address.to_string(),
        (false, _) => with_port,
        (true, 0) => format!("for=\"{with_port}\""),
        (true, 1) => format!("for=\"{with_port}\";proto=https;by=10.0.0.1"),
        (true, 2) => format!("host=\"a,\\\"b\";For=\"{with_port}\""),
        (true, _) => format!("by=_hidden;for=\"{with_port}\";host=\"x\\\\\""),
    }
}
