//! Result of a test.

use crate::Error;

/// Reason why a test did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// The response breaks the contract.
    Failed(String),
    /// The test could not check anything.
    Ignored(String),
}

/// Result of a test, or of a part of a test.
pub(super) type Checked<T = ()> = Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Returns the failure of a test without a response.
pub(super) fn fail<T>(message: impl Into<String>) -> Checked<T> {
    Err(Stop::Failed(message.into()))
}

/// Returns the end of a test whose request cannot succeed without a fixture.
pub(super) fn needs_fixture() -> Stop {
    Stop::Ignored("the response is an error: add a fixture for the route".to_owned())
}
