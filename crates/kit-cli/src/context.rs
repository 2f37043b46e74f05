//! The context in which a command runs.

use crate::console::Console;
use crate::{Environment, Host};

/// Console, environment and host of a command.
pub(crate) struct Context<'a> {
    pub(crate) console: &'a Console<'a>,
    pub(crate) environment: &'a dyn Environment,
    pub(crate) host: &'a dyn Host,
}
