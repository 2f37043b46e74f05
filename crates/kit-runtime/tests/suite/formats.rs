//! Checks the vectors of `conformance/formats.json`, which the TypeScript runtime passes too.

use kit_runtime::check::has_format;
use kit_runtime::json::{Json, parse};
use kit_runtime::shape::Format;

const VECTORS: &str = include_str!("../../../../conformance/formats.json");

const FORMATS: [Format; 7] = [
    Format::Email,
    Format::Uri,
    Format::Uuid,
    Format::Date,
    Format::DateTime,
    Format::Ipv4,
    Format::Ipv6,
];

#[test]
fn accepts_and_refuses_the_strings_of_the_conformance_vectors() {
    // Some vectors have an unpaired surrogate, which only kit's own parser accepts.
    let vectors = parse(VECTORS).expect("JSON");
    let mut wrong = Vec::new();
    let mut asked = 0;
    for format in FORMATS {
        let cases = vectors
            .get("formats")
            .and_then(|formats| formats.get(format.name()));
        for (key, is_right) in [("yes", true), ("no", false)] {
            let Some(Json::Array(texts)) = cases.and_then(|cases| cases.get(key)) else {
                panic!("{} has no list {key}", format.name());
            };
            for text in texts {
                let Json::String(text) = text else {
                    panic!("{text:?} is no text")
                };
                asked += 1;
                if has_format(format, text) != is_right {
                    wrong.push(format!("{} {key}: {text:?}", format.name()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(asked > 200, "{asked} were asked");
}
