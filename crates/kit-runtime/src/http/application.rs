//! The application that handles the requests.

use super::Error;

/// State of an application, which all its handlers share. Clones must refer to the same state.
pub trait Application: Clone + Send + Sync + 'static {
    /// Returns an error while the application cannot handle requests, for example without a database. `/readyz` calls
    /// this function.
    fn ready(&self) -> impl Future<Output = Result<(), Error>> + Send;
}
