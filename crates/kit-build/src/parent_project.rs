//! Finds the project that contains a directory, for messages to users who run kit in the wrong directory.

use std::path::{Path, PathBuf};

use crate::config::find_config_file;
use crate::disk;

/// Text in a `package.json` that shows that the directory is a kit project: the start of a dependency on a package
/// of kit.
const PACKAGES: &str = "\"@kit/";

/// Returns the nearest parent directory that is a kit project. Returns `None` if there is none, or if `directory`
/// itself is a kit project.
pub fn project_above(directory: &Path) -> Option<PathBuf> {
    if is_project(directory) {
        return None;
    }
    let above = directory.ancestors().skip(1);
    above.map(Path::to_path_buf).find(|path| is_project(path))
}

/// Returns the kit project that contains a file: the nearest parent directory that is a kit project. Returns `None` if there is
/// none, or if the file belongs to an installed package.
pub fn project_of(file: &Path) -> Option<PathBuf> {
    if file.components().any(|part| part.as_os_str() == "node_modules") {
        return None;
    }
    file.ancestors()
        .skip(1)
        .find(|path| is_project(path))
        .map(Path::to_path_buf)
}

/// Returns true if the directory is the root of a kit project: it has a configuration file, or depends on a package of kit.
fn is_project(directory: &Path) -> bool {
    matches!(find_config_file(directory), Ok(Some(_)))
        || disk::read_text(&directory.join("package.json")).is_ok_and(|text| text.contains(PACKAGES))
}

/// Returns the advice for a user who runs kit in a directory that is not a project.
pub fn project_advice(directory: &Path) -> String {
    match project_above(directory) {
        Some(project) => {
            let project = project.display();
            format!("the project is {project}: go there, or name it with `--root {project}`")
        }
        None => "go to the project's directory, or name it with `--root`".to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // Reason: the tests create the files that the functions look for.
mod tests {
    use std::fs;

    use super::{project_above, project_advice, project_of};

    #[test]
    fn names_the_nearest_kit_project_and_skips_other_packages() {
        let base = std::env::temp_dir().join(format!("kit-above-{}", std::process::id()));
        let inner = base.join("shop/tools/src");
        fs::create_dir_all(&inner).unwrap();
        fs::write(
            base.join("shop/package.json"),
            r#"{ "dependencies": { "@kit/core": "0.1.0" } }"#,
        )
        .unwrap();
        fs::write(base.join("shop/tools/package.json"), r#"{ "name": "tools" }"#).unwrap();
        assert_eq!(project_above(&inner), Some(base.join("shop")));
        assert_eq!(project_above(&base.join("shop")), None);
        assert!(project_advice(&inner).starts_with("the project is "));
        assert_eq!(project_of(&inner.join("a.ts")), Some(base.join("shop")));
        assert_eq!(project_of(&base.join("shop/node_modules/x/a.ts")), None);
        assert_eq!(project_of(&base.join("a.ts")), None);
        assert!(project_advice(&base).starts_with("go to the project's directory"));
        fs::remove_dir_all(&base).unwrap();
    }
}
