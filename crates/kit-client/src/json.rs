//! Values in JSON.

use kit_runtime::Contract;
use kit_runtime::json::{from_json, parse};

use crate::Error;

/// Reads a value in JSON.
pub(crate) fn read<T: Contract, E>(text: &str) -> Result<T, Error<E>> {
    let refused = |reason: String| Error::Response(format!("the body is no {}: {reason}", T::NAME));
    let json = parse(text).map_err(|error| refused(format!("{error:?}")))?;
    from_json(&json).map_err(|error| refused(error.to_string()))
}
