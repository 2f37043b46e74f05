//! Hides credentials, `@sensitive` properties, and the fields that `LOG_REDACT` names, in log entries and exported spans.
//!
//! `packages/core/src/logging/redact.ts` has the same rules for the TypeScript runtime. `conformance/redaction.json`
//! has the list of credentials and the test cases of both runtimes. All functions take linear time, because clients
//! control parts of the texts.

mod credentials;
mod debug_text;
mod failure_path;
mod failure_texts;
#[cfg(feature = "debug")]
mod more_patterns;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{OnceLock, PoisonError, RwLock};

use serde_json::Value;

use crate::Error;
pub use credentials::CREDENTIALS;
use debug_text::DebugText;
use failure_path::PathNames;

/// Text that replaces a hidden value.
pub(crate) const REDACTED: &str = "[redacted]";

/// Patterns by their last name. Each pattern is a list of names in lower case; `*` stands for any name.
type Patterns = HashMap<String, Vec<Vec<String>>>;

/// Decides which values are hidden, and replaces them.
#[derive(Debug, Default)]
pub struct Redactor {
    /// Patterns of `LOG_REDACT`, and those of credentials.
    patterns: Patterns,
    /// Patterns of the option `logging.redact`.
    declared: OnceLock<Patterns>,
    /// Names that are hidden everywhere, as [`bare_name`] returns them.
    names: RwLock<HashSet<String>>,
}

static REDACTOR: OnceLock<Redactor> = OnceLock::new();

/// Returns the redactor of the process. If the environment variables that [`load`] reads are invalid, returns a redactor
/// that hides credentials only.
pub(crate) fn redactor() -> &'static Redactor {
    REDACTOR.get_or_init(|| {
        let read = Redactor::from_environment().or_else(|_| Redactor::new(CREDENTIALS));
        read.unwrap_or_default()
    })
}

/// Reads `LOG_REDACT` (patterns separated by commas) and `LOG_REDACT_DEFAULTS` (`false` shows credentials).
pub(crate) fn load() -> Result<(), Error> {
    let read = Redactor::from_environment()?;
    // If the redactor is already in use, it has read the same variables.
    let _ = REDACTOR.set(read);
    Ok(())
}

/// Compiles patterns: texts such as `iban` and `user.*.pin`.
fn compile<'t>(patterns: impl IntoIterator<Item = &'t str>) -> Result<Patterns, Error> {
    let mut compiled = Patterns::new();
    for pattern in patterns {
        let names: Vec<String> = pattern.split('.').map(str::to_lowercase).collect();
        let Some(last) = names.last().filter(|_| names.iter().all(|name| !name.is_empty())) else {
            return Err(Error::internal(format!(
                "LOG_REDACT: `{pattern}` is not a pattern; write names joined by dots, such as `iban` or `user.*.pin`"
            )));
        };
        compiled.entry(last.clone()).or_default().push(names);
    }
    Ok(compiled)
}

impl Redactor {
    fn from_environment() -> Result<Self, Error> {
        Self::read(|name| std::env::var(name).ok())
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let hides_credentials = match variable("LOG_REDACT_DEFAULTS").as_deref() {
            None | Some("" | "true") => true,
            Some("false") => false,
            Some(other) => {
                return Err(Error::internal(format!(
                    "LOG_REDACT_DEFAULTS is `{other}`; use true or false"
                )));
            }
        };
        let configured = variable("LOG_REDACT").unwrap_or_default();
        let configured = configured
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty());
        let defaults: &[&str] = if hides_credentials { &CREDENTIALS } else { &[] };
        Self::new(defaults.iter().copied().chain(configured))
    }

    /// Compiles patterns. A pattern consists of names joined by dots, in any case, with `*` for any single name. It
    /// hides the values at the end of a matching path at any depth.
    ///
    /// # Errors
    ///
    /// If a name of a pattern is empty.
    pub fn new<'t>(patterns: impl IntoIterator<Item = &'t str>) -> Result<Self, Error> {
        Ok(Self {
            patterns: compile(patterns)?,
            ..Self::default()
        })
    }

    /// Adds the patterns of the option `logging.redact`. Only the first call has an effect. A pattern with an empty name is
    /// ignored, because the build has reported it.
    pub(crate) fn declare(&self, patterns: &[&str]) {
        let patterns = patterns
            .iter()
            .filter_map(|pattern| compile([*pattern]).ok())
            .flatten();
        self.declared.get_or_init(|| {
            let mut all = Patterns::new();
            for (last, names) in patterns {
                all.entry(last).or_default().extend(names);
            }
            all
        });
    }

    /// Hides every value with one of these names from now on. Case, `_` and `-` are ignored: `ibanCode` also hides the
    /// field `iban_code` and the header `Iban-Code`.
    pub fn hide_names(&self, names: &[&str]) {
        let mut hidden = self.names.write().unwrap_or_else(PoisonError::into_inner);
        hidden.extend(names.iter().map(|name| bare_name(name)));
    }

    /// Returns true if the value at a path is hidden, by its name or by a pattern. The names of the path must be in lower
    /// case.
    pub fn hides(&self, path: &[String]) -> bool {
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        let is_hidden = |name: &String| !names.is_empty() && names.contains(&bare_name(name));
        path.last().is_some_and(is_hidden) || self.hides_by_pattern(path)
    }

    /// Returns true if a pattern matches the end of a path. The names of the path must be in lower case.
    fn hides_by_pattern(&self, path: &[String]) -> bool {
        let Some(last) = path.last() else { return false };
        let is_end = |names: &Vec<String>| {
            names.len() <= path.len()
                && names
                    .iter()
                    .zip(&path[path.len() - names.len()..])
                    .all(|(name, own)| name == "*" || name == own)
        };
        [last.as_str(), "*"]
            .into_iter()
            .flat_map(|name| {
                [
                    self.patterns.get(name),
                    self.declared.get().and_then(|declared| declared.get(name)),
                ]
            })
            .flatten()
            .any(|patterns| patterns.iter().any(is_end))
    }

    /// Returns true if the path parameter with this name is hidden.
    pub(crate) fn hides_parameter(&self, name: &str) -> bool {
        self.hides(&["params".to_owned(), name.to_lowercase()])
    }

    /// Returns true if the value of a `tracing` field is hidden. Dots separate nested names: `user.token` is hidden if
    /// `user` is hidden.
    fn hides_name(&self, name: &str) -> bool {
        let path = path_of(name);
        (2..=path.len()).any(|length| self.hides(&path[..length]))
    }

    /// Returns true if the value at the path of a validation failure, or a value that contains it, is hidden. An
    /// example of a path is `$.user["first name"].tags[0]`.
    ///
    /// `path` may be followed by other parts of a message, which come from a client. The second check finds
    /// names that the first check takes for parts of a quoted key or of the text after the path.
    fn hides_failure(&self, path: &str) -> bool {
        self.hides_any(PathNames::of_steps(path))
            || (path.contains(['"', ':']) && self.hides_any(PathNames::of_words(path)))
    }

    /// Returns true if the value at a path with the given names is hidden, or is inside of a hidden value.
    fn hides_any(&self, names: PathNames<'_>) -> bool {
        let mut path = vec!["data".to_owned()];
        for name in names {
            path.push(name);
            if self.hides(&path) {
                return true;
            }
        }
        false
    }

    /// Returns the value of a log field, with hidden parts replaced.
    pub(crate) fn value(&self, name: &str, value: Value) -> Value {
        if self.hides_name(name) {
            return REDACTED.into();
        }
        self.json(value, &mut path_of(name))
    }

    /// Returns the value of a field in a log entry of the runtime itself. Only patterns hide this field,
    /// because its name is not the name of a property of the application.
    pub(crate) fn value_of_runtime(&self, name: &str, value: Value) -> Value {
        if self.hides_by_pattern(&path_of(name)) {
            return REDACTED.into();
        }
        match value {
            Value::String(text) => self.text(&text).into_owned().into(),
            other => other,
        }
    }

    fn json(&self, value: Value, path: &mut Vec<String>) -> Value {
        match value {
            Value::String(text) => match self.text(&text) {
                Cow::Borrowed(_) => Value::String(text),
                Cow::Owned(text) => Value::String(text),
            },
            Value::Array(items) => items.into_iter().map(|item| self.json(item, path)).collect(),
            Value::Object(members) => {
                let hidden = self.texts_of_hidden_failure(&members);
                let members = members.into_iter().map(|(key, value)| {
                    path.push(key.to_lowercase());
                    let shown = if hidden.contains(&key.as_str()) || self.hides(path) {
                        REDACTED.into()
                    } else {
                        self.json(value, path)
                    };
                    path.pop();
                    (key, shown)
                });
                Value::Object(members.collect())
            }
            other => other,
        }
    }

    /// Returns the value of a log field from its `Debug` output, with hidden fields of structs and entries of maps
    /// replaced: `Login { email: "a@b.c", password: "[redacted]" }`.
    pub(crate) fn debug_value(&self, name: &str, text: &str) -> Value {
        let value = if text.contains('{') {
            DebugText::new(self, name, text).redact()
        } else {
            text.to_owned()
        };
        self.value(name, value.into())
    }

    /// Replaces the received values of hidden fields in validation messages: `$.user.iban: expected string, received
    /// [redacted] (and 2 more)`.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !text.contains(RECEIVED) {
            return Cow::Borrowed(text);
        }
        let lines: Vec<Cow<'_, str>> = text.split('\n').map(|line| self.line(line)).collect();
        Cow::Owned(lines.join("\n"))
    }

    /// Hides the received value in one line of a validation message if the value is secret. A key from the
    /// client can contain the words around the value. Therefore the path ends at the last occurrence of these
    /// words, and the hidden text begins at their first: too much may be hidden, but never too little.
    fn line<'t>(&self, line: &'t str) -> Cow<'t, str> {
        let hidden = || {
            let path = line.find('$')?;
            let first_expected = path + line[path..].find(EXPECTED)?;
            let first_received = first_expected + line[first_expected..].find(RECEIVED)?;
            let last_received = line.rfind(RECEIVED)?;
            let last_expected = line[..last_received].rfind(EXPECTED)?;
            self.hides_failure(&line[path..last_expected])
                .then_some(first_received)
        };
        match hidden() {
            Some(received) => Cow::Owned(format!(
                "{}{RECEIVED}{REDACTED}{}",
                &line[..received],
                count_of_more(line)
            )),
            None => Cow::Borrowed(line),
        }
    }
}

const EXPECTED: &str = ": expected ";
const RECEIVED: &str = ", received ";

/// Returns the end of a validation message that counts further failures, such as ` (and 2 more)`. Returns an empty
/// string if the message has no such end.
fn count_of_more(line: &str) -> &str {
    let Some(start) = line.rfind(" (and ") else {
        return "";
    };
    let end = &line[start..];
    let count = end
        .strip_prefix(" (and ")
        .and_then(|rest| rest.strip_suffix(" more)"));
    let is_count =
        |count: &str| (1..=9).contains(&count.len()) && count.bytes().all(|byte| byte.is_ascii_digit());
    if count.is_some_and(is_count) { end } else { "" }
}

/// Returns the length of the string literal that a text begins with, including its quotes. Returns `None` if the literal
/// does not end.
fn length_of_string(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.map(|end| end + 2)
}

/// Returns the path of a log field in lower case: `user.Token` gives `["data", "user", "token"]`. The prefix `r#` of
/// names that are keywords of Rust is removed.
fn path_of(name: &str) -> Vec<String> {
    let names = name.split('.');
    let names = names.map(|name| name.strip_prefix("r#").unwrap_or(name).to_lowercase());
    std::iter::once("data".to_owned()).chain(names).collect()
}

/// Returns a name in the form in which names of hidden values are compared: `passwordHash`, `password_hash` and
/// `Password-Hash` are equal.
fn bare_name(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Redactor;

    fn redactor(patterns: &[&str]) -> Redactor {
        Redactor::new(patterns.iter().copied()).expect("patterns")
    }

    #[test]
    fn reads_the_patterns_of_hidden_fields_from_environment_variables() {
        let read = |patterns: &str, defaults: &str| {
            Redactor::read(|name| match name {
                "LOG_REDACT" => Some(patterns.to_owned()),
                _ => Some(defaults.to_owned()),
            })
        };
        let hides = |redactor: &Redactor| {
            ["token", "iban", "card.pin"].map(|name| redactor.value(name, "x".into()) == "[redacted]")
        };
        assert_eq!(hides(&read("", "").expect("good")), [true, false, false]);
        assert_eq!(
            hides(&read("IBAN, card.*", "").expect("good")),
            [true, true, true]
        );
        assert_eq!(hides(&read("iban", "false").expect("good")), [false, true, false]);
        let value =
            serde_json::json!({ "user": [{ "Token": 1, "name": "$.token: expected a, received b" }] });
        let expected = serde_json::json!({ "user": [{ "Token": "[redacted]", "name": "$.token: expected a, received [redacted]" }] });
        assert_eq!(read("", "").expect("good").value("data", value), expected);
        let message = |result: Result<Redactor, crate::Error>| result.expect_err("bad").message().to_owned();
        assert_eq!(
            message(read("", "no")),
            "LOG_REDACT_DEFAULTS is `no`; use true or false"
        );
        assert!(message(read("a..b", "")).starts_with("LOG_REDACT: `a..b` is not a pattern"));
    }

    #[test]
    fn hides_names_that_are_keywords_of_rust() {
        let redactor = redactor(&["user.type"]);
        redactor.hide_names(&["match"]);
        for name in ["user.r#type", "user.type", "r#match", "a.r#match.b"] {
            assert_eq!(redactor.value(name, "x".into()), "[redacted]", "{name}");
        }
        assert_eq!(redactor.value("r#type", "x".into()), "x");
    }

    #[test]
    fn hides_fields_of_the_runtime_by_patterns_but_not_by_names() {
        let redactor = redactor(&["path"]);
        redactor.hide_names(&["code"]);
        assert_eq!(redactor.value("code", "x".into()), "[redacted]");
        assert_eq!(redactor.value_of_runtime("code", "x".into()), "x");
        assert_eq!(redactor.value_of_runtime("path", "x".into()), "[redacted]");
        let message = "$.code: expected string, received 5";
        let redacted = "$.code: expected string, received [redacted]";
        assert_eq!(redactor.value_of_runtime("causes", message.into()), redacted);
    }

    #[derive(Debug)]
    #[allow(dead_code)] // the fields are read by `Debug` only
    struct Login<'a> {
        name: &'a str,
        password: Option<Vec<&'a str>>,
        token: char,
        inner: (u8, std::collections::BTreeMap<&'a str, Nested<'a>>),
    }

    #[derive(Debug)]
    #[allow(dead_code)] // the fields are read by `Debug` only
    struct Nested<'a> {
        pin: &'a str,
        rest: &'a str,
    }

    #[test]
    fn hides_fields_in_debug_output_even_if_other_values_look_like_syntax() {
        let redactor = redactor(&["password", "token", "authorization", "*.pin"]);
        for hostile in [
            "", "a", "\"", "\\", "\\\"", "'", "}, x: {", "{[(", "token: ", "\n", "é", "🔑'\"{",
        ] {
            let nested = || Nested {
                pin: "secret-3",
                rest: hostile,
            };
            let login = Login {
                name: hostile,
                password: Some(vec!["secret-1", hostile, "secret-2"]),
                token: hostile.chars().next().unwrap_or('\''),
                inner: (
                    1,
                    [("authorization", nested()), ("accept", nested())]
                        .into_iter()
                        .collect(),
                ),
            };
            for text in [format!("{login:?}"), format!("{login:#?}")] {
                let redacted = redactor.debug_value("login", &text);
                let redacted = redacted.as_str().expect("text");
                assert!(!redacted.contains("secret-"), "{hostile:?}: {redacted}");
                assert!(redacted.contains(&format!("name: {hostile:?}")), "{redacted}");
                assert!(redacted.contains(&format!("rest: {hostile:?}")), "{redacted}");
                assert_eq!(redacted.matches("[redacted]").count(), 4, "{redacted}");
            }
        }
        // Text that is not the `Debug` output of a struct or a map is not changed.
        for text in [
            "invalid token: expected a name",
            "[1, 2]",
            "token: x",
            "Some('\"')",
        ] {
            assert_eq!(redactor.debug_value("error", text), text);
        }
    }

    #[test]
    fn takes_linear_time_to_hide_values_in_hostile_texts() {
        let redactors = [redactor(&["password", "user.*.key"]), redactor(&["*"])];
        redactors[0].hide_names(&["pin"]);
        let repeat = |text: &str| text.repeat(1_000_000 / text.len());
        let failures = [
            format!("{}, received ", repeat("$")),
            format!("{}, received ", repeat("$: expected ")),
            repeat("$.a: expected , received "),
            repeat("$.a: expected , received \n"),
            format!("${}: expected b, received c", repeat("[\"")),
            format!("${}: expected b, received c", repeat("[\"\\")),
            format!("${}: expected b, received c", repeat("[0]")),
            format!("${}: expected b, received c", repeat("[1")),
            format!("$.a: expected b, received {}", repeat(" (and 1")),
            format!("${}: expected b, received c", repeat(".user")),
        ];
        let debugged = [
            repeat("{"),
            repeat("{a: "),
            repeat("{password: "),
            repeat("\""),
            repeat("'"),
            repeat("'\\"),
            repeat("{'\\'"),
            format!("{{{}", repeat("\"a\": 1, ")),
            format!("{{password: {}", repeat("([{")),
            format!("{{{}", repeat("}")),
        ];
        let start = Instant::now();
        for redactor in &redactors {
            for text in &failures {
                redactor.text(text);
            }
            for text in &debugged {
                redactor.debug_value("field", text);
            }
        }
        // Linear time is a few seconds without optimization, quadratic time many minutes.
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    }
}
