//! The result of an emitter.

use std::sync::Arc;

use crate::items::ValidatorSource;

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Path, relative to the output directory, with `/` on every platform.
    pub path: String,
    /// Complete content, with a line break at the end. Shared with the [`Emitter`](crate::Emitter), which may return it again.
    pub text: Arc<String>,
    /// True if the content contains [`EmitOptions::generated_at`](crate::EmitOptions::generated_at), and so
    /// changes with each build time.
    pub dated: bool,
    /// Code of the validator that the file exports, so that a plugin can replace it. `None` for all other files.
    pub source: Option<ValidatorSource>,
}
