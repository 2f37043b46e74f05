//! A redactor with more patterns, for the debug sidecar.

use std::sync::{OnceLock, PoisonError, RwLock};

use serde_json::Value;

use super::{Redactor, compile};
use crate::Error;

impl Redactor {
    /// Returns a redactor that hides the same values, and those of more patterns. `variable` is the environment variable of the
    /// patterns, for the error.
    pub(crate) fn with<'t>(
        &self,
        patterns: impl IntoIterator<Item = &'t str>,
        variable: &str,
    ) -> Result<Self, Error> {
        let mut all = self.patterns.clone();
        let more = compile(patterns)
            .map_err(|error| Error::internal(error.message().replacen("LOG_REDACT", variable, 1)))?;
        for (last, names) in more
            .into_iter()
            .chain(self.declared.get().cloned().unwrap_or_default())
        {
            all.entry(last).or_default().extend(names);
        }
        let names = self.names.read().unwrap_or_else(PoisonError::into_inner);
        Ok(Self {
            patterns: all,
            declared: OnceLock::new(),
            names: RwLock::new(names.clone()),
        })
    }

    /// Returns a tree of values with hidden values replaced.
    pub(crate) fn tree(&self, value: Value) -> Value {
        self.json(value, &mut Vec::new())
    }
}
