//! Checks the values of `conformance/boundaries.json` and of the samples of `@kit/testing`, which the TypeScript runtime
//! checks too.

use kit_runtime::check::{Rule, explain, has_format};
use kit_runtime::json::parse;
use kit_runtime::shape::{Array, Format, Number, Pattern, Shape, Text};
use serde_json::Value;

const BOUNDARIES: &str = include_str!("../../../../conformance/boundaries.json");
const SAMPLES: &str = include_str!("../../../../packages/testing/src/values/samples.json");

const FORMATS: [Format; 7] = [
    Format::Email,
    Format::Uri,
    Format::Uuid,
    Format::Date,
    Format::DateTime,
    Format::Ipv4,
    Format::Ipv6,
];

static NUMBER: Shape = Shape::Number(Number::ANY);

fn shape(r#type: &str, rules: &Value) -> &'static Shape {
    let count = |name: &str| {
        let count = rules.get(name)?.as_u64()?;
        usize::try_from(count).ok()
    };
    let number = |name: &str| rules.get(name)?.as_f64();
    let numbers = Number {
        integer: rules.get("integer").is_some(),
        minimum: number("minimum"),
        maximum: number("maximum"),
        exclusive_minimum: number("exclusiveMinimum"),
        exclusive_maximum: number("exclusiveMaximum"),
        multiple_of: number("multipleOf"),
    };
    let format = |name: &Value| FORMATS.into_iter().find(|format| format.name() == name);
    let pattern = |source: &Value| {
        let source: &'static str = source.as_str().expect("text").to_owned().leak();
        &*Box::leak(Box::new(Pattern::new(source)))
    };
    let shape = match r#type {
        "string" => Shape::Text(Text {
            min_length: count("minLength"),
            max_length: count("maxLength"),
            format: rules.get("format").and_then(format),
            pattern: rules.get("pattern").map(pattern),
            ..Text::ANY
        }),
        "number" => Shape::Number(numbers),
        "bigint" => Shape::BigInt(numbers),
        "array" => Shape::Array(Array {
            min_items: count("minItems"),
            max_items: count("maxItems"),
            unique_items: rules.get("uniqueItems").is_some(),
            ..Array::of(&NUMBER)
        }),
        "date" => Shape::Date,
        "bytes" => Shape::Bytes,
        other => panic!("{other} is no type of a case"),
    };
    Box::leak(Box::new(shape))
}

fn broken_rules(shape: &'static Shape, value: &Value) -> Vec<&'static str> {
    let json = parse(&value.to_string()).expect("JSON");
    let failures = explain(shape, &json).into_iter();
    failures.map(|failure| Rule::name(failure.rule)).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

#[test]
fn accepts_and_refuses_the_values_of_the_conformance_cases() {
    let vectors: Value = serde_json::from_str(BOUNDARIES).expect("JSON");
    let cases = list(&vectors["cases"]);
    for case in cases {
        let shape = shape(case["type"].as_str().expect("text"), &case["rules"]);
        for value in list(&case["kept"]) {
            assert!(broken_rules(shape, value).is_empty(), "{value} keeps {case}");
        }
        for (rule, values) in case["broken"].as_object().expect("an object") {
            for value in list(values) {
                assert_eq!(
                    broken_rules(shape, value),
                    [rule.as_str()],
                    "{value} breaks {case}"
                );
            }
        }
    }
    assert!(cases.len() > 20, "{} cases", cases.len());
}

#[test]
fn accepts_valid_samples_and_refuses_broken_samples() {
    let samples: Value = serde_json::from_str(SAMPLES).expect("JSON");
    for format in FORMATS {
        let sample = &samples["formats"][format.name()];
        assert_eq!(sample["valid"], format.example());
        assert!(has_format(format, format.example()));
        for text in list(&sample["broken"]) {
            assert!(!has_format(format, text.as_str().expect("text")), "{text}");
        }
    }
    for (name, sample) in samples["types"].as_object().expect("an object") {
        let shape = shape(name, &Value::Null);
        assert!(broken_rules(shape, &sample["valid"]).is_empty(), "{sample}");
        for value in list(&sample["broken"]) {
            assert_eq!(broken_rules(shape, value).len(), 1, "{value}");
        }
    }
}

#[test]
fn names_the_bound_that_a_decimal_number_breaks() {
    static NONE: Pattern = Pattern::new("^(?!)");
    static PRICE: Shape = Shape::TEXT
        .pattern(&NONE)
        .words("with a price")
        .decimal_minimum("0.50")
        .decimal_exclusive_maximum("9007199254740993");
    for (text, rule, limit) in [
        ("0.4999", "minimum", "0.50"),
        ("-1", "minimum", "0.50"),
        ("9007199254740993.0", "exclusiveMaximum", "9007199254740993"),
        ("9007199254740992.5", "format", "decimal"),
        ("1e3", "format", "decimal"),
        ("text", "format", "decimal"),
    ] {
        let json = parse(&Value::from(text).to_string()).expect("JSON");
        let failures = explain(&PRICE, &json);
        let found: Vec<_> = failures
            .iter()
            .map(|failure| (failure.rule.name(), failure.limit.clone()))
            .collect();
        assert_eq!(found, [(rule, Some(Value::from(limit)))], "{text}");
    }
}

#[test]
fn tests_texts_with_the_other_expression_and_names_the_source() {
    // With the source, regress would never end for "ba".
    static LAZY: Pattern = Pattern::tested_as("^(?:b?)+?$", "^(?:b?)+$");
    let results = ["", "b", "bb", "ba"].map(|text| LAZY.is_match(text));
    assert_eq!(results, [true, true, true, false]);
    assert_eq!(LAZY.source(), "^(?:b?)+?$");
}
