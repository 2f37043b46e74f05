//! The conformance vectors of subprotocols.

use kit_websocket::{MalformedOffer, choose_subprotocol};
use serde_json::Value;

#[test]
fn chooses_the_subprotocol_of_every_vector() {
    let text = include_str!("../../../conformance/subprotocols.json");
    let vectors: Value = serde_json::from_str(text).expect("the vectors are JSON");
    let names = vectors["supported"].as_array().expect("a list");
    let supported: Vec<&str> = names.iter().map(|name| name.as_str().expect("a text")).collect();
    let cases = vectors["cases"].as_array().expect("a list");
    assert!(!cases.is_empty());
    for case in cases {
        let offer = case["offer"].as_str().expect("a text");
        let expected = case
            .get("chosen")
            .map(|chosen| chosen.as_str())
            .ok_or(MalformedOffer);
        assert_eq!(
            choose_subprotocol(offer, &supported),
            expected,
            "{}",
            case["name"]
        );
    }
}
