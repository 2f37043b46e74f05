//! Generates the call that sets the security headers, from the option `securityHeaders` of `createApp`.

use std::collections::BTreeMap;

use kit_ir::Program;
use proc_macro2::TokenStream;
use quote::quote;

use crate::Problem;
use crate::literal_option::unknown_value;
use crate::security_header_values::describe_known_values;
use crate::source::string_literal;
use crate::types::Types;

/// A security header: the name of its option, its name on the wire, and its default value.
struct Header {
    option: &'static str,
    name: &'static str,
    /// `None` if the header is not sent by default.
    value: Option<&'static str>,
}

/// Headers in the order in which they are sent. The counterpart for Node is
/// `packages/core/src/edge/security-headers.ts`. Both lists equal `defaults` of `conformance/security-headers.json`.
const HEADERS: [Header; 7] = [
    Header {
        option: "contentSecurityPolicy",
        name: "content-security-policy",
        value: Some("default-src 'none'; frame-ancestors 'none'"),
    },
    Header {
        option: "strictTransportSecurity",
        name: "strict-transport-security",
        value: Some("max-age=31536000; includeSubDomains"),
    },
    Header {
        option: "referrerPolicy",
        name: "referrer-policy",
        value: Some("no-referrer"),
    },
    Header {
        option: "frameOptions",
        name: "x-frame-options",
        value: Some("DENY"),
    },
    Header {
        option: "crossOriginResourcePolicy",
        name: "cross-origin-resource-policy",
        value: Some("same-origin"),
    },
    Header {
        option: "crossOriginOpenerPolicy",
        name: "cross-origin-opener-policy",
        value: Some("same-origin"),
    },
    Header {
        option: "permissionsPolicy",
        name: "permissions-policy",
        value: None,
    },
];

/// Values of the option, by the names of its properties.
type Values = BTreeMap<String, Option<String>>;

/// Returns the call `.security_headers(…)` for the generated routes. Returns `None` if no header is sent.
pub(crate) fn call(types: &Types<'_>) -> Option<TokenStream> {
    let option = types.program.application.security_headers.as_ref()?;
    let headers = headers(option.values.as_ref()?);
    let headers = headers.iter().map(|(name, value)| {
        let [name, value] = [*name, *value].map(string_literal);
        quote!((#name, #value))
    });
    (headers.len() > 0).then(|| quote!(.security_headers(&[#(#headers),*])))
}

/// Returns names and values of the security headers that responses have.
fn headers(values: &Values) -> Vec<(&'static str, &str)> {
    let headers = HEADERS.iter().filter_map(|header| {
        let value = match values.get(header.option) {
            Some(given) => given.as_deref(),
            None => header.value,
        };
        value.map(|value| (header.name, value))
    });
    headers.collect()
}

/// Returns the mistakes in the option `securityHeaders`. A server on Node reports the same mistakes when it
/// starts.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let Some(option) = &program.application.security_headers else {
        return Vec::new();
    };
    let problem = |message: String, help: String| Problem {
        message,
        span: option.span,
        help,
    };
    let Some(values) = &option.values else {
        return vec![problem(
            unknown_value("securityHeaders"),
            "write the value as `true` or as an object of literals, such as `{ frameOptions: \"SAMEORIGIN\" }`".to_owned(),
        )];
    };
    let mut found = Vec::new();
    for (name, value) in values {
        if HEADERS.iter().all(|header| header.option != name) {
            found.push(problem(
                format!("there is no option `securityHeaders.{name}`"),
                format!(
                    "use one of {}",
                    HEADERS.map(|header| format!("`{}`", header.option)).join(", ")
                ),
            ));
        }
        let Some(value) = value else { continue };
        if is_value(value) {
            if let Some(known) = describe_known_values(name, value) {
                found.push(problem(
                    format!("`securityHeaders.{name}` is {value:?}, which browsers do not know"),
                    format!("write a value that browsers know: {known}"),
                ));
            }
        } else {
            found.push(problem(
                format!("`securityHeaders.{name}` is {value:?}, which is not the value of a header"),
                "write visible ASCII characters, with spaces only between them, or `false` to leave out the header"
                    .to_owned(),
            ));
        }
    }
    found
}

fn is_value(text: &str) -> bool {
    let is_visible = |byte: u8| (b' '..=b'~').contains(&byte);
    !text.is_empty() && text.trim() == text && text.bytes().all(is_visible)
}

#[cfg(test)]
mod tests {
    use kit_ir::{Application, Program, SecurityHeaders, SourceId, Span};
    use serde_json::Value;

    use super::{HEADERS, Values, headers, is_value, problems};

    fn conformance() -> Value {
        let text = include_str!("../../../conformance/security-headers.json");
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn default_security_headers_equal_the_defaults_of_the_conformance_file() {
        let own: Vec<Value> = HEADERS
            .iter()
            .map(|header| serde_json::json!({ "option": header.option, "name": header.name, "value": header.value }))
            .collect();
        assert_eq!(Value::Array(own), conformance()["defaults"]);
    }

    #[test]
    fn values_of_the_option_replace_the_defaults() {
        let mut count = 0;
        for (name, option) in conformance()["options"].as_object().expect("options") {
            let values: Values = match &option["value"] {
                Value::Bool(true) => Values::new(),
                Value::Object(given) => given
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().map(str::to_owned)))
                    .collect(),
                // The compiler leaves out the option if it is `false`.
                _ => continue,
            };
            let expected = option["headers"].as_object().expect("headers");
            let expected: Vec<_> = HEADERS
                .iter()
                .filter_map(|header| Some((header.name, expected[header.name].as_str()?)))
                .collect();
            assert_eq!(headers(&values), expected, "{name}");
            count += 1;
        }
        assert_eq!(count, 4);
    }

    /// Returns the messages about unknown headers and invalid values in the option.
    fn messages(values: Option<&[(&str, Option<&str>)]>) -> Vec<String> {
        let values = values.map(|values| {
            let owned = |(name, value): &(&str, Option<&str>)| ((*name).to_owned(), value.map(str::to_owned));
            values.iter().map(owned).collect()
        });
        let span = Span {
            source: SourceId(0),
            start: 0,
            end: 0,
            line: 1,
            column: 1,
        };
        let program = Program {
            application: Application {
                security_headers: Some(SecurityHeaders { values, span }),
                ..Application::default()
            },
            ..Program::default()
        };
        problems(&program)
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    }

    #[test]
    fn reports_values_that_are_unknown_or_invalid() {
        assert!(messages(Some(&[])).is_empty());
        assert!(messages(Some(&[("frameOptions", None)])).is_empty());
        assert_eq!(
            messages(Some(&[("frameOption", None), ("referrerPolicy", Some("a\r\n"))])),
            [
                "there is no option `securityHeaders.frameOption`",
                "`securityHeaders.referrerPolicy` is \"a\\r\\n\", which is not the value of a header"
            ]
        );
        assert_eq!(
            messages(Some(&[("frameOptions", Some("DENNY"))])),
            ["`securityHeaders.frameOptions` is \"DENNY\", which browsers do not know"]
        );
        let [message] = &messages(None)[..] else {
            panic!("one message");
        };
        assert!(
            message.starts_with("the Rust server needs the value of `securityHeaders` at build time"),
            "{message}"
        );
    }

    #[test]
    fn accepts_visible_characters_only() {
        assert!(is_value("max-age=60; includeSubDomains"));
        for other in ["", " a", "a ", "a\r\nb: c", "a\tb", "\u{e4}"] {
            assert!(!is_value(other), "{other:?}");
        }
    }
}
