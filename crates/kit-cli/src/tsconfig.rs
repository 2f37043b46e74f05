//! Reads a project's tsconfig.json, to know if tsc would write JavaScript and if the file only refers to other projects.

use std::path::{Path, PathBuf};

use kit_build::read_text;
use serde_json::Value;

/// Maximum length of a chain of `extends`. A longer chain is treated as a loop.
const MAX_EXTENDS_DEPTH: usize = 32;

/// Reason why tsc writes no JavaScript for a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoOutput {
    /// There is no tsconfig.json.
    NoSettings,
    /// tsconfig.json sets `noEmit`, or inherits it.
    NoEmit,
    /// tsconfig.json sets `emitDeclarationOnly`, or inherits it.
    DeclarationsOnly,
}

/// Returns `Ok` if tsc would write JavaScript for the project. Also returns `Ok` for an invalid tsconfig.json, because tsc
/// reports the mistake better than kit could.
pub(crate) fn check_emits(root: &Path) -> Result<(), NoOutput> {
    let path = root.join("tsconfig.json");
    if !path.is_file() {
        return Err(NoOutput::NoSettings);
    }
    let has = |option| effective_option(&path, option, MAX_EXTENDS_DEPTH) == Some(true);
    if has("noEmit") {
        return Err(NoOutput::NoEmit);
    }
    if has("emitDeclarationOnly") {
        return Err(NoOutput::DeclarationsOnly);
    }
    Ok(())
}

/// Returns `outDir` of the project's tsconfig.json, if the file itself sets it.
pub(crate) fn out_dir(root: &Path) -> Option<String> {
    let value = read(&root.join("tsconfig.json"))?;
    let directory = value.pointer("/compilerOptions/outDir")?.as_str()?;
    Some(directory.to_owned())
}

/// Returns true if the project's tsconfig.json contains only references to other projects. `tsc -p .` would
/// then check nothing and succeed.
pub(crate) fn is_solution(root: &Path) -> bool {
    let Some(value) = read(&root.join("tsconfig.json")) else {
        return false;
    };
    let is_empty = |name| value.get(name).and_then(Value::as_array).map(Vec::is_empty);
    is_empty("references") == Some(false) && is_empty("files") == Some(true)
}

fn read(path: &Path) -> Option<Value> {
    let mut text = read_text(path).ok()??;
    json_strip_comments::strip(&mut text).ok()?;
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Returns the value of a compiler option that the file sets or inherits. Returns `None` if the option is
/// neither set nor inherited.
fn effective_option(path: &Path, option: &str, depth: usize) -> Option<bool> {
    let value = read(path)?;
    if let Some(own) = value.pointer(&format!("/compilerOptions/{option}")) {
        return own.as_bool();
    }
    let bases = match value.get("extends")? {
        Value::Array(bases) => bases.iter().filter_map(Value::as_str).collect(),
        base => vec![base.as_str()?],
    };
    let left = depth.checked_sub(1)?;
    // If `extends` is a list, later files override earlier ones.
    bases
        .into_iter()
        .rev()
        .find_map(|base| effective_option(&base_path(path, base)?, option, left))
}

fn base_path(from: &Path, base: &str) -> Option<PathBuf> {
    let directory = from.parent()?;
    let is_path = base.starts_with("./") || base.starts_with("../") || Path::new(base).is_absolute();
    let places = if is_path {
        vec![directory.join(base)]
    } else {
        let packages = directory
            .ancestors()
            .map(|above| above.join("node_modules").join(base));
        packages.collect()
    };
    places
        .into_iter()
        .flat_map(|place| {
            let mut named = place.clone().into_os_string();
            named.push(".json");
            [place.clone(), PathBuf::from(named), place.join("tsconfig.json")]
        })
        .find(|path| path.is_file())
}
