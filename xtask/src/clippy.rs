//! Lints of Rust code. Clippy can replace the compiler of a build: then cargo compiles dependencies once for the lints and
//! for the tests.

use std::process::Command;

use serde_json::Value;

use crate::repository::Repository;
use crate::run;

/// Environment variable with a program that cargo runs in place of rustc for the crates of a workspace.
pub(crate) const WRAPPER: (&str, &str) = ("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");

/// Compiler of the tests, which decides how the lints are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compiler {
    /// The tests are compiled by rustc, and `cargo clippy` checks the lints.
    Rustc,
    /// The tests are compiled by Clippy, which checks the lints at the same time.
    Clippy,
}

impl Compiler {
    /// Makes a command of cargo use this compiler.
    pub(crate) fn set(self, cargo: &mut Command) {
        if self == Self::Clippy {
            cargo.env(WRAPPER.0, WRAPPER.1);
        }
    }

    /// Returns the command that checks the lints of all crates, and prints JSON messages.
    pub(crate) fn lints(self, repository: &Repository) -> anyhow::Result<Command> {
        let mut cargo = run::command(repository, "cargo")?;
        cargo.arg(match self {
            Self::Rustc => "clippy",
            Self::Clippy => "build",
        });
        cargo.args([
            "--workspace",
            "--all-targets",
            "--locked",
            "--quiet",
            "--message-format=json",
        ]);
        self.set(&mut cargo);
        Ok(cargo)
    }
}

/// Returns the text of all warnings and errors in JSON messages of cargo. A text that several targets of a crate have is
/// returned once.
pub(crate) fn warnings(messages: &str) -> String {
    let mut texts: Vec<String> = Vec::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        if message["reason"] != "compiler-message" {
            continue;
        }
        if let Some(text) = message["message"]["rendered"].as_str()
            && !texts.iter().any(|known| known == text)
        {
            texts.push(text.to_owned());
        }
    }
    texts.concat()
}

#[cfg(test)]
mod tests {
    use super::warnings;

    #[test]
    fn returns_each_warning_once_and_no_other_message() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"a"}}
{"reason":"compiler-message","message":{"level":"warning","rendered":"warning: unused\n"}}
not json
{"reason":"compiler-message","message":{"level":"warning","rendered":"warning: unused\n"}}
{"reason":"compiler-message","message":{"level":"error","rendered":"error: mismatched types\n"}}"#;
        assert_eq!(warnings(messages), "warning: unused\nerror: mismatched types\n");
        assert_eq!(warnings(""), "");
    }
}
