//! Paths in the output directory: kit's own files, and the check of other paths.

pub(super) const MANIFEST: &str = ".manifest.json";
pub(super) const LOCK: &str = ".lock";
pub(super) const STAGING: &str = ".staging";
/// Directory in which plugins store data between builds.
pub(super) const CACHE: &str = ".cache";

/// Checks that a path stays in the directory and does not collide with kit's internal files there.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() || path.starts_with('/') || path.contains(['\\', ':', '\0']) {
        return Err("is not a plain relative path");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return Err("does not stay in its directory");
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
