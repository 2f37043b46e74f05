//! Finds the program of a project: the file that starts its application.

use std::path::Path;

use crate::failure::{CommandError, Problem};

/// Usual paths of a project's program, in order of preference.
const USUAL_PATHS: [&str; 8] = [
    "src/main.ts",
    "src/server.ts",
    "src/index.ts",
    "src/main.js",
    "src/server.js",
    "src/index.js",
    "main.ts",
    "index.ts",
];

/// Returns the path of the program that does jobs, which has the name `worker` and is beside the program that serves: `src/worker.ts`
/// of `src/main.ts`. The file may not exist.
pub(crate) fn worker_beside(entry: &str) -> String {
    let (directory, file) = match entry.rsplit_once('/') {
        Some((directory, file)) => (format!("{directory}/"), file),
        None => (String::new(), entry),
    };
    let ending = file.rsplit_once('.').map_or("ts", |(_, ending)| ending);
    format!("{directory}worker.{ending}")
}

/// Program of a server in Rust.
pub(crate) const RUST: &str = "src/main.rs";

/// Returns true if one of the usual paths exists.
pub(crate) fn exists(root: &Path) -> bool {
    USUAL_PATHS.iter().any(|path| root.join(path).is_file())
}

/// Returns the path of the program, relative to the root, with `/`: `given` if it is set, otherwise the first
/// usual path that exists.
pub(crate) fn find(root: &Path, given: Option<&str>) -> Result<String, CommandError> {
    if let Some(given) = given {
        return if root.join(given).is_file() {
            Ok(given.to_owned())
        } else {
            Err(Problem::build(
                "configuration",
                format!("there is no file {given} in {}", root.display()),
            )
            .help("`--entry` is the file that starts the application, relative to the project's root")
            .into())
        };
    }
    USUAL_PATHS
        .iter()
        .find(|path| root.join(path).is_file())
        .map(ToString::to_string)
        .ok_or_else(|| {
            Problem::build(
                "configuration",
                format!(
                    "the file that starts the application was not found: the directory {} contains none of {}",
                    root.display(),
                    USUAL_PATHS.join(", ")
                ),
            )
            .help("name the file: `--entry path/to/program.ts`")
            .into()
        })
}

#[cfg(test)]
mod tests {
    use super::worker_beside;

    #[test]
    fn the_worker_is_beside_the_program_that_serves() {
        assert_eq!(worker_beside("src/main.ts"), "src/worker.ts");
        assert_eq!(worker_beside("dist/src/server.js"), "dist/src/worker.js");
        assert_eq!(worker_beside("index.mts"), "worker.mts");
    }
}
