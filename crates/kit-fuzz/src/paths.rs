//! Fuzz target for the paths of requests: the normal form of any text, and the route of a path whose
//! characters are escaped in different ways.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

use kit_guard::{has_dot_segment, normal_path};
use kit_router::{Match, ParamBuffer, RoutePath, RouteSpec, RouteTree, Router, Segment};

const ROUTES: [&str; 12] = [
    "/",
    "/admin",
    "/admin/users/:id",
    "/:kind/users",
    "/users/@me",
    "/users/%40me",
    "/users/:id",
    "/caf\u{e9}/:a/:b",
    "/x%2Fy",
    "/a%3Ab/*rest",
    "/files/*path",
    "/files/a%20b",
];

static ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let routes = ROUTES.map(|path| RouteSpec::new("GET", path));
    RouteTree::compile(routes)
        .expect("the routes have no conflict")
        .router()
});

static PATHS: LazyLock<Vec<RoutePath>> = LazyLock::new(|| {
    let parse = |path| RoutePath::parse(path).expect("the path is valid");
    ROUTES.into_iter().map(parse).collect()
});

/// Compares the normal form of a path with the result of a simple decoder. Compares the result of the router
/// with a search of all routes.
///
/// # Panics
///
/// Panics if the results differ.
pub fn paths(data: &[u8]) {
    // The first bytes select the characters that are escaped in another spelling of the path.
    let (choices, text) = data.split_at(data.len().min(8));
    if text.len() > 600 {
        return;
    }
    let path = format!("/{}", String::from_utf8_lossy(text));
    let decoded = decode(&path);
    let Some(normal) = normal_path(&path) else {
        assert_eq!(decoded, None, "{path:?} has a normal form");
        assert_eq!(find(&path), (Match::BadPath, Vec::new()), "{path:?}");
        return;
    };
    assert_eq!(
        decode(&normal),
        decoded,
        "{path:?} and {normal:?} mean different texts"
    );
    let again = normal_path(&normal);
    assert!(
        matches!(&again, Some(Cow::Borrowed(same)) if *same == normal),
        "{normal:?} is not its own normal form but {again:?}"
    );
    let has_dots = decoded.is_some_and(|segments| segments.iter().any(|text| text == "." || text == ".."));
    assert_eq!(has_dot_segment(path.as_bytes()), has_dots, "{path:?}");

    let found = find(&normal);
    // Such a path may contain characters that servers refuse, so no route is searched.
    if path.contains('%') || !path.is_ascii() || path == normal {
        assert_eq!(find(&path), found, "{path:?} and {normal:?}");
    }
    let respelled = respell(&normal, choices);
    assert_eq!(
        normal_path(&respelled).as_deref(),
        Some(&*normal),
        "{respelled:?}"
    );
    assert_eq!(find(&respelled), found, "{respelled:?} and {normal:?}");
    check_route(&normal, &found);
}

fn find(path: &str) -> (Match, Vec<String>) {
    let mut params = ParamBuffer::new();
    let found = ROUTER.find("GET", path, &mut params);
    (found, params.values(path).map(Cow::into_owned).collect())
}

/// Decodes each segment of a path. Returns `None` if an escape is invalid or a segment is not UTF-8.
fn decode(path: &str) -> Option<Vec<String>> {
    path.split('/').map(decode_segment).collect()
}

fn decode_segment(segment: &str) -> Option<String> {
    let mut parts = segment.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part
            .get(..2)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

/// Writes the path in another way: some characters as escapes, and some escapes with lower-case digits.
fn respell(normal: &str, choices: &[u8]) -> String {
    let mut respelled = String::new();
    let mut digits = 0;
    for (index, character) in normal.chars().enumerate() {
        let chosen = choices
            .get(index / 8 % choices.len().max(1))
            .is_some_and(|byte| byte >> (index % 8) & 1 == 1);
        if digits > 0 {
            digits -= 1;
            respelled.push(if chosen {
                character.to_ascii_lowercase()
            } else {
                character
            });
        } else if character == '%' {
            digits = 2;
            respelled.push(character);
        } else if chosen && (character.is_ascii_alphanumeric() || "-._~:*^{|}".contains(character)) {
            let written = write!(respelled, "%{:02x}", u32::from(character));
            assert_eq!(written, Ok(()), "text can grow");
        } else {
            respelled.push(character);
        }
    }
    respelled
}

/// Compares the router's result with a search that compares each route segment by segment.
fn check_route(normal: &str, (found, values): &(Match, Vec<String>)) {
    let fitting: Vec<_> = PATHS.iter().map(|route| fit(route, normal)).collect();
    match found {
        Match::Route(number) => {
            let expected = fitting[*number as usize].as_ref();
            assert_eq!(
                Some(values),
                expected,
                "{normal:?} is not for {}",
                ROUTES[*number as usize]
            );
        }
        Match::NotFound => assert!(
            fitting.iter().all(Option::is_none),
            "{normal:?} fits: {fitting:?}"
        ),
        other => panic!("{normal:?}: {other:?}"),
    }
}

/// Returns the values of a route's parameters if the route matches the path.
fn fit(route: &RoutePath, normal: &str) -> Option<Vec<String>> {
    if normal == "/" || route.segments().is_empty() {
        return (normal == route.as_str()).then(Vec::new);
    }
    let mut rest = normal.strip_suffix('/').unwrap_or(normal);
    let mut values = Vec::new();
    for part in route.segments() {
        rest = rest.strip_prefix('/')?;
        let end = match part {
            Segment::Wildcard(_) => rest.len(),
            Segment::Static(_) | Segment::Parameter(_) => rest.find('/').unwrap_or(rest.len()),
        };
        let (segment, after) = rest.split_at(end);
        match part {
            Segment::Static(text) if normal_path(text)? == segment => {}
            Segment::Static(_) => return None,
            Segment::Parameter(_) | Segment::Wildcard(_) => {
                values.push(decode_segment(segment).filter(|value| !value.is_empty())?);
            }
        }
        rest = after;
    }
    rest.is_empty().then_some(values)
}
