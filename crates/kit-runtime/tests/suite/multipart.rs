//! Checks the multipart bodies that every runtime of kit reads in the same way: `conformance/multipart.json`.

// A helper function may fail the test that calls it.
#![allow(clippy::unwrap_used)]

use kit_runtime::BodyBytes;
use kit_runtime::multipart::{Mistake, Parser, Part, Step, boundary, parse};
use serde_json::{Value, json};

const SHARED: &str = include_str!("../../../../conformance/multipart.json");

/// Returns the bytes of a string in Latin-1.
fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| u8::try_from(character).unwrap())
        .collect()
}

/// Returns the body of a case, and its boundary.
fn body_of(case: &Value) -> Result<(BodyBytes, String), Mistake> {
    let mut body = case["body"].as_str().unwrap().to_owned();
    if let Some(fill) = case.get("fill") {
        let number = usize::try_from(fill[1].as_u64().unwrap()).unwrap();
        body = body.replace("%s", &fill[0].as_str().unwrap().repeat(number));
    }
    let name = case["boundary"].as_str().unwrap_or("boundary");
    let boundary = boundary(&format!("multipart/form-data; boundary=\"{name}\""))?;
    Ok((BodyBytes::from(latin1(&body)), boundary))
}

/// Parses the body of a case.
fn read(case: &Value) -> Result<Vec<Part>, Mistake> {
    let (body, boundary) = body_of(case)?;
    parse(&body, &boundary)
}

/// Parses a body that arrives in chunks.
fn read_chunks(chunks: impl IntoIterator<Item = BodyBytes>, boundary: &str) -> Result<Vec<Part>, Mistake> {
    let mut chunks = chunks.into_iter();
    let mut parser = Parser::new(boundary);
    let mut parts: Vec<Part> = Vec::new();
    let mut content = Vec::new();
    loop {
        match parser.step()? {
            Step::More => match chunks.next() {
                Some(chunk) => parser.push(chunk),
                None => parser.end(),
            },
            Step::Part(head) => {
                content.clear();
                parts.push(Part {
                    name: head.name,
                    file_name: head.file_name,
                    media_type: head.media_type,
                    bytes: BodyBytes::new(),
                });
            }
            Step::Content(bytes) => {
                assert!(!bytes.is_empty());
                content.extend_from_slice(&bytes);
            }
            Step::PartEnd => parts.last_mut().unwrap().bytes = content.clone().into(),
            Step::End => {
                assert_eq!(parser.step(), Ok(Step::End));
                return Ok(parts);
            }
        }
    }
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
fn reads_the_multipart_bodies_of_the_conformance_file() {
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

#[test]
fn reads_the_multipart_bodies_of_the_conformance_file_in_chunks_of_any_size() {
    let shared: Value = serde_json::from_str(SHARED).unwrap();
    for case in shared["cases"].as_array().unwrap() {
        let Ok((body, boundary)) = body_of(case) else {
            continue;
        };
        let expected = parse(&body, &boundary);
        // Long bodies repeat a text.
        let step = if body.len() <= 2000 { 1 } else { body.len() / 100 };
        for at in (0..=body.len()).step_by(step) {
            let halves = [body.slice(..at), body.slice(at..)];
            let found = read_chunks(halves.into_iter().filter(|half| !half.is_empty()), &boundary);
            assert_eq!(
                found.is_ok(),
                expected.is_ok(),
                "{}: cut at {at}: {found:?}",
                case["name"]
            );
            if expected.is_ok() {
                assert_eq!(found, expected, "{}: cut at {at}", case["name"]);
            }
        }
        for size in [1, 2, 3, 5, 7, 11, 64] {
            let chunks = body.chunks(size).map(BodyBytes::copy_from_slice);
            let found = read_chunks(chunks, &boundary);
            // The parser finds a mistake as early as possible, so a later mistake may be described otherwise.
            assert_eq!(
                found.is_ok(),
                expected.is_ok(),
                "{}: chunks of {size}",
                case["name"]
            );
            if expected.is_ok() {
                assert_eq!(found, expected, "{}: chunks of {size}", case["name"]);
            }
        }
    }
}
