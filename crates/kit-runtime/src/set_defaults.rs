//! Options of the application that are the defaults of environment variables.

use crate::variables::{Defaults, set_default_values};
use crate::{log, settings};

/// Sets the values of environment variables that are not set. They apply to the whole process; only the first call has an
/// effect. `kit build` generates the values from options of `createApp`, such as `requestTimeoutMs`.
///
/// ```
/// kit_runtime::set_defaults(&[("REQUEST_TIMEOUT_MS", "5000")]);
/// ```
pub fn set_defaults(values: Defaults) {
    if !set_default_values(values) {
        return;
    }
    if settings::are_read() {
        // Only a program that connects to its database without the generated function `db::connect`, before it calls
        // `router`, reads the settings so early.
        tracing::error!(
            "The options of `createApp` have no effect, because the program read its settings before it called `router`"
        );
    }
    log::apply_default_level();
}
