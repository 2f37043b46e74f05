//! Rules of strings, numbers and other values without properties or items.

use kit_analysis::{Fit, samples};
use kit_ir::{Constraints, TypeId, TypeKind};
use serde_json::Value;

use super::boundaries::{bigints, breaks, plain_numbers, texts};
use super::rule::{RequestValue, Rule, ValueOrigin};
use super::rules::Rules;

impl Rules<'_> {
    pub(super) fn scalar(&self, id: TypeId) -> Vec<Rule> {
        let r#type = &self.program.types[id];
        let constraints = &r#type.constraints;
        let rules = match &r#type.kind {
            TypeKind::String => self.text(id, constraints),
            TypeKind::Number => plain_numbers(constraints),
            TypeKind::Boolean => vec![Rule::accepts("false", Value::from(false))],
            TypeKind::Date => breaks("a date that does not exist", &samples().types.date)
                .into_iter()
                .collect(),
            TypeKind::Bytes => breaks("not base64", &samples().types.bytes)
                .map(Rule::runtime_only)
                .into_iter()
                .collect(),
            TypeKind::BigInt => bigints(constraints),
            _ => Vec::new(),
        };
        rules.into_iter().filter(|rule| self.can_be_sent(rule)).collect()
    }

    /// Returns true if a request can contain the value. A path cannot contain empty segments, and clients resolve
    /// `.` and `..`.
    fn can_be_sent(&self, rule: &Rule) -> bool {
        let RequestValue::Value(Value::String(text)) = &rule.given else {
            return true;
        };
        self.source != ValueOrigin::Params || !matches!(text.as_str(), "" | "." | "..")
    }

    fn text(&self, id: TypeId, constraints: &Constraints) -> Vec<Rule> {
        let mut rules = texts(constraints);
        // Keep a refused string only if it breaks exactly one rule. With two, it would test neither of them.
        rules.retain(|rule| match &rule.given {
            RequestValue::Value(value) => rule.is_refusal() || self.fit(id, value) != Fit::No,
            _ => true,
        });
        rules
    }
}
