//! Test cases in `conformance/http-raw.json`.

use serde_json::Value;

use crate::peer::Answer;

/// Expected state of the connection after the responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Open,
    Close,
    Wait,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) answers: Vec<Expected>,
    pub(crate) then: Then,
    /// Expected status of the response after a timeout; `None` if the server closes without a response.
    pub(crate) timeout: Option<u16>,
}

#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) status: u16,
    pub(crate) optional: bool,
    /// Expected values in the body: `method`, `target` and `body` of the request, or `code` of an
    /// error.
    says: Vec<(String, String)>,
}

impl Expected {
    pub(crate) fn is_to_head(&self) -> bool {
        self.says
            .iter()
            .any(|(key, value)| key == "method" && value == "HEAD")
    }

    pub(crate) fn fits(&self, answer: &Answer) -> bool {
        self.status == answer.status
            && (self.is_to_head()
                || self
                    .says
                    .iter()
                    .all(|(key, value)| answer.said(key) == Some(value)))
    }
}

pub(crate) fn all() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance/http-raw.json");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let cases: Vec<Case> = file["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .map(read)
        .collect();
    assert!(cases.len() > 100, "the corpus has lost its cases");
    cases
}

fn read(case: &Value) -> Case {
    Case {
        name: text(&case["name"]).to_owned(),
        bytes: bytes(&case["bytes"]),
        answers: case["answers"]
            .as_array()
            .expect("answers")
            .iter()
            .map(expected)
            .collect(),
        then: match text(&case["then"]) {
            "open" => Then::Open,
            "close" => Then::Close,
            "wait" => Then::Wait,
            other => panic!("`{other}` is no end"),
        },
        timeout: case["timeout"]
            .as_u64()
            .map(|status| u16::try_from(status).expect("a status")),
    }
}

fn expected(value: &Value) -> Expected {
    let says = value.as_object().expect("an answer").iter();
    Expected {
        status: u16::try_from(value["status"].as_u64().expect("a status")).expect("a status"),
        optional: value["optional"].as_bool().unwrap_or(false),
        says: says
            .filter(|(key, _)| !["status", "optional"].contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), text(value).to_owned()))
            .collect(),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    let Some(parts) = value.get("parts") else {
        return latin1(text(value));
    };
    let piece = |part: &Value| match part.as_array().map(Vec::as_slice) {
        Some([piece, times]) => {
            let times = usize::try_from(times.as_u64().expect("a number")).expect("a number");
            latin1(text(piece)).repeat(times)
        }
        _ => latin1(text(part)),
    };
    parts.as_array().expect("parts").iter().flat_map(piece).collect()
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|character| u8::try_from(character).expect("Latin-1"))
        .collect()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}
