//! What a command asks of JavaScript.

use std::path::Path;
use std::pin::Pin;

use serde_json::Value;

/// An answer that may take a while.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + 'a>>;

/// What only JavaScript can do: run a configuration file, start the embedded database.
pub trait Host {
    /// The default export of a configuration file, as plain data.
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value>;

    /// The URL of the project's embedded database, which runs until the command ends or longer.
    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String>;
}

/// What the host could not do, and why, in words for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// The message.
    pub message: String,
}
