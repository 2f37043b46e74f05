//! Parser of route keys: `<METHOD> <path>`.

use kit_diagnostics::closest;
use kit_ir::Method;

/// A parsed route key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) method: Method,
    /// Path without a trailing slash.
    pub(crate) path: String,
}

/// Message and help text of a mistake.
type Mistake = (String, String);

/// Parses a route key.
pub(crate) fn parse_key(text: &str) -> Result<Key, Mistake> {
    let form = "write a method, a space and a path: `\"GET /notes/:id\"`";
    let Some((method, path)) = text.split_once(' ') else {
        return Err((format!("`{text}` is not a route key"), form.to_owned()));
    };
    let Some(known) = Method::from_name(method) else {
        let names = Method::ALL.map(Method::name);
        let help = match closest(method, names) {
            Some(near) => format!("did you mean `{near} {path}`?"),
            None => format!("write one of {}", names.join(", ")),
        };
        return Err((format!("kit does not support the method `{method}`"), help));
    };
    Ok(Key {
        method: known,
        path: parse_path(path)?,
    })
}

/// Checks a path and removes its trailing slash.
pub(crate) fn parse_path(path: &str) -> Result<String, Mistake> {
    let Some(rest) = path.strip_prefix('/') else {
        return Err((
            format!("the path `{path}` does not begin with a slash"),
            format!("write `/{path}`"),
        ));
    };
    if let Some(letter) = path
        .chars()
        .find(|letter| letter.is_whitespace() || letter.is_control() || "?#".contains(*letter))
    {
        let message = format!(
            "the path `{path}` contains {}",
            letter
                .escape_debug()
                .fold("`".to_owned(), |text, c| text + &c.to_string())
                + "`"
        );
        return Err((
            message,
            "remove it; query parameters belong in the contract's second type argument".to_owned(),
        ));
    }
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    if rest.is_empty() {
        return Ok("/".to_owned());
    }
    let segments: Vec<&str> = rest.split('/').collect();
    let mut names: Vec<&str> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        if segment.is_empty() {
            return Err((
                format!("the path `{path}` has an empty segment"),
                "remove the double slash".to_owned(),
            ));
        }
        let Some(name) = segment.strip_prefix([':', '*']) else {
            continue;
        };
        if !is_identifier(name) {
            let sign = &segment[..1];
            return Err((
                format!("`{segment}` in `{path}` does not name a parameter"),
                format!("write `{sign}name`, of letters, digits and `_`, as a whole segment"),
            ));
        }
        if segment.starts_with('*') && index + 1 < segments.len() {
            return Err((
                format!("the wildcard `{segment}` in `{path}` is not the last segment"),
                format!("a wildcard takes the rest of the path; for one segment write `:{name}`"),
            ));
        }
        if names.contains(&name) {
            return Err((
                format!("the parameter `{name}` appears twice in `{path}`"),
                "give one of them another name".to_owned(),
            ));
        }
        names.push(name);
    }
    Ok(format!("/{rest}"))
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Returns the names of the path's parameters, in order.
pub(crate) fn parameters(path: &str) -> Vec<String> {
    path.split('/')
        .filter_map(|segment| segment.strip_prefix([':', '*']))
        .map(str::to_owned)
        .collect()
}

/// Returns the path with the prefix before it, unless the path already starts with the prefix. Both must be checked paths.
pub(crate) fn join(prefix: &str, path: &str) -> String {
    if prefix == "/" {
        return path.to_owned();
    }
    let includes = path
        .strip_prefix(prefix)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match (includes, path) {
        (true, _) => path.to_owned(),
        (false, "/") => prefix.to_owned(),
        (false, _) => format!("{prefix}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{join, parameters, parse_key, parse_path};

    #[test]
    fn a_route_key_is_a_method_and_a_path() {
        let path = |text: &str| {
            parse_key(text)
                .map(|key| key.path)
                .map_err(|(message, _)| message)
        };
        assert_eq!(path("GET /notes/"), Ok("/notes".to_owned()));
        assert_eq!(path("GET /"), Ok("/".to_owned()));
        assert_eq!(path("GET /files/*path"), Ok("/files/*path".to_owned()));
        assert_eq!(path("POST /notes:archive"), Ok("/notes:archive".to_owned()));
        for (key, message) in [
            ("/notes", "`/notes` is not a route key"),
            ("get /notes", "kit does not support the method `get`"),
            ("GET notes", "the path `notes` does not begin with a slash"),
            ("GET  /notes", "the path ` /notes` does not begin with a slash"),
            ("GET /a//b", "the path `/a//b` has an empty segment"),
            ("GET /:", "`:` in `/:` does not name a parameter"),
            (
                "GET /:id.json",
                "`:id.json` in `/:id.json` does not name a parameter",
            ),
            (
                "GET /*rest/a",
                "the wildcard `*rest` in `/*rest/a` is not the last segment",
            ),
            (
                "GET /:id/a/:id",
                "the parameter `id` appears twice in `/:id/a/:id`",
            ),
            ("GET /notes?page", "the path `/notes?page` contains `?`"),
        ] {
            assert_eq!(path(key), Err(message.to_owned()), "{key}");
        }
    }

    #[test]
    fn compares_prefixes_by_segments() {
        assert_eq!(join("/notes", "/notes/:id"), "/notes/:id");
        assert_eq!(join("/notes", "/notes"), "/notes");
        assert_eq!(join("/notes", "/notesy"), "/notes/notesy");
        assert_eq!(join("/notes", "/:id"), "/notes/:id");
        assert_eq!(join("/api", "/"), "/api");
        assert_eq!(join("/", "/notes"), "/notes");
        assert_eq!(parse_path("/api/").as_deref(), Ok("/api"));
        assert_eq!(parameters("/teams/:team/files/*path"), ["team", "path"]);
    }
}
