//! Checks the vectors of `conformance/trust-proxy.json`, which the TypeScript runtime passes too, and tests invalid
//! settings.

use std::borrow::Cow;
use std::net::IpAddr;

use kit_runtime::trust_proxy::TrustProxy;
use serde_json::Value;

const VECTORS: &str = include_str!("../../../../conformance/trust-proxy.json");

/// Converts the option of a vector to the values of `TRUST_PROXY` and `TRUST_PROXY_HEADER`.
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

/// Joins the values of a repeated header with commas, as servers do.
fn joined<'v>(lines: &'v [Value], name: &str) -> Option<Cow<'v, str>> {
    let values: Vec<_> = lines
        .iter()
        .filter(|line| line[0] == name)
        .map(|line| line[1].as_str().expect("a text"))
        .collect();
    (!values.is_empty()).then(|| Cow::Owned(values.join(", ")))
}

#[test]
fn finds_the_client_address_of_the_conformance_vectors() {
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
fn refuses_invalid_values_of_trust_proxy_and_trust_proxy_header() {
    for wrong in [
        "yes",
        "10.0.0.0/33",
        "10.0.0.0/",
        "::1/129",
        "10.0.0/8",
        "010.0.0.0/8",
        "10.0.0.0/0008",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "fe80::1%eth0/64",
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
