//! Checks the list of rules that every runtime of kit shares: `conformance/rules.json`.

use kit_runtime::check::Rule;
use serde_json::Value;

const SHARED: &str = include_str!("../../../../conformance/rules.json");

#[test]
fn has_the_same_rule_names_as_the_typescript_runtime() {
    let shared: Value = serde_json::from_str(SHARED).expect("JSON");
    let shared: Vec<_> = shared["rules"].as_object().expect("an object").keys().collect();
    assert_eq!(Rule::ALL.map(Rule::name).as_slice(), shared);
}
