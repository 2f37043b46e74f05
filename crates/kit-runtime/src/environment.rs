//! Reads the environment variables that an application declares with `env`.

use std::borrow::Cow;

use crate::check::{Failure, Secrets, explain_without};
use crate::coerce::coerce_headers;
use crate::json::from_json;
use crate::{Contract, Error};

/// Maximum number of characters of a wrong value that an error shows.
const MAX_SHOWN: usize = 40;

/// Reads the environment variables of the type `T`. A variable that is empty counts as not set. `source` is the location
/// of the type, for error messages.
///
/// ```
/// use kit_runtime::{Contract, Error};
///
/// fn load<AppEnv: Contract>() -> Result<AppEnv, Error> {
///     kit_runtime::environment("src/env.ts:3")
/// }
/// ```
///
/// # Errors
///
/// If variables are missing or wrong. The error lists all of them. It does not show values of variables with `@sensitive`.
pub fn environment<T: Contract>(source: &str) -> Result<T, Error> {
    read(source, |name| {
        Some(std::env::var_os(name)?.to_string_lossy().into_owned())
    })
}

fn read<T: Contract>(source: &str, variable: impl Fn(&str) -> Option<String>) -> Result<T, Error> {
    let text_of = |name: &str| variable(name).filter(|text| !text.is_empty());
    let value = coerce_headers(T::shape(), |name| text_of(name).map(Cow::Owned));
    let failures = explain_without(Secrets::None, T::shape(), &value, false);
    if failures.is_empty() {
        return Ok(from_json(&value)?);
    }
    let problem = match failures.len() {
        1 => "an environment variable is not valid".to_owned(),
        count => format!("{count} environment variables are not valid"),
    };
    let mut text = problem;
    for failure in &failures {
        text.push_str("\n  - ");
        text.push_str(&mistake(failure, text_of));
    }
    text.push_str("\n  declared at ");
    text.push_str(source);
    text.push_str("\nhelp: set the variables before the start; in development, write them into .env");
    Err(Error::internal(text))
}

/// Returns the line of the error message about one variable.
fn mistake(failure: &Failure, text_of: impl Fn(&str) -> Option<String>) -> String {
    let name = failure.path.strip_prefix("$.").unwrap_or(&failure.path);
    let variable = name.split('[').next().unwrap_or(name);
    let expected = &failure.expected;
    let Some(text) = text_of(variable) else {
        return format!("{name} is not set: expected {expected}");
    };
    if failure.value.as_ref().is_some_and(|value| value == "[redacted]") {
        return format!("{name}: expected {expected}; received a value that is not shown");
    }
    let received = serde_json::Value::String(shown(&text));
    let advice = failure.suggestion.as_ref();
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    format!("{name}: expected {expected}; received {received}{advice}")
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::read;
    use crate::Contract;
    use crate::shape::{Property, Shape};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    struct AppEnv {
        port: u16,
        #[serde(default)]
        keys: Vec<String>,
        pin: f64,
        flag: Option<bool>,
    }

    impl Contract for AppEnv {
        const NAME: &'static str = "AppEnv";

        fn shape() -> &'static Shape {
            static SHAPE: Shape = Shape::object(
                "AppEnv",
                &[
                    Property::required("PORT", Shape::INTEGER),
                    Property::optional("KEYS", Shape::array(&Shape::TEXT)),
                    Property::required("PIN", Shape::NUMBER).sensitive(),
                    Property::optional("FLAG", Shape::Boolean),
                ],
            );
            &SHAPE
        }
    }

    fn of(variables: &[(&str, &str)]) -> Result<AppEnv, String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, text)| (*text).to_owned())
        };
        read("src/env.ts:3", variable).map_err(|error| error.to_string())
    }

    #[test]
    fn converts_texts_and_takes_an_empty_variable_as_not_set() {
        let found = of(&[("PORT", "80"), ("KEYS", "a, b"), ("PIN", "1.5"), ("FLAG", "")]);
        let expected = AppEnv {
            port: 80,
            keys: vec!["a".to_owned(), "b".to_owned()],
            pin: 1.5,
            flag: None,
        };
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn lists_all_mistakes_and_shows_no_secrets() {
        let long = "é".repeat(50);
        let error = of(&[("PORT", "8o"), ("PIN", "12x"), ("FLAG", &long)]).unwrap_err();
        let expected = format!(
            "3 environment variables are not valid
  - PORT: expected integer; received \"8o\"
  - PIN: expected number; received a value that is not shown
  - FLAG: expected boolean; received \"{}…\"
  declared at src/env.ts:3
help: set the variables before the start; in development, write them into .env",
            "é".repeat(40)
        );
        assert_eq!(error, expected);
        let error = of(&[("PORT", "1"), ("PIN", "")]).unwrap_err();
        assert!(
            error.starts_with("an environment variable is not valid\n  - PIN is not set: expected number\n"),
            "{error}"
        );
    }
}
