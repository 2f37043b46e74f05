//! What every command works with.

use crate::console::Console;
use crate::{Environment, Host};

/// The world around one command.
pub(crate) struct Context<'a> {
    pub(crate) console: &'a Console<'a>,
    pub(crate) environment: &'a dyn Environment,
    pub(crate) host: &'a dyn Host,
}
