//! Responses about the project: its registered middleware, and in development its source code and its draft of a migration.

#![allow(clippy::disallowed_methods)] // Reason: source code and drafts are files of the project.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::answer::{Refusal, truncate};
use super::query::Query;
use super::state::State;

/// File name extensions of source code and SQL. Other files, such as `.env`, may contain secrets and are not shown.
const ENDINGS: [&str; 10] = ["rs", "ts", "mts", "cts", "tsx", "js", "mjs", "cjs", "jsx", "sql"];
const GREATEST_FILE: u64 = 2 * 1024 * 1024;
const DEFAULT_AROUND: u64 = 8;
const MOST_AROUND: u64 = 200;

pub(super) fn middleware(state: &State) -> Value {
    let list = serde_json::from_str(state.sidecar.middleware).unwrap_or_else(|_| json!([]));
    json!({ "middleware": list })
}

/// Returns lines of a source file of the project. Refuses the request in production.
pub(super) fn source(state: &State, query: &Query) -> Result<Value, Refusal> {
    if state.settings.is_production {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "DEVELOPMENT_ONLY",
            "source text is shown in development only",
        ));
    }
    let asked = query
        .text("file")
        .filter(|file| !file.is_empty() && !file.contains('\0'));
    let Some(asked) = asked else {
        return Err(Refusal::invalid("`file` must be a path below the project's root"));
    };
    let line = query.whole("line", 1, 999_999_999)?.unwrap_or(1);
    let around = query.whole("around", 0, MOST_AROUND)?.unwrap_or(DEFAULT_AROUND);
    let Some((file, text)) = read(&state.root, asked) else {
        let shown = truncate(asked);
        return Err(Refusal::not_found(format!(
            "there is no source file {shown} below the project's root; packages and hidden files are not shown"
        )));
    };
    let lines: Vec<_> = text.lines().collect();
    let count = u64::try_from(lines.len()).unwrap_or(u64::MAX);
    let from = line.min(count).saturating_sub(around).max(1);
    let shown = (1..)
        .zip(&lines)
        .filter(|(number, _)| (from..=line.saturating_add(around)).contains(number));
    let shown: Vec<_> = shown.map(|(_, text)| text).collect();
    Ok(json!({ "file": file, "from": from, "lines": shown, "count": count }))
}

/// Reads a source file below a directory. Returns its path relative to the directory, and its text.
fn read(root: &Path, asked: &str) -> Option<(String, String)> {
    let root = root.canonicalize().ok()?;
    // Resolves symbolic links, so that a link to a file outside of the project is refused.
    let path = root.join(asked).canonicalize().ok()?;
    let file = path.strip_prefix(&root).ok()?.to_str()?;
    let mut names = file.split('/');
    let is_hidden = names
        .any(|name| matches!(name, "node_modules" | "target") || (name.starts_with('.') && name != ".kit"));
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    let size = fs::metadata(&path).ok()?.len();
    if is_hidden || !ENDINGS.contains(&ending.as_str()) || size > GREATEST_FILE {
        return None;
    }
    let text = fs::read_to_string(&path).ok()?;
    Some((file.to_owned(), text))
}

/// Source files of the project that one response needs.
pub(super) struct SourceFiles<'s> {
    /// Directory of the project. `None` in production, which shows no source code.
    root: Option<&'s Path>,
    /// Texts by path. `None` for a file that cannot be read.
    texts: HashMap<String, Option<String>>,
}

impl<'s> SourceFiles<'s> {
    pub(super) fn new(state: &'s State) -> Self {
        Self {
            root: (!state.settings.is_production).then_some(&*state.root),
            texts: HashMap::new(),
        }
    }

    /// Returns the number of the line that declares a function.
    pub(super) fn line_of_function(&mut self, file: &str, function: &str) -> Option<usize> {
        let root = self.root?;
        let text = self.texts.entry(file.to_owned());
        let text = text
            .or_insert_with(|| read(root, file).map(|(_, text)| text))
            .as_ref()?;
        let start = format!("fn {function}(");
        let found = text.lines().position(|line| line.contains(&start))?;
        Some(found + 1)
    }
}

/// Returns the draft of a migration in `.kit/migrations/`. `kit build` writes it if the types have changes that no committed
/// migration contains.
pub(super) fn migrations(state: &State) -> Result<Value, Refusal> {
    let directory = state.root.join(".kit/migrations");
    let json_of = |name: &str| -> Option<Value> {
        let text = fs::read_to_string(directory.join(name)).ok()?;
        serde_json::from_str(&text).ok()
    };
    if let Some(pending) = json_of("pending.json") {
        return Ok(json!({
            "hasTables": true,
            "destructive": pending["destructive"],
            "changes": pending["changes"],
            "problems": pending["problems"],
            "sql": fs::read_to_string(directory.join("pending.sql")).ok(),
        }));
    }
    if !directory.exists() && !state.root.join(".kit").exists() {
        return Err(Refusal::new(
            StatusCode::NOT_FOUND,
            "NOT_BUILT",
            "the directory .kit is not there: run `kit build`, and start the server in the directory of the project",
        ));
    }
    let snapshot = json_of("snapshot.json").unwrap_or_default();
    let tables = snapshot["tables"].as_array().map_or(0, Vec::len);
    Ok(json!({ "hasTables": tables > 0, "destructive": false, "changes": [], "problems": [], "sql": null }))
}
