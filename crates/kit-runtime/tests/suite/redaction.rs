//! Checks the rules for hidden values against the cases that all runtimes share: `conformance/redaction.json`.

use kit_runtime::Value;
use kit_runtime::redact::{CREDENTIALS, Redactor};

const SHARED: &str = include_str!("../../../../conformance/redaction.json");

fn shared() -> Value {
    serde_json::from_str(SHARED).expect("JSON")
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|text| text.as_str().expect("text")).collect()
}

fn redactor(patterns: &Value) -> Redactor {
    Redactor::new(texts(patterns)).expect("patterns")
}

#[test]
fn has_the_same_list_of_credentials_as_the_typescript_runtime() {
    let shared = shared();
    let mut expected = texts(&shared["credentials"]);
    let mut own = CREDENTIALS.to_vec();
    expected.sort_unstable();
    own.sort_unstable();
    assert_eq!(own, expected);
}

#[test]
fn hides_the_paths_of_the_conformance_vectors() {
    let shared = shared();
    for case in shared["paths"].as_array().expect("a list") {
        let path: Vec<String> = texts(&case["path"]).into_iter().map(str::to_owned).collect();
        assert_eq!(
            redactor(&case["patterns"]).hides(&path),
            case["hidden"] == true,
            "{case}"
        );
    }
}

#[test]
fn hides_the_sensitive_names_of_the_conformance_vectors() {
    let shared = shared();
    for case in shared["names"].as_array().expect("a list") {
        let redactor = Redactor::default();
        redactor.hide_names(&texts(&case["names"]));
        let path: Vec<String> = texts(&case["path"]).into_iter().map(str::to_owned).collect();
        assert_eq!(redactor.hides(&path), case["hidden"] == true, "{case}");
    }
}

#[test]
fn hides_values_in_the_validation_messages_of_the_conformance_vectors() {
    let shared = shared();
    for case in shared["messages"].as_array().expect("a list") {
        let text = case["text"].as_str().expect("text");
        assert_eq!(
            redactor(&case["patterns"]).text(text),
            case["redacted"].as_str().expect("text"),
            "{case}"
        );
    }
}

#[test]
fn refuses_patterns_with_an_empty_name() {
    let shared = shared();
    for pattern in texts(&shared["invalidPatterns"]) {
        assert!(Redactor::new([pattern]).is_err(), "{pattern}");
    }
}
