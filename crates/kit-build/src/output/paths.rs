//! Paths in the output directory: names of kit's internal files, and the check of all other paths.

pub(super) const MANIFEST: &str = ".manifest.json";
pub(super) const LOCK: &str = ".lock";
pub(super) const STAGING: &str = ".staging";
/// Directory in which plugins store data between builds.
pub(super) const CACHE: &str = ".cache";

/// Checks that a path is inside of the output directory, and that kit does not use it for an internal file.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() || path.starts_with('/') || path.contains(['\\', ':', '\0']) {
        return Err("is not a plain relative path");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("leads out of its directory");
    }
    if [MANIFEST, LOCK].contains(&path)
        || path
            .split('/')
            .next()
            .is_some_and(|first| [STAGING, CACHE].contains(&first))
    {
        return Err("is reserved");
    }
    Ok(())
}
