//! Dependencies of every command.

use crate::console::Console;
use crate::{Environment, Host};

/// Console, environment and host of one command.
pub(crate) struct Context<'a> {
    pub(crate) console: &'a Console<'a>,
    pub(crate) environment: &'a dyn Environment,
    pub(crate) host: &'a dyn Host,
}
