//! Where things were written.

use serde::{Deserialize, Serialize};

use crate::SourceId;

/// A source file of the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// Path relative to the project's root with `/` on every platform, so that output is the same everywhere.
    pub path: String,
}

/// A stretch of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// The file.
    pub source: SourceId,
    /// First byte (UTF-8 offset).
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte, from 1, in UTF-16 units as editors count.
    pub column: u32,
}
