//! The one question about a project's tsconfig.json that kit has: whether tsc would write JavaScript.

use std::path::{Path, PathBuf};

use kit_build::read_text;
use serde_json::Value;

/// A chain of `extends` that is longer is a circle.
const LONGEST_CHAIN: usize = 32;

/// Whether the project has a tsconfig.json whose JavaScript is to be written. One that cannot be read is taken for one:
/// tsc says better what is wrong with it.
pub(crate) fn emits(root: &Path) -> bool {
    let path = root.join("tsconfig.json");
    path.is_file()
        && !["noEmit", "emitDeclarationOnly"]
            .iter()
            .any(|option| option_of(&path, option, LONGEST_CHAIN) == Some(true))
}

/// An option as the file has it or inherits it.
fn option_of(path: &Path, option: &str, depth: usize) -> Option<bool> {
    let mut text = read_text(path).ok()??;
    json_strip_comments::strip(&mut text).ok()?;
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    if let Some(own) = value.pointer(&format!("/compilerOptions/{option}")) {
        return own.as_bool();
    }
    let bases = match value.get("extends")? {
        Value::Array(bases) => bases.iter().filter_map(Value::as_str).collect(),
        base => vec![base.as_str()?],
    };
    let left = depth.checked_sub(1)?;
    // The last one wins.
    bases
        .into_iter()
        .rev()
        .find_map(|base| option_of(&base_path(path, base)?, option, left))
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
