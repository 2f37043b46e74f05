//! Failures of the properties of one object, one property after the other.

use serde_json::Value;

use super::explain::{Explainer, Location, Path, Secrets};
use super::{Failure, Rule};
use crate::json::Json;
use crate::shape::{Property, describe};

/// Collects the failures of properties, in the order of their declaration, as [`super::explain_briefly`] lists them.
pub(crate) struct PropertyFailures(Explainer);

impl PropertyFailures {
    pub(crate) fn new(secrets: Secrets) -> Self {
        Self(Explainer::brief(secrets))
    }

    /// Adds the failure of a required property that is missing.
    pub(crate) fn missing(&mut self, property: &'static Property) {
        self.0.push(Failure {
            path: Path::Member(&Path::Root, property.key).text(),
            expected: describe(&property.shape),
            received: "nothing".to_owned(),
            value: Some(Value::Null),
            rule: Rule::Required,
            limit: None,
            suggestion: None,
        });
    }

    /// Adds the failures of a property with a wrong value that is neither an array nor an object.
    pub(crate) fn wrong(&mut self, property: &'static Property, value: &Json) {
        let root = Location::root(&Path::Root, self.0.hides_all());
        let hidden = root.hidden || property.sensitive || self.0.is_secret(property.key, root);
        let path = &Path::Member(&Path::Root, property.key);
        self.0
            .visit(&property.shape, value, Location { path, hidden, ..root });
    }

    /// Returns the failures. Returns `None` if there are none, or more than a list may have.
    pub(crate) fn list(self) -> Option<Vec<Failure>> {
        (!self.0.is_full() && !self.0.failures.is_empty()).then_some(self.0.failures)
    }
}
