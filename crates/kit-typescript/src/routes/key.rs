//! Parser of route keys such as `GET /notes/:id`.

use kit_diagnostics::closest;
use kit_ir::{InvalidPath, Method, RoutePath, SOCKET_METHOD};

/// Method and path of a route key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) method: Method,
    pub(crate) path: RoutePath,
    /// True for `WS /rooms/:id`, whose method is GET.
    pub(crate) is_socket: bool,
}

/// Message and help of an error.
type Mistake = (String, String);

/// Parses a route key such as `GET /notes/:id`.
pub(crate) fn parse_key(text: &str) -> Result<Key, Mistake> {
    let form = "write a method, a space and a path: `\"GET /notes/:id\"`";
    let Some((method, path)) = text.split_once(' ') else {
        return Err((format!("`{text}` is not a route key"), form.to_owned()));
    };
    let is_socket = method == SOCKET_METHOD;
    let known = if is_socket {
        Some(Method::Get)
    } else {
        Method::from_name(method)
    };
    let Some(known) = known else {
        let names = || Method::ALL.into_iter().map(Method::name).chain([SOCKET_METHOD]);
        let help = match closest(method, names()) {
            Some(near) => format!("did you mean `{near} {path}`?"),
            None => format!("write one of {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err((format!("kit does not support the method `{method}`"), help));
    };
    Ok(Key {
        method: known,
        path: parse_path(path)?,
        is_socket,
    })
}

/// Parses a path such as `/notes/:id`.
pub(crate) fn parse_path(path: &str) -> Result<RoutePath, Mistake> {
    let is_not_of_a_path =
        |letter: &char| letter.is_whitespace() || letter.is_control() || "?#".contains(*letter);
    if path.starts_with('/')
        && let Some(letter) = path.chars().find(is_not_of_a_path)
    {
        return Err((
            format!("the path `{path}` contains `{}`", letter.escape_debug()),
            "remove this character; write query parameters as the query of the contract".to_owned(),
        ));
    }
    RoutePath::parse(path).map_err(|reason| mistake(path, &reason))
}

/// Returns the message and the help of the error for an invalid path.
pub(crate) fn mistake(path: &str, reason: &InvalidPath) -> Mistake {
    match reason {
        InvalidPath::NoLeadingSlash => (
            format!("the path `{path}` does not begin with a slash"),
            format!("write `/{path}`"),
        ),
        InvalidPath::EmptySegment => (
            format!("the path `{path}` has an empty segment"),
            "remove the double slash".to_owned(),
        ),
        InvalidPath::Unnamed { segment } | InvalidPath::InvalidName { segment, .. } => (
            format!("`{segment}` in `{path}` does not name a parameter"),
            format!(
                "write `{}name` as a whole segment; a name consists of letters, digits and `_`",
                &segment[..1]
            ),
        ),
        InvalidPath::WildcardNotLast { segment } => (
            format!("the wildcard `{segment}` in `{path}` is not the last segment"),
            format!(
                "a wildcard takes the rest of the path; for one segment write `:{}`",
                &segment[1..]
            ),
        ),
        InvalidPath::RepeatedName { name } => (
            format!("the parameter `{name}` appears twice in `{path}`"),
            "give one of the two parameters another name".to_owned(),
        ),
        InvalidPath::InvalidCharacter { .. }
        | InvalidPath::InvalidEscape { .. }
        | InvalidPath::TooDeep { .. } => (
            format!("the path `{path}` is not valid: {reason}"),
            "a path looks like `/notes`, `/notes/:id` or `/files/*path`".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_key, parse_path};

    #[test]
    fn a_route_key_has_a_method_and_a_path() {
        let path = |text: &str| {
            parse_key(text)
                .map(|key| key.path.to_string())
                .map_err(|(message, _)| message)
        };
        assert_eq!(path("GET /notes/"), Ok("/notes".to_owned()));
        assert_eq!(path("GET /"), Ok("/".to_owned()));
        assert_eq!(path("GET /files/*path"), Ok("/files/*path".to_owned()));
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
            (
                "POST /notes:archive",
                "the path `/notes:archive` is not valid: `notes:archive` contains `:`, which is invalid in a path: write `%3A` instead",
            ),
        ] {
            assert_eq!(path(key), Err(message.to_owned()), "{key}");
        }
    }

    #[test]
    fn adds_a_prefix_unless_the_path_starts_with_its_segments() {
        let join = |prefix: &str, path: &str| {
            let path = parse_path(path).unwrap().below(&parse_path(prefix).unwrap());
            path.unwrap().to_string()
        };
        assert_eq!(join("/notes", "/notes/:id"), "/notes/:id");
        assert_eq!(join("/notes", "/notes"), "/notes");
        assert_eq!(join("/notes", "/notesy"), "/notes/notesy");
        assert_eq!(join("/notes", "/:id"), "/notes/:id");
        assert_eq!(join("/api/", "/"), "/api");
        assert_eq!(join("/", "/notes"), "/notes");
    }
}
