//! Warnings in development for input that the contract does not declare: misspelled query keys, `tag[]=`, a body.
//!
//! `packages/core/src/request/ignored-input.ts` has the same messages.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::check::closest;
use crate::coerce::decode_query_component;
use crate::shape::{Object, Shape};

/// Maximum number of warnings during the life of the process, because clients choose the keys.
const MAX_WARNINGS: usize = 100;
/// Maximum length of a key in a warning, in characters. Longer keys are cut.
const MAX_KEY_LENGTH: usize = 100;
/// Maximum number of declared keys that a warning lists.
const MAX_DECLARED: usize = 20;

/// Warnings that were already logged, as `route key`. Each is logged only once.
#[derive(Default)]
struct LoggedWarnings(HashSet<String>);

static LOGGED_WARNINGS: LazyLock<Mutex<LoggedWarnings>> = LazyLock::new(Mutex::default);

impl LoggedWarnings {
    /// Returns the warning to log. Returns `None` if a warning with this id was already logged, or if the maximum is
    /// reached.
    fn add(&mut self, id: String, message: impl FnOnce() -> String) -> Option<String> {
        if self.0.len() > MAX_WARNINGS || !self.0.insert(id) {
            return None;
        }
        Some(if self.0.len() > MAX_WARNINGS {
            "More than 100 query keys and bodies were ignored. The log lists only the first 100".to_owned()
        } else {
            message()
        })
    }

    /// Returns the warnings for a query without its `?`. `shape` is the query shape of the contract.
    fn query(&mut self, route: &str, shape: Option<&'static Shape>, query: &str) -> Vec<String> {
        let declared = shape.map(Shape::resolve).and_then(|shape| match shape {
            Shape::Object(object) => Some(object),
            _ => None,
        });
        let keys = query.split('&').filter(|pair| !pair.is_empty());
        let keys = keys.map(|pair| decode_query_component(pair.split_once('=').map_or(pair, |(key, _)| key)));
        keys.filter(|key| declared.is_none_or(|object| !reads(object, key)))
            .filter_map(|key| {
                self.add(format!("{route} {key}"), || {
                    let shown: String = key.chars().take(MAX_KEY_LENGTH).collect();
                    let (shown, advice) = (quoted(&shown), advice(&key, declared));
                    format!("{route}: the query key {shown} is ignored, because the contract does not declare this key; {advice}")
                })
            })
            .collect()
    }
}

/// Logs warnings for the keys of a query, without its `?`. `shape` is the query shape of the contract, if the contract
/// declares a query.
pub(super) fn warn_of_query(route: &str, shape: Option<&'static Shape>, query: &str) {
    let warnings = LOGGED_WARNINGS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .query(route, shape, query);
    for warning in warnings {
        tracing::warn!("{warning}");
    }
}

/// Logs a warning for a body that the contract does not declare.
pub(super) fn warn_of_body(route: &str) {
    let message = || format!("{route}: the body of the request is ignored, because the contract has no body");
    let mut warned = LOGGED_WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let warning = warned.add(route.to_owned(), message);
    drop(warned);
    if let Some(warning) = warning {
        tracing::warn!("{warning}");
    }
}

fn reads(object: &Object, key: &str) -> bool {
    object.properties.iter().any(|property| property.key == key)
        || (key != "__proto__" && object.index.iter().any(|index| index.keys.matches(key)))
}

fn advice(key: &str, declared: Option<&'static Object>) -> String {
    let Some(object) = declared else {
        return "the contract has no query".to_owned();
    };
    let names = || object.properties.iter().map(|property| property.key);
    let list = list_of(key);
    if let Some(list) = list.filter(|list| names().any(|name| name == *list)) {
        return format!("write a list as {list}=a&{list}=b");
    }
    if let Some(near) = closest(list.unwrap_or(key), names()) {
        return format!("did you mean {}?", quoted(near));
    }
    if object.properties.is_empty() {
        return "the contract accepts only keys of another form".to_owned();
    }
    let some: Vec<&str> = names().take(MAX_DECLARED).collect();
    let more = if object.properties.len() > MAX_DECLARED {
        ", …"
    } else {
        ""
    };
    format!("the contract declares {}{more}", some.join(", "))
}

/// Returns `tag` for the keys `tag[]` and `tag[0]`, which some clients send for lists. Returns `None` for
/// other keys.
fn list_of(key: &str) -> Option<&str> {
    let (name, index) = key.strip_suffix(']')?.rsplit_once('[')?;
    index.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::{LoggedWarnings, MAX_WARNINGS};
    use crate::shape::{Index, Keys, Property, Shape};

    const PAGE: Shape = Shape::object(
        "Page",
        &[
            Property::optional("pageSize", Shape::INTEGER),
            Property::optional("tag", Shape::array(&Shape::TEXT)),
        ],
    );

    fn of(shape: Option<&'static Shape>, query: &str) -> Vec<String> {
        let warnings = LoggedWarnings::default().query("GET /notes", shape, query);
        let mut shown = Vec::new();
        for warning in warnings {
            let (_, rest) = warning.split_once("the query key ").expect("it names a key");
            shown.push(rest.replace(" is ignored, because the contract does not declare this key;", ""));
        }
        shown
    }

    #[test]
    fn warns_of_undeclared_query_keys_with_the_closest_declared_key() {
        assert!(of(Some(&PAGE), "pageSize=1&tag=a&tag=b&&").is_empty());
        for (query, expected) in [
            ("pagesize=1", r#""pagesize" did you mean "pageSize"?"#),
            ("page%53ise=1", r#""pageSise" did you mean "pageSize"?"#),
            ("tag[]=a&tag[]=b", r#""tag[]" write a list as tag=a&tag=b"#),
            ("tag%5B0%5D=a", r#""tag[0]" write a list as tag=a&tag=b"#),
            ("tags[]=a", r#""tags[]" did you mean "tag"?"#),
            ("filter=a", r#""filter" the contract declares pageSize, tag"#),
            ("%22%0A", r#""\"\n" the contract declares pageSize, tag"#),
        ] {
            assert_eq!(of(Some(&PAGE), query), [expected], "{query}");
        }
        assert_eq!(of(None, "a=1"), [r#""a" the contract has no query"#]);
    }

    #[test]
    fn does_not_warn_of_keys_that_an_index_signature_matches() {
        const OPEN: Shape = Shape::object("Open", &[]).index(&[Index::new(Keys::Numeric, Shape::TEXT)]);
        assert!(of(Some(&OPEN), "1=a&-2=b").is_empty());
        assert_eq!(
            of(Some(&OPEN), "one=a"),
            [r#""one" the contract accepts only keys of another form"#]
        );
    }

    #[test]
    fn warns_once_for_each_route_and_key_and_stops_after_100_warnings() {
        let mut warned = LoggedWarnings::default();
        let mut count = |route: &str, query: &str| warned.query(route, Some(&PAGE), query).len();
        assert_eq!(count("GET /a", "x=1&x=2"), 1);
        assert_eq!(count("GET /a", "x=3"), 0);
        assert_eq!(count("GET /b", "x=3"), 1);
        let keys: Vec<String> = (0..1000).map(|number| format!("key{number}=1")).collect();
        let many = keys.join("&");
        // Two warnings exist from the calls above. The last warning says that no more will follow.
        assert_eq!(count("GET /c", &many), MAX_WARNINGS - 2 + 1);
        assert_eq!(count("GET /d", "x=1"), 0);
    }
}
