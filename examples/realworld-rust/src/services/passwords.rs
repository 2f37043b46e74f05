//! Hashes of passwords, which the server on Node reads too.

use std::sync::LazyLock;

use kit_runtime::OptionError;
use kit_runtime::passwords::{PasswordOptions, Passwords};

/// Returns the functions that hash and verify passwords.
pub fn passwords() -> Result<&'static Passwords, OptionError> {
    static PASSWORDS: LazyLock<Result<Passwords, OptionError>> =
        LazyLock::new(|| PasswordOptions::default().build());
    PASSWORDS.as_ref().map_err(Clone::clone)
}
