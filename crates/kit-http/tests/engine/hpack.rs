//! Header compression: sections of `conformance/hpack/stories.json`, which other encoders wrote, sent to a server.

#![allow(clippy::unwrap_used)] // Reason: a panic is the failure of the test.

use std::collections::BTreeMap;

use kit_http::{Request, Timeouts};
use kit_test_http2::{Client, HEADERS, Outcome, SETTINGS, WHOLE};
use serde_json::{Value, json};

use crate::http2_server::Running;

/// Returns method, target and headers of a request as JSON. Values of a repeated header are joined.
pub(crate) fn describe(request: &Request) -> Vec<u8> {
    let headers: BTreeMap<String, String> = request
        .headers()
        .into_iter()
        .map(|(name, value)| (name.into_owned(), String::from_utf8_lossy(&value).into_owned()))
        .collect();
    let text =
        json!({ "method": request.method(), "target": request.target(), "headers": headers }).to_string();
    text.into_bytes()
}

/// Returns what [`describe`] must return for these fields.
fn expected(fields: &[Value]) -> Value {
    let mut headers: BTreeMap<&str, String> = BTreeMap::new();
    let (mut method, mut target) = ("", "");
    for field in fields {
        let (name, value) = (field[0].as_str().unwrap(), field[1].as_str().unwrap());
        let separator = if name == "cookie" { "; " } else { ", " };
        match name {
            ":method" => method = value,
            ":path" => target = value,
            ":scheme" => {}
            _ => {
                let name = if name == ":authority" { "host" } else { name };
                let before = headers.entry(name).or_default();
                if !before.is_empty() {
                    before.push_str(separator);
                }
                before.push_str(value);
            }
        }
    }
    json!({ "method": method, "target": target, "headers": headers })
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// Sends the sections of a story on one connection. Returns the number of cases, and those with a wrong result.
fn run(client: &mut Client, story: &Value) -> (usize, Vec<String>) {
    let (name, cases) = (&story["name"], story["cases"].as_array().unwrap());
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let stream = 2 * u32::try_from(index).unwrap() + 1;
        client.send(HEADERS, WHOLE, stream, &bytes_of(case["wire"].as_str().unwrap()));
        let (outcome, body) = client.outcome(stream);
        let found: Value = serde_json::from_slice(&body).unwrap_or_default();
        let fields = case["fields"].as_array().unwrap();
        if fields.iter().any(|field| field[0] == "connection") {
            // Requests of HTTP/2 must not have this field (RFC 9113, 8.2.2). Others on the connection are not affected.
            if outcome != Outcome::Reset(1) {
                wrong.push(format!("{name} {index}: {outcome:?}"));
            }
            continue;
        }
        if outcome != Outcome::Response(200) || found != expected(fields) {
            wrong.push(format!("{name} {index}: {outcome:?} {found}"));
        }
    }
    (cases.len(), wrong)
}

#[test]
fn decodes_header_sections_of_other_encoders() {
    let stories: Vec<Value> =
        serde_json::from_str(include_str!("../../../../conformance/hpack/stories.json")).unwrap();
    let running = Running::describing(Timeouts::default());
    let (mut count, mut wrong) = (0, Vec::new());
    for story in &stories {
        let mut client = running.target.open();
        client.send(SETTINGS, 1, 0, &[]);
        let (cases, failed) = run(&mut client, story);
        client.get(9_001, "/last");
        assert_eq!(
            client.outcome(9_001).0,
            Outcome::Response(200),
            "{}",
            story["name"]
        );
        count += cases;
        wrong.extend(failed);
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(count, 195, "write the number of cases here");
}
