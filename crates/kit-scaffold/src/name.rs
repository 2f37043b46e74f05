//! Names of projects. A name becomes a directory, a package and a Docker Compose project, so it must be valid for all
//! three.

use std::fmt;

use crate::{Adapter, Server};

/// Maximum length of a package name in npm.
const LONGEST: usize = 214;

/// Names that are devices on Windows, with any file extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Names that npm refuses, and names of Node modules. If a package had the name of a Node module, an import
/// would load the Node module instead.
const TAKEN: [&str; 40] = [
    "node_modules",
    "favicon.ico",
    "assert",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "worker_threads",
    "zlib",
];

/// A valid name of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectName(String);

/// Error for an invalid name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    /// Description of the mistake.
    pub message: String,
    /// Suggestion for a valid name.
    pub help: String,
}

impl ProjectName {
    /// Validates a name.
    ///
    /// # Errors
    /// Returns a [`NameError`] with a suggestion if the name is invalid.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let problem = problem(text);
        match problem {
            None => Ok(Self(text.to_owned())),
            Some(problem) => Err(NameError {
                message: format!(
                    "`{}` cannot be the name of a project: {problem}",
                    text.escape_debug()
                ),
                help: suggestion(text).map_or_else(
                    || "a name is lower-case letters, digits, `-`, `_` and `.`, like `my-api`".to_owned(),
                    |name| format!("write `{name}`, for example"),
                ),
            }),
        }
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name with `-` instead of each dot, for the name of the Docker Compose project.
    pub(crate) fn without_dots(&self) -> String {
        self.0.replace('.', "-")
    }

    /// Returns the name with `_` instead of each dot and hyphen, for the name of a crate in Rust code.
    pub(crate) fn as_identifier(&self) -> String {
        self.0.replace(['.', '-'], "_")
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn problem(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("the name is empty".to_owned());
    }
    if text.contains(['/', '\\']) {
        return Some(
            "the name contains a path separator, but kit creates the project in the current directory"
                .to_owned(),
        );
    }
    if let Some(found) = text.chars().find(|c| !is_allowed(*c)) {
        return Some(if found.is_uppercase() {
            format!("npm allows no capital letters, and the name contains `{found}`")
        } else {
            format!("npm allows no `{}` in a name", found.escape_debug())
        });
    }
    if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Some("the name does not begin with a letter or a digit".to_owned());
    }
    if text.ends_with('.') {
        return Some("the name ends with a dot, which Windows removes".to_owned());
    }
    if text.len() > LONGEST {
        return Some(format!(
            "the name has {} characters, but npm allows at most {LONGEST}",
            text.len()
        ));
    }
    let stem = text.split('.').next().unwrap_or_default();
    let is_port = stem.len() == 4
        && (stem.starts_with("com") || stem.starts_with("lpt"))
        && stem.ends_with(|c: char| c.is_ascii_digit());
    if DEVICES.contains(&stem) || is_port {
        return Some("this is the name of a device on Windows".to_owned());
    }
    if TAKEN.contains(&text) {
        return Some("the name is taken by Node or npm".to_owned());
    }
    if dependencies().any(|name| name == text) {
        return Some(
            "a project may need a package with this name, and npm cannot install a package into a project of the same name".to_owned(),
        );
    }
    None
}

fn dependencies() -> impl Iterator<Item = &'static str> {
    Server::ALL
        .into_iter()
        .flat_map(Server::peers)
        .chain(Adapter::ALL.into_iter().flat_map(Adapter::packages))
        .map(|(name, _)| *name)
        .chain(["typescript", "vite"])
}

fn is_allowed(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '.')
}

/// Returns the valid name that the user probably meant: `my-api` for `My Api`.
fn suggestion(text: &str) -> Option<String> {
    let last = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    let mut name = String::new();
    for c in last.to_lowercase().chars() {
        if is_allowed(c) {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let mut name = name.trim_matches(['-', '_', '.']).to_owned();
    name.truncate(LONGEST);
    if name.is_empty() {
        return None;
    }
    if problem(&name).is_some() {
        name.push_str("-api");
    }
    problem(&name).is_none().then_some(name)
}

#[cfg(test)]
mod tests {
    use super::ProjectName;

    #[test]
    fn accepts_project_names_that_npm_accepts() {
        for name in [
            "a",
            "my-api",
            "shelf.v2",
            "x_y",
            "0day",
            "console-app",
            "com",
            "comet",
        ] {
            assert_eq!(ProjectName::parse(name).unwrap().as_str(), name);
        }
    }

    #[test]
    fn explains_why_a_project_name_is_refused() {
        for (name, message, help) in [
            ("", "the name is empty", "like `my-api`"),
            (
                "My Api",
                "no capital letters, and the name contains `M`",
                "`my-api`",
            ),
            ("my api", "npm allows no ` `", "`my-api`"),
            ("apps/shelf", "a path separator", "`shelf`"),
            ("..\\shelf", "a path separator", "`shelf`"),
            ("@me/shelf", "a path separator", "`shelf`"),
            ("..", "does not begin with a letter", "like `my-api`"),
            (".hidden", "does not begin with a letter", "`hidden`"),
            ("-rf", "does not begin with a letter", "`rf`"),
            ("shelf.", "ends with a dot", "`shelf`"),
            ("bücher", "npm allows no `ü`", "`b-cher`"),
            ("a\u{1b}[2J", "npm allows no `\\u{1b}`", "`a-2j`"),
            ("nul", "a device on Windows", "`nul-api`"),
            ("com1.x", "a device on Windows", "like `my-api`"),
            ("http", "taken by Node", "`http-api`"),
            (
                "express",
                "npm cannot install a package into a project of the same name",
                "`express-api`",
            ),
        ] {
            let error = ProjectName::parse(name).unwrap_err();
            assert!(error.message.contains(message), "{error:?}");
            assert!(error.help.contains(help), "{error:?}");
        }
        let long = ProjectName::parse(&"x".repeat(215)).unwrap_err();
        assert!(long.message.contains("215 characters"), "{long:?}");
    }
}
