//! Checks the multipart bodies that every runtime of kit reads in the same way: `conformance/multipart.json`.

// A helper function may fail the test that calls it.
#![allow(clippy::unwrap_used)]

use kit_runtime::BodyBytes;
use kit_runtime::multipart::{Mistake, Part, boundary, parse};
use serde_json::{Value, json};

const SHARED: &str = include_str!("../../../conformance/multipart.json");

/// Returns the bytes of a string whose characters are those of Latin-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| u8::try_from(character).unwrap())
        .collect()
}

/// Parses the body of a case.
fn read(case: &Value) -> Result<Vec<Part>, Mistake> {
    let mut body = case["body"].as_str().unwrap().to_owned();
    if let Some(fill) = case.get("fill") {
        let number = usize::try_from(fill[1].as_u64().unwrap()).unwrap();
        body = body.replace("%s", &fill[0].as_str().unwrap().repeat(number));
    }
    let name = case["boundary"].as_str().unwrap_or("boundary");
    let boundary = boundary(&format!("multipart/form-data; boundary=\"{name}\""))?;
    parse(&BodyBytes::from(latin1(&body)), &boundary)
}

/// Returns a part in the form of the cases.
fn shown(part: &Part) -> Value {
    let text: String = part.bytes.iter().copied().map(char::from).collect();
    let mut shown = json!({ "name": part.name, "text": text });
    if let Some(name) = &part.file_name {
        shown["fileName"] = json!(name);
    }
    if let Some(media_type) = &part.media_type {
        shown["mediaType"] = json!(media_type);
    }
    shown
}

#[test]
fn reads_the_shared_multipart_bodies() {
    let shared: Value = serde_json::from_str(SHARED).unwrap();
    let cases = shared["cases"].as_array().unwrap();
    assert!(cases.len() > 70);
    for case in cases {
        let name = &case["name"];
        let parts = read(case);
        if case["refused"] == true {
            assert!(parts.is_err(), "{name}: {parts:?}");
            continue;
        }
        let parts = parts.unwrap_or_else(|mistake| panic!("{name}: {mistake:?}"));
        if let Some(count) = case["count"].as_u64() {
            assert_eq!(parts.len() as u64, count, "{name}");
        } else {
            let parts: Vec<_> = parts.iter().map(shown).collect();
            assert_eq!(json!(parts), case["parts"], "{name}");
        }
    }
}
