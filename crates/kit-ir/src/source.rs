//! Source files and locations in them.

use serde::{Deserialize, Serialize};

use crate::SourceId;

/// A source file of the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceFile {
    /// Path relative to the project's root, with `/` on every platform, so that the output is the same
    /// everywhere.
    pub path: String,
}

/// A range of bytes in a source file, with its line and column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// Source file that contains the range.
    pub source: SourceId,
    /// Offset of the first byte in the UTF-8 text.
    pub start: u32,
    /// Offset after the last byte in the UTF-8 text.
    pub end: u32,
    /// Line of the first byte, counted from 1.
    pub line: u32,
    /// Column of the first byte, counted from 1 in UTF-16 code units, as editors count.
    pub column: u32,
}
