//! Jobs of the application, from calls of `createJobs`.

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Span};

/// Jobs that the application declares with `createJobs`. All calls have the same type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Jobs {
    /// Jobs in the order of their type.
    pub entries: Vec<Job>,
    /// Location of the first call of `createJobs`.
    pub span: Span,
}

/// One kind of job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Name of the job, such as `send-mail`.
    pub name: String,
    /// Type of the data: an object.
    pub data: DeclarationId,
    /// Location of the property that declares the job.
    pub span: Span,
}
