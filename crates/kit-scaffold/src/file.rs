//! Files that this crate creates.

/// A file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Path relative to the project's root, with `/` as the separator.
    pub path: String,
    /// Content of the file.
    pub text: String,
}
