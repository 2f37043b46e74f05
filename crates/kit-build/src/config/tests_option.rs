//! Reads the option `tests`: values that contract tests send. With them, the tests reach routes that require a login, for
//! example.

use std::collections::BTreeMap;

use kit_emit::RouteTests;
use serde_json::{Map, Value};

use super::reader::Reader;

/// Values that contract tests send in addition to the values that follow from the contracts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestsConfig {
    /// Module that exports the application, relative to the root. If it is `None`, the module that calls `createApp` is
    /// used.
    pub app: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Module whose default export prepares data for the tests, relative to the root.
    pub fixtures: Option<String>,
    /// Values for individual routes, by method and path: `GET /notes/:id`.
    pub routes: BTreeMap<String, RouteTests>,
}

pub(super) fn read(value: &Value, reader: &mut Reader<'_>) -> Option<TestsConfig> {
    let options = reader.object("tests", value)?;
    reader.known_keys("tests", options, &["app", "headers", "fixtures", "routes"]);
    let mut routes = BTreeMap::new();
    let entries = options
        .get("routes")
        .and_then(|value| reader.object("tests.routes", value));
    for (route, value) in entries.into_iter().flatten() {
        let key = format!("tests.routes.{route}");
        if !is_route(route) {
            reader.report(
                &key,
                &format!("`tests.routes` has the key `{route}`, which is not `<METHOD> <path>`"),
                "write routes as their contracts do, such as `\"GET /notes/:id\": { … }`".to_owned(),
            );
        } else if let Some(config) = self::route(&key, value, reader) {
            routes.insert(route.clone(), config);
        }
    }
    Some(TestsConfig {
        headers: headers("tests", options, reader),
        app: options
            .get("app")
            .and_then(|value| module("app", "src/app.ts", value, reader)),
        fixtures: options
            .get("fixtures")
            .and_then(|value| module("fixtures", "tests/fixtures.ts", value, reader)),
        routes,
    })
}

fn route(key: &str, value: &Value, reader: &mut Reader<'_>) -> Option<RouteTests> {
    let options = reader.object(key, value)?;
    reader.known_keys(key, options, &["headers", "params", "skip"]);
    Some(RouteTests {
        headers: headers(key, options, reader),
        params: texts(&format!("{key}.params"), options.get("params"), reader),
        skip: options
            .get("skip")
            .and_then(|value| reader.string(&format!("{key}.skip"), value))
            .map(str::to_owned),
    })
}

/// Reads the option `headers`. Reports names and values that HTTP does not allow.
fn headers(parent: &str, options: &Map<String, Value>, reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let key = format!("{parent}.headers");
    let mut headers = texts(&key, options.get("headers"), reader);
    headers.retain(|name, value| {
        let problem = if !is_token(name) {
            format!("`{key}` has the name `{name}`, which is not a header name")
        } else if value.chars().any(char::is_control) {
            format!("`{key}.{name}` contains a control character, which header values must not contain")
        } else {
            return true;
        };
        reader.report(
            &format!("{key}.{name}"),
            &problem,
            "write headers as `authorization: \"Bearer …\"`".to_owned(),
        );
        false
    });
    headers
}

fn texts(key: &str, value: Option<&Value>, reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let Some(members) = value.and_then(|value| reader.object(key, value)) else {
        return BTreeMap::new();
    };
    let members = members.iter().filter_map(|(name, value)| {
        let text = reader.string(&format!("{key}.{name}"), value)?;
        Some((name.clone(), text.to_owned()))
    });
    members.collect()
}

/// Reads the path of a module inside of the project.
fn module(option: &str, example: &str, value: &Value, reader: &mut Reader<'_>) -> Option<String> {
    let key = format!("tests.{option}");
    let text = reader.string(&key, value)?;
    let plain = text.strip_prefix("./").unwrap_or(text);
    let leaves = plain.starts_with('/')
        || plain.contains(['\\', ':', '\0'])
        || plain.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leaves {
        reader.report(
            &key,
            &format!("`{key}` must be a file below the project's root, but is `{text}`"),
            format!("write a relative path with `/`, such as `{option}: \"{example}\"`"),
        );
        return None;
    }
    Some(plain.to_owned())
}

fn is_route(key: &str) -> bool {
    key.split_once(' ').is_some_and(|(method, path)| {
        kit_ir::Method::from_name(method).is_some() && kit_ir::RoutePath::parse(path).is_ok()
    })
}

/// Returns true if the string is a token, a valid name of a header (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
