//! Files that this crate makes.

use crate::mark::marked;
use crate::{Deployment, compose, kubernetes, systemd};

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path relative to the output directory, with `/` as the separator.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

/// Kind of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Manifests for `kubectl apply`.
    Kubernetes,
    /// A file for `docker compose`.
    Compose,
    /// Units for systemd.
    Systemd,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Kubernetes, Self::Compose, Self::Systemd];

    /// Returns the name, as used on the command line.
    ///
    /// ```
    /// assert_eq!(kit_deploy::Format::Compose.name(), "compose");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Compose => "compose",
            Self::Systemd => "systemd",
        }
    }
}

/// Returns the files of these formats, in the order of [`Format::ALL`].
///
/// ```
/// use kit_deploy::{Choices, Deployment, Format, Project, Runtime, files};
///
/// let project = Project {
///     name: "shop",
///     version: "1.2.0",
///     runtime: Runtime::Rust { program: "shop".to_owned() },
///     worker: None,
///     has_migrations: true,
///     read_variables: &[],
/// };
/// let deployment = Deployment::new(&kit_ir::Program::default(), &project, &Choices::default());
/// let paths: Vec<String> = files(&deployment, &[Format::Kubernetes]).into_iter().map(|file| file.path).collect();
/// assert_eq!(paths[0], "kubernetes/deployment.yaml");
/// assert_eq!(paths.last().unwrap(), "kubernetes/migration/job.yaml");
/// ```
pub fn files(deployment: &Deployment, formats: &[Format]) -> Vec<File> {
    let wanted = Format::ALL.into_iter().filter(|format| formats.contains(format));
    let files = wanted.flat_map(|format| {
        let made = match format {
            Format::Kubernetes => kubernetes::files(deployment),
            Format::Compose => compose::files(deployment),
            Format::Systemd => systemd::files(deployment),
        };
        made.into_iter().map(move |(path, text)| File {
            path: format!("{}/{path}", format.name()),
            text: marked(&text),
        })
    });
    files.collect()
}
