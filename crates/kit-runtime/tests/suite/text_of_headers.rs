//! Checks the vectors of `conformance/cookies.json` and `conformance/list-headers.json`, which the TypeScript runtime passes
//! too.

use kit_runtime::coerce::{coerce_cookies, list_items};
use kit_runtime::json::Json;
use kit_runtime::shape::{Property, Shape};
use serde_json::{Map, Value};

/// Returns a shape with these cookies. Shapes are constants in servers, so this one is never freed.
fn shape(names: &Map<String, Value>) -> &'static Shape {
    let properties: Vec<Property> = names
        .keys()
        .map(|name| Property::optional(name.clone().leak(), Shape::TEXT))
        .collect();
    Box::leak(Box::new(Shape::object("Cookies", properties.leak())))
}

#[test]
fn reads_the_cookies_of_the_conformance_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../conformance/cookies.json")).expect("JSON");
    let cases = vectors["cases"].as_array().expect("a list");
    for case in cases {
        let expected = case["cookies"].as_object().expect("an object");
        let found = coerce_cookies(shape(expected), case["header"].as_str());
        let Json::Object(found) = found else {
            panic!("cookies are an object: {case}");
        };
        for (name, value) in expected {
            let text = found.get(name.as_str()).map(|value| match value {
                Json::String(text) => text.clone(),
                _ => panic!("a cookie of the type string is a string: {case}"),
            });
            assert_eq!(text.as_deref(), value.as_str(), "{name} of {case}");
        }
    }
    assert!(cases.len() > 70);
}

#[test]
fn splits_the_lists_of_the_conformance_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../../../conformance/list-headers.json")).expect("JSON");
    let cases = vectors["cases"].as_array().expect("a list");
    for case in cases {
        let lines = case["lines"].as_array().expect("a list").iter();
        let lines: Vec<_> = lines.map(|line| line.as_str().expect("a text")).collect();
        let joined = lines.join(", ");
        let found: Vec<&str> = list_items(&joined).collect();
        if let Some(items) = case["items"].as_array() {
            let items: Vec<_> = items.iter().map(|item| item.as_str().expect("a text")).collect();
            assert_eq!(found, items, "{case}");
        } else {
            assert_eq!(Some(found.len() as u64), case["count"].as_u64(), "{case}");
        }
    }
    assert!(cases.len() > 40);
}
