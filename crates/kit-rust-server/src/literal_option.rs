//! Options of `createApp` whose values consist of literals: what they have in common.

use kit_ir::LiteralOption;
use serde_json::{Map, Value};

use crate::Problem;

/// Returns the message about an option whose value is known only when the application runs.
pub(crate) fn unknown_value(option: &str) -> String {
    format!(
        "the Rust server needs the value of `{option}` at build time, but the value is known only when the application runs"
    )
}

/// Returns the message and the advice about a property that an option does not have.
pub(crate) fn unknown_property(option: &str, property: &str, known: &[&str]) -> (String, String) {
    let known: Vec<_> = known.iter().map(|known| format!("`{known}`")).collect();
    (
        format!("there is no option `{option}.{property}`"),
        format!("use one of {}", known.join(", ")),
    )
}

/// An option of the application that is set, with its name.
pub(crate) struct Named<'a> {
    pub(crate) name: &'static str,
    pub(crate) option: &'a LiteralOption,
}

impl Named<'_> {
    /// Returns the properties of the option's value. Returns no properties for the value `true`. Returns
    /// `None` if the value is unknown or is neither `true` nor an object.
    pub(crate) fn members(&self) -> Option<Map<String, Value>> {
        match self.option.value.as_ref()? {
            Value::Bool(true) => Some(Map::new()),
            Value::Object(members) => Some(members.clone()),
            _ => None,
        }
    }

    /// Returns a problem at the location of the option.
    pub(crate) fn problem(&self, message: String, help: impl Into<String>) -> Problem {
        Problem {
            message,
            span: self.option.span,
            help: help.into(),
        }
    }

    /// Returns the mistakes that every option can have: the compiler could not read the value, the value has
    /// a wrong type, or it has unknown properties.
    pub(crate) fn problems(&self, known: &[&str], example: &str) -> Vec<Problem> {
        let name = self.name;
        let Some(value) = &self.option.value else {
            return vec![self.problem(
                unknown_value(name),
                format!("write the value as `true` or as an object of literals, such as `{example}`"),
            )];
        };
        let Some(members) = self.members() else {
            return vec![self.problem(
                format!("`{name}` is {value}, which is not a value of this option"),
                format!("write `true`, `false` or an object such as `{example}`"),
            )];
        };
        let unknown = members.keys().filter(|member| !known.contains(&member.as_str()));
        unknown
            .map(|member| {
                let (message, help) = unknown_property(name, member, known);
                self.problem(message, help)
            })
            .collect()
    }
}
