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
fn finds_the_origin_of_the_conformance_vectors() {
    let text = include_str!("../../../../conformance/trusted-origin.json");
    let vectors: Value = serde_json::from_str(text).expect("JSON");
    let cases = vectors["cases"].as_array().expect("a list");
    for case in cases {
        let flag = |name: &str| case["trust"][name].as_bool().map(|flag| flag.to_string());
        let trust = option(&case["trust"])
            .with_origin(flag("scheme").as_deref(), flag("host").as_deref())
            .expect("the option is right");
        let peer: Option<IpAddr> = case["peer"].as_str().expect("a text").parse().ok();
        let lines = case["lines"].as_array().expect("a list");
        let header = |name: &str| joined(lines, name);
        let found = trust.origin(peer, header);
        assert_eq!(found.as_deref(), case["origin"].as_str(), "{case}");
        for (list, expected) in [("own", true), ("foreign", false)] {
            for page in case[list].as_array().expect("a list") {
                let page = page.as_str().expect("a text");
                assert_eq!(trust.is_own_origin(page, peer, header), expected, "{page} {case}");
            }
        }
    }
    assert!(cases.len() > 40);
}

#[test]
fn refuses_reports_of_proxies_that_are_not_known() {
    for proxies in ["true", "false"] {
        let trust = TrustProxy::parse(proxies, None).expect("the option is right");
        let error = trust
            .with_origin(Some("true"), None)
            .expect_err("no proxy is known");
        assert!(error.message().starts_with("TRUST_PROXY_SCHEME is true, but"));
    }
    let trust = TrustProxy::parse("1", None).expect("the option is right");
    let error = trust
        .with_origin(None, Some("yes"))
        .expect_err("the text is invalid");
    assert_eq!(
        error.message(),
        "TRUST_PROXY_HOST is `yes`, which is neither true nor false"
    );
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
