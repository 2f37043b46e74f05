//! Tests that enums with a tag, as kit generates them, keep every value on both paths that read JSON.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use kit_runtime::json::{from_json, parse, read_valid, to_text};
use kit_runtime::shape::{Property, Shape};
use kit_runtime::{BigInt, Bytes, Contract, IndexMap, Timestamp, Value, optional};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Notice {
    Opened(Opened),
    Closed(Box<Closed>),
    ShutDown,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
struct Opened {
    at: Timestamp,
    count: i64,
    ratio: f64,
    big: BigInt,
    bytes: Bytes,
    nothing: (),
    any: Value,
    #[allow(clippy::option_option)] // absent, null and a text are three values
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    by: Option<Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
struct Closed {
    #[serde(default)]
    hard: bool,
    after: Vec<Notice>,
    labels: IndexMap<String, f64>,
    pair: (String, i64),
}

impl Contract for Notice {
    const NAME: &'static str = "Notice";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::union(&[
            Shape::anonymous(&[
                Property::required("kind", Shape::literal("opened")),
                Property::required("at", Shape::Date),
                Property::required("count", Shape::INTEGER),
                Property::required("ratio", Shape::NUMBER),
                Property::required("big", Shape::BIGINT),
                Property::required("bytes", Shape::Bytes),
                Property::required("nothing", Shape::Null),
                Property::required("any", Shape::Unknown),
                Property::optional("by", Shape::union(&[Shape::TEXT, Shape::Null])),
            ]),
            Shape::anonymous(&[
                Property::required("kind", Shape::literal("closed")),
                Property::optional("hard", Shape::Boolean),
                Property::required("after", Shape::array(&Shape::Unknown)),
                Property::required("labels", Shape::Unknown),
                Property::required("pair", Shape::Unknown),
            ]),
            Shape::anonymous(&[Property::required("kind", Shape::literal("shut-down"))]),
        ])
        .discriminants(&["kind"]);
        &SHAPE
    }
}

#[test]
fn an_enum_with_a_tag_keeps_every_value_on_the_fast_and_the_slow_path() {
    let opened = r#"{"kind":"opened","at":"2026-01-01T00:00:00.000Z","count":5,"ratio":2,"big":"7","bytes":"AP8=","nothing":null,"any":[1,{"a":null}]}"#;
    let with_null = opened.replace("}]}", r#"}],"by":null}"#);
    let with_name = opened.replace("}]}", r#"}],"by":"Ada"}"#);
    let closed = r#"{"kind":"closed","hard":false,"after":[{"kind":"shut-down"},{"kind":"closed","hard":true,"after":[],"labels":{},"pair":["",0]}],"labels":{"a":0.5,"b":1},"pair":["x",-3]}"#;
    for (given, expected) in [
        (opened, opened),
        (&with_null, &with_null),
        (&with_name, &with_name),
        (closed, closed),
        (r#"{"kind":"shut-down"}"#, r#"{"kind":"shut-down"}"#),
        // The tag is the last property, numbers have other forms, and there are properties that nobody declared.
        (
            r#"{"more":{},"kind":"shut-down","x":1}"#,
            r#"{"kind":"shut-down"}"#,
        ),
        (
            r#"{"any":[1,{"a":null}],"nothing":null,"bytes":"AP8=","big":7,"ratio":2e0,"count":5.0,"at":"2026-01-01T01:00:00+01:00","other":[],"kind":"opened"}"#,
            opened,
        ),
        (
            r#"{"after":[],"labels":{},"pair":["",0],"kind":"closed"}"#,
            r#"{"kind":"closed","hard":false,"after":[],"labels":{},"pair":["",0]}"#,
        ),
    ] {
        let slow: Notice = from_json(&parse(given).unwrap()).unwrap();
        assert_eq!(to_text(&slow).unwrap(), expected, "{given}");
        assert_eq!(read_valid::<Notice>(given), Some(slow), "{given}");
    }
}
