//! Options of `createApp` whose values consist of literals: what they have in common.

use kit_ir::LiteralOption;
use serde_json::{Map, Value};

use crate::Problem;

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
                format!(
                    "the Rust server needs the value of `{name}` at build time, but the value is known only when the \
                     application runs"
                ),
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
                let known: Vec<_> = known.iter().map(|known| format!("`{known}`")).collect();
                self.problem(
                    format!("there is no option `{name}.{member}`"),
                    format!("use one of {}", known.join(", ")),
                )
            })
            .collect()
    }
}
