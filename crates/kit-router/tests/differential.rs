//! Compares the router with a simple one that tries every route, on random routes and requests.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use kit_router::{Match, ParamBuffer, RouteSpec, RouteTree};

/// A generator of random numbers (xorshift64*). The seed is fixed, so that a failure can be reproduced.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
];

/// Texts of static segments. Some begin with the same bytes, some are longer than the text of one node, and some
/// contain escapes.
const NAMES: [&str; 10] = [
    "a",
    "a",
    "ab",
    "abc",
    "b",
    "é",
    "a%2Fb",
    "50%25",
    "constructor",
    "constructed",
];

fn random_route(random: &mut Random) -> (String, String) {
    let mut path = String::new();
    let depth = random.below(5);
    for level in 0..depth {
        match random.below(10) {
            0..=3 => write!(path, "/:p{level}").unwrap(),
            4 if level + 1 == depth => write!(path, "/*w{level}").unwrap(),
            _ => write!(path, "/{}", random.pick(&NAMES)).unwrap(),
        }
    }
    if path.is_empty() || random.below(4) == 0 {
        path.push('/');
    }
    (random.pick(&METHODS[..7]).to_owned(), path)
}

fn random_path(random: &mut Random) -> String {
    let mut path = String::new();
    for _ in 0..random.below(6) {
        path.push('/');
        path.push_str(random.pick(&[
            "a",
            "a",
            "b",
            "b",
            "ab",
            "abc",
            "abcd",
            "a%62c",
            "50%25",
            "50%2525",
            "construc%74or",
            "constructe%64",
            "%61",
            "é",
            "%C3%A9",
            "a%2Fb",
            "a%2fb",
            "constructor",
            "x%20y",
            "",
            "+",
            "%zz",
            "%C3",
            "..",
        ]));
    }
    if random.below(4) == 0 || path.is_empty() && random.below(8) > 0 {
        path.push('/');
    }
    path
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let hex = std::str::from_utf8(rest.get(..2)?).ok()?;
            if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(hex, 16).unwrap());
            rest = &rest[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

fn segments(path: &str) -> Vec<&str> {
    if path == "/" {
        return Vec::new();
    }
    let mut segments: Vec<_> = path[1..].split('/').collect();
    if segments.len() > 1 && segments.last() == Some(&"") {
        segments.pop();
    }
    segments
}

/// Returns the kinds of the pattern's segments, by which the most specific route is found, and the values of the
/// parameters. `None` if the pattern does not match the path.
fn fit(pattern: &str, path: &str) -> Option<(Vec<u8>, Vec<String>)> {
    let (pattern, path) = (segments(pattern), segments(path));
    let (mut kinds, mut params) = (Vec::new(), Vec::new());
    for (index, part) in pattern.iter().enumerate() {
        let here = *path.get(index)?;
        if part.starts_with('*') {
            let rest = decode(&path[index..].join("/"))?;
            kinds.push(2);
            params.push(rest);
            return (!params.last()?.is_empty()).then_some((kinds, params));
        } else if part.starts_with(':') {
            if here.is_empty() {
                return None;
            }
            kinds.push(1);
            params.push(decode(here)?);
        } else {
            if decode(part)? != decode(here)? {
                return None;
            }
            kinds.push(0);
        }
    }
    (pattern.len() == path.len()).then_some((kinds, params))
}

fn naive(routes: &[(String, String)], method: &str, path: &str) -> String {
    if !path.starts_with('/') {
        return "not found".to_owned();
    }
    if decode(path).is_none() {
        return "bad path".to_owned();
    }
    let fitting: Vec<_> = routes
        .iter()
        .enumerate()
        .filter_map(|(number, (method, pattern))| Some((fit(pattern, path)?, method.as_str(), number)))
        .collect();
    let answering = |(_, has, _): &&((Vec<u8>, Vec<String>), &str, usize)| {
        *has == method || method == "HEAD" && *has == "GET"
    };
    // Select the most specific route. For HEAD, prefer a HEAD route to a GET route.
    if let Some(((_, params), _, number)) = fitting
        .iter()
        .filter(answering)
        .min_by_key(|((kinds, _), has, _)| (kinds.clone(), *has != method))
    {
        return format!("{number} {params:?}");
    }
    let allow: Vec<_> = METHODS
        .into_iter()
        .filter(|name| {
            fitting
                .iter()
                .any(|(_, has, _)| has == name || *name == "HEAD" && *has == "GET")
        })
        .collect();
    if allow.is_empty() {
        "not found".to_owned()
    } else {
        format!("allow {}", allow.join(", "))
    }
}

#[test]
fn router_returns_the_results_of_a_simple_router_for_random_routes_and_requests() {
    let mut random = Random(0x5EED);
    let mut params = ParamBuffer::new();
    let mut seen = [0; 4];
    for _ in 0..1000 {
        let mut routes: Vec<(String, String)> = Vec::new();
        for _ in 0..random.below(25) {
            routes.push(random_route(&mut random));
            // Leave out routes that conflict, because a build would refuse them.
            let specs = routes.iter().map(|(method, path)| RouteSpec::new(method, path));
            if RouteTree::compile(specs).is_err() {
                routes.pop();
            }
        }
        let specs = routes.iter().map(|(method, path)| RouteSpec::new(method, path));
        let router = RouteTree::compile(specs).unwrap().router();
        for _ in 0..80 {
            let (method, path) = (random.pick(&METHODS), random_path(&mut random));
            let actual = match router.find(method, &path, &mut params) {
                Match::Route(number) => {
                    seen[0] += 1;
                    format!("{number} {:?}", params.values(&path).collect::<Vec<_>>())
                }
                Match::NotFound => {
                    seen[1] += 1;
                    "not found".to_owned()
                }
                Match::MethodNotAllowed(allow) => {
                    seen[2] += 1;
                    format!("allow {allow}")
                }
                Match::BadPath => {
                    seen[3] += 1;
                    "bad path".to_owned()
                }
            };
            assert_eq!(
                actual,
                naive(&routes, method, &path),
                "{method} {path} with {routes:#?}"
            );
        }
    }
    assert!(
        seen.iter().all(|&count| count > 500),
        "every kind of answer is tried often: {seen:?}"
    );
}
