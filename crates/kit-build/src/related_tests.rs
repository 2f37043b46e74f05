//! Finds the tests that mention a route, so that an error can name the tests to run. A test mentions a route if it
//! contains one of these string literals: the route's key (`"GET /notes/:id"`), a path that the route matches
//! (`"/notes?page=1"`, `` `${url}/notes/${id}` ``), or the module of its handler (`"../src/notes.handlers.ts"`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use kit_ir::{Program, RouteId};
use kit_router::{Match, ParamBuffer, RouteTree, Router};
use kit_typescript::FileSystem;

use crate::{ResolvedConfig, contract_tests};

/// Adds to every route the tests that mention it. `tests` has the absolute path of each test, and its path relative to the
/// root.
pub(crate) fn name_tests(
    tests: &[(PathBuf, String)],
    config: &ResolvedConfig,
    files: &dyn FileSystem,
    program: &mut Program,
    tree: &RouteTree,
) {
    let mut found = vec![Vec::new(); program.routes.len()];
    if !tests.is_empty() {
        let mentions = Mentions {
            program,
            router: tree.router(),
        };
        for (path, name) in tests {
            // A test that cannot be read, or is not UTF-8, mentions no route.
            let Ok(text) = files.read(path) else { continue };
            for route in mentions.routes_in(name, &text) {
                found[route].push(name.clone());
            }
        }
    }
    for (index, tests) in found.into_iter().enumerate() {
        let id = RouteId::from(index);
        // The session shares the routes with this program. An assignment would copy the route.
        if program.routes[id].tests != tests {
            program.routes[id].tests = tests;
        }
    }
    contract_tests::record_contract_tests(program, config);
}

struct Mentions<'a> {
    program: &'a Program,
    router: Router,
}

impl Mentions<'_> {
    /// Returns the indices of the routes that a test mentions. `test` is the path of the test, `text` its content.
    fn routes_in(&self, test: &str, text: &str) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for literal in literals(text) {
            if literal.starts_with("./") || literal.starts_with("../") {
                self.add_handlers_of(test, &literal, &mut found);
            } else if let Some((method, path)) = literal.split_once(' ') {
                self.add_key(method, path, &literal, &mut found);
            } else {
                self.add_path(&literal, &mut found);
            }
        }
        found
    }

    fn add_handlers_of(&self, test: &str, specifier: &str, found: &mut BTreeSet<usize>) {
        let Some(module) = resolve(test, specifier) else {
            return;
        };
        let stem = stem(&module);
        for (index, route) in self.program.routes.iter().enumerate() {
            let file = route
                .handler
                .as_ref()
                .map(|handler| self.program.path(handler.span));
            if file.is_some_and(|file| file == module || self::stem(file) == stem) {
                found.insert(index);
            }
        }
    }

    /// Adds the routes that a literal with a method names: a key such as `GET /notes/:id`, or a request such as `GET
    /// /notes/1`.
    fn add_key(&self, method: &str, path: &str, literal: &str, found: &mut BTreeSet<usize>) {
        let routes = self.program.routes.iter();
        let named = routes
            .enumerate()
            .filter(|(_, route)| route.key == literal || route.reference() == literal)
            .map(|(index, _)| index);
        found.extend(named);
        let path = path.split(['?', '#', ' ']).next().unwrap_or_default();
        if let Match::Route(number) = self.router.find(method, path, &mut ParamBuffer::new()) {
            found.insert(number as usize);
        }
    }

    /// Adds the routes that match a path, with any method, because the path alone does not tell the method.
    fn add_path(&self, literal: &str, found: &mut BTreeSet<usize>) {
        // Remove the origin of the server before the path: `http://localhost:3000`, `${url}`.
        let after_origin = literal.split_once("://").map_or(literal, |(_, rest)| rest);
        let origin = if after_origin.len() < literal.len() || literal.starts_with(PLACEHOLDER) {
            after_origin.find('/')
        } else {
            literal.starts_with('/').then_some(0)
        };
        let Some(start) = origin else { return };
        let path = after_origin[start..].split(['?', '#']).next().unwrap_or_default();
        let methods: BTreeSet<&str> = self
            .program
            .routes
            .iter()
            .map(|route| route.method.name())
            .collect();
        for method in methods {
            if let Match::Route(number) = self.router.find(method, path, &mut ParamBuffer::new()) {
                found.insert(number as usize);
            }
        }
    }
}

/// Character that replaces `${…}` in template literals. The character matches any text in a segment.
const PLACEHOLDER: char = '_';

/// Finds the string literals of a module. The result is not exact: an apostrophe in a comment also starts a literal. Such
/// a literal ends with the line and is rarely a path.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'', '`']) {
        let after = &rest[start + 1..];
        let quote = rest[start..].chars().next().unwrap_or_default();
        match literal(after, quote) {
            Some((value, length)) => {
                // The code in `${…}` may contain other literals.
                let inner = &after[..length];
                if quote == '`' && inner.contains("${") {
                    found.extend(inner.split("${").skip(1).flat_map(literals));
                }
                found.push(value);
                rest = &after[length + 1..];
            }
            None => rest = after,
        }
    }
    found
}

/// Returns the value of the literal at the start of `source`, and its length in the source. `None` if the literal has no
/// end.
fn literal(source: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut characters = source.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            _ if character == quote => return Some((value, at)),
            '\n' if quote != '`' => return None,
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            '$' if quote == '`' && source[at + 1..].starts_with('{') => {
                value.push(PLACEHOLDER);
                let mut depth = 0;
                for (_, inner) in characters.by_ref() {
                    depth += match inner {
                        '{' => 1,
                        '}' => -1,
                        _ => 0,
                    };
                    if depth == 0 {
                        break;
                    }
                }
            }
            _ => value.push(character),
        }
    }
    None
}

/// Resolves the specifier of an import in `module` to a path relative to the project's root. `None` if the path leaves the
/// project.
fn resolve(module: &str, specifier: &str) -> Option<String> {
    let mut parts: Vec<&str> = module.split('/').collect();
    parts.pop();
    for part in specifier.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Removes the extension of a module's path, because the imports `./a.js` and `./a` refer to the file `a.ts`.
fn stem(path: &str) -> &str {
    ["ts", "mts", "cts", "js", "mjs", "cjs"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending)?.strip_suffix('.'))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{literals, resolve, stem};

    #[test]
    fn replaces_expressions_in_string_literals_by_placeholders() {
        let text = "// don't\nget('/a'); get(\"/b\\\"\"); get(`${url({ x: '/c' })}/notes/${id}`); const open = '\nget('/d');";
        let found = literals(text);
        for expected in ["/a", "/b\"", "/c", "_/notes/_", "/d"] {
            assert!(
                found.iter().any(|literal| literal == expected),
                "{expected} in {found:?}"
            );
        }
    }

    #[test]
    fn resolves_imports_to_paths_within_the_project() {
        assert_eq!(
            resolve("test/api/a.test.ts", "../../src/a.ts").as_deref(),
            Some("src/a.ts")
        );
        assert_eq!(resolve("a.test.ts", "./src/./a.js").as_deref(), Some("src/a.js"));
        assert_eq!(resolve("a.test.ts", "../other/a.ts"), None);
        assert_eq!(
            (stem("src/a.js"), stem("src/a.mts"), stem("src/a")),
            ("src/a", "src/a", "src/a")
        );
    }
}
