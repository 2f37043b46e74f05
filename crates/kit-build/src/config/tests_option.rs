//! The option `tests`: what generated tests send besides what the contracts say, so that they reach protected routes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::reader::Reader;

/// What generated tests send besides what the contracts say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestsConfig {
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// A module, relative to the root, whose default export prepares what routes need.
    pub fixtures: Option<String>,
    /// What single routes need, by `<METHOD> <path>`.
    pub routes: BTreeMap<String, RouteTestsConfig>,
}

/// What the tests of one route send.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RouteTestsConfig {
    /// Headers, which win over those of every request.
    pub headers: BTreeMap<String, String>,
    /// Values of path parameters.
    pub params: BTreeMap<String, String>,
    /// Why the route is not tested.
    pub skip: Option<String>,
}

pub(super) fn read(value: &Value, reader: &mut Reader<'_>) -> Option<TestsConfig> {
    let options = reader.object("tests", value)?;
    reader.known_keys("tests", options, &["headers", "fixtures", "routes"]);
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
        fixtures: options.get("fixtures").and_then(|value| fixtures(value, reader)),
        routes,
    })
}

fn route(key: &str, value: &Value, reader: &mut Reader<'_>) -> Option<RouteTestsConfig> {
    let options = reader.object(key, value)?;
    reader.known_keys(key, options, &["headers", "params", "skip"]);
    Some(RouteTestsConfig {
        headers: headers(key, options, reader),
        params: texts(&format!("{key}.params"), options.get("params"), reader),
        skip: options
            .get("skip")
            .and_then(|value| reader.string(&format!("{key}.skip"), value))
            .map(str::to_owned),
    })
}

/// The member `headers`; a name or value that no request can carry is a mistake.
fn headers(parent: &str, options: &Map<String, Value>, reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let key = format!("{parent}.headers");
    let mut headers = texts(&key, options.get("headers"), reader);
    headers.retain(|name, value| {
        let problem = if !is_token(name) {
            format!("`{key}` has the name `{name}`, which is no name of a header")
        } else if value.chars().any(char::is_control) {
            format!("`{key}.{name}` holds a control character, which no header can")
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

fn fixtures(value: &Value, reader: &mut Reader<'_>) -> Option<String> {
    let text = reader.string("tests.fixtures", value)?;
    let plain = text.strip_prefix("./").unwrap_or(text);
    let leaves = plain.starts_with('/')
        || plain.contains(['\\', ':', '\0'])
        || plain.split('/').any(|part| matches!(part, "" | "." | ".."));
    if leaves {
        reader.report(
            "tests.fixtures",
            &format!("`tests.fixtures` must be a file below the project's root, but is `{text}`"),
            "write a relative path with `/`, such as `fixtures: \"tests/fixtures.ts\"`".to_owned(),
        );
        return None;
    }
    Some(plain.to_owned())
}

fn is_route(key: &str) -> bool {
    key.split_once(' ').is_some_and(|(method, path)| {
        kit_ir::Method::from_name(method).is_some() && path.starts_with('/') && !path.contains(' ')
    })
}

/// A token of RFC 9110.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
