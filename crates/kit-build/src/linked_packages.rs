//! Installed packages in the copy of a project.

use std::path::Path;

use crate::{BuildError, disk};

/// Makes the installed packages of a directory visible in its copy, if the copy has no `node_modules`. A package that is a
/// link to another directory of the repository, as in workspaces, becomes a link to the copy of this directory.
///
/// # Errors
/// Returns an error if a link cannot be created.
pub fn link_packages(
    from: &Path,
    copy: &Path,
    (repository, copy_of_repository): (&Path, &Path),
) -> Result<(), BuildError> {
    let (packages, links) = (from.join("node_modules"), copy.join("node_modules"));
    if !disk::is_dir(&packages) || !disk::is_dir(copy) || disk::exists(&links) {
        return Ok(());
    }
    let repository = disk::canonical(repository).map_err(BuildError::io("read", repository))?;
    for name in disk::names(&packages)? {
        let package = packages.join(&name);
        if name.starts_with('@') {
            for inner in disk::names(&package)? {
                link(
                    &package.join(&inner),
                    &links.join(&name).join(inner),
                    (&repository, copy_of_repository),
                )?;
            }
        } else {
            link(&package, &links.join(name), (&repository, copy_of_repository))?;
        }
    }
    Ok(())
}

fn link(package: &Path, link: &Path, (repository, copy): (&Path, &Path)) -> Result<(), BuildError> {
    if !disk::is_dir(package) {
        return Ok(());
    }
    let target = disk::canonical(package).map_err(BuildError::io("read", package))?;
    let is_installed = target.components().any(|part| part.as_os_str() == "node_modules");
    let own = target.strip_prefix(repository).ok().filter(|_| !is_installed);
    let target = match own.map(|own| copy.join(own)) {
        Some(own) if disk::is_dir(&own) => own,
        // The package did not exist in the other state, or it is not a part of the repository.
        _ => target,
    };
    if let Some(parent) = link.parent() {
        disk::make_dir(parent)?;
    }
    disk::link_dir(&target, link)
}
