//! Random bytes for secrets.

use crate::Error;

/// Returns random bytes of the operating system, which nobody can guess.
///
/// # Errors
///
/// 500 if the operating system has no random numbers.
pub(crate) fn random_bytes<const LENGTH: usize>() -> Result<[u8; LENGTH], Error> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}
