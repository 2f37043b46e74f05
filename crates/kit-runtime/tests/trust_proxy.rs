//! The vectors of `conformance/trust-proxy.json`, which the TypeScript runtime passes too, and what settings are refused.

use std::borrow::Cow;
use std::net::IpAddr;

use kit_runtime::trust_proxy::TrustProxy;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../conformance/trust-proxy.json");

/// The option as `TRUST_PROXY` and `TRUST_PROXY_HEADER` have it.
fn option(trust: &Value) -> TrustProxy {
    let proxies = match &trust["proxies"] {
        Value::Array(list) if list.is_empty() => "false".to_owned(),
        Value::Array(list) => {
            let items: Vec<_> = list.iter().map(|item| item.as_str().expect("a text")).collect();
            items.join(",")
        }
        other => other.to_string(),
    };
    TrustProxy::parse(&proxies, trust["header"].as_str()).expect("the option is right")
}

/// A header as servers read it: the values of repeated lines are joined.
fn joined<'v>(lines: &'v [Value], name: &str) -> Option<Cow<'v, str>> {
    let values: Vec<_> = lines
        .iter()
        .filter(|line| line[0] == name)
        .map(|line| line[1].as_str().expect("a text"))
        .collect();
    (!values.is_empty()).then(|| Cow::Owned(values.join(", ")))
}

#[test]
fn the_address_is_what_the_vectors_say() {
    let vectors: Value = serde_json::from_str(VECTORS).expect("JSON");
    let cases = vectors["cases"].as_array().expect("a list");
    for case in cases {
        let peer: IpAddr = case["peer"]
            .as_str()
            .expect("a text")
            .parse()
            .expect("an address");
        let lines = case["lines"].as_array().expect("a list");
        let found = option(&case["trust"]).client(peer, |name| joined(lines, name));
        let expected = case["ip"].as_str().map(|ip| ip.parse().expect("an address"));
        assert_eq!(found, expected, "{case}");
    }
    assert!(cases.len() > 90);
}

#[test]
fn a_setting_that_would_trust_something_else_is_refused() {
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
        let error = TrustProxy::parse(wrong, None).expect_err(wrong);
        assert!(error.message().starts_with("TRUST_PROXY: `"), "{error}");
    }
    for wrong in ["x-real-ip", "", "Forwarded"] {
        let error = TrustProxy::parse("1", Some(wrong)).expect_err(wrong);
        assert!(error.message().starts_with("TRUST_PROXY_HEADER: `"), "{error}");
    }
}
