//! Reader of the option `securityHeaders` of `createApp`.
//!
//! As for `cors`, the reader reports nothing: only a generated Rust server needs a value that the compiler can read.

use std::collections::BTreeMap;

use oxc_ast::ast::{Expression, ObjectPropertyKind};

use super::Located;
use super::expression::{Resolved, boolean, follow, string};
use crate::lower::Lowering;

/// Value of the option `securityHeaders`: the value of each header by the name of its property. `None` stands
/// for a header that is not sent.
pub(crate) type Values = BTreeMap<String, Option<String>>;

/// Result of reading the option `securityHeaders`.
pub(super) enum Read {
    /// The option is `false`.
    Off,
    /// The option is on, with its value. The value is `None` if a part of it is known only when the
    /// application runs.
    On(Option<Values>),
}

pub(super) fn read<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Read {
    match boolean(lowering, option) {
        Some(false) => Read::Off,
        Some(true) => Read::On(Some(Values::new())),
        None => Read::On(values(lowering, option)),
    }
}

fn values<'a>(lowering: &mut Lowering<'a>, option: Located<'a>) -> Option<Values> {
    let Resolved::Expression(found, _) = follow(lowering, option) else {
        return None;
    };
    let Expression::ObjectExpression(object) = found.expression else {
        return None;
    };
    let mut values = Values::new();
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            return None;
        };
        let name = property.key.static_name()?.into_owned();
        let value = found.with(&property.value);
        let text = string(lowering, value).map(std::borrow::Cow::into_owned);
        if text.is_none() && boolean(lowering, value) != Some(false) {
            return None;
        }
        values.insert(name, text);
    }
    Some(values)
}
