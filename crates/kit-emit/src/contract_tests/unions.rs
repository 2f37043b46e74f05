//! Rules of unions. Requests with a value of each member must be accepted. Requests with a value of another type must be
//! refused, and so must requests with a value that breaks a rule of one member and matches no other member.

use kit_analysis::{Fit, Member, describe, literal_value, members, resolve};
use kit_ir::{TypeId, TypeKind};
use serde_json::{Map, Value};

use super::rules::{Outcome, RequestValue, Rule, Rules, replaced};
use crate::samples::SampleOptions;

impl Rules<'_> {
    pub(super) fn union(&mut self, id: TypeId, declared: &[TypeId], sample: Option<&Value>) -> Vec<Rule> {
        let program = self.program;
        let members = members(program, declared);
        let kind = |member: &Member| &program.types[resolve(program, member.r#type)].kind;
        let (nulls, others): (Vec<_>, Vec<_>) = members
            .into_iter()
            .partition(|member| *kind(member) == TypeKind::Null);
        let mut rules = Vec::new();
        if !nulls.is_empty() && !self.source.is_text() {
            rules.push(Rule::accepts("null", Value::Null));
        }
        // For `T | null`, the rules are those of `T`, and null is accepted.
        if let [only] = others.as_slice() {
            let inner = self.rules_of(only.r#type, sample);
            rules.extend(inner.into_iter().filter(|rule| {
                let taken = match &rule.given {
                    RequestValue::Value(value) if rule.path.is_empty() => self.fit(id, value) == Fit::Yes,
                    _ => false,
                };
                !(rule.is_refusal() && taken)
            }));
            return rules;
        }
        for member in &others {
            if let TypeKind::Literal { value } = kind(member) {
                let value = literal_value(value);
                rules.push(Rule::accepts(value.to_string(), value));
            } else {
                rules.extend(self.member(id, member));
            }
        }
        rules.extend(self.unmatched_values(id));
        rules
    }

    /// Returns the rules of one member of a union: its valid value is accepted, and values that break its
    /// rules are refused.
    fn member(&mut self, union: TypeId, member: &Member) -> Vec<Rule> {
        let name = describe(self.program, member.r#type);
        let Some(sample) = self
            .samples()
            .sample(member.r#type, &SampleOptions::named("value"))
        else {
            return Vec::new();
        };
        let mut rules = vec![Rule::accepts(name.clone(), sample.clone())];
        // Rules on depth are removed, because here each rule replaces the value of the union as a whole.
        let count = self.depth_limit_count();
        let inner = self.rules_of(member.r#type, Some(&sample));
        self.truncate_depth_limits(count);
        for rule in inner {
            let Some(value) = replaced(&sample, &rule.path, &rule.given) else {
                continue;
            };
            let fits = self.fit(union, &value);
            let description = if rule.path.is_empty() {
                rule.description.clone()
            } else {
                format!(
                    "{name} with {} as {}",
                    rule.description,
                    super::rule::path(&rule.path)
                )
            };
            match rule.outcome {
                Outcome::Accepted { .. } if fits != Fit::No => rules.push(Rule::accepts(description, value)),
                Outcome::Refused { .. } if fits == Fit::No || (fits == Fit::Unsure && rule.runtime_only) => {
                    rules.push(Rule {
                        outcome: Outcome::Refused { may_be_below: true },
                        ..Rule::refuses(description, value)
                    });
                }
                _ => {}
            }
        }
        rules
    }

    /// Returns rules that refuse values such as a string or a number if they match no member of the union.
    fn unmatched_values(&self, id: TypeId) -> Vec<Rule> {
        let none = |value: &&Value| self.fit(id, value) == Fit::No;
        let text = Value::from("none of them");
        if self.source.is_text() {
            let mut found: Vec<Rule> = Vec::new();
            if none(&&text) {
                found.push(Rule::refuses("no member of the union", text));
            }
            let repeated = Value::from(vec!["one", "two"]);
            if self.can_be_repeated() && none(&&repeated) {
                found.push(Rule::refuses("repeated", repeated));
            }
            return found;
        }
        let plain = [
            text,
            Value::from(-12345.5),
            Value::from(false),
            Value::Object(Map::new()),
            Value::Array(Vec::new()),
        ];
        let mut found: Vec<Rule> = Vec::new();
        if none(&&Value::Null) {
            found.push(Rule::refuses("null", Value::Null));
        }
        let refusals = plain
            .iter()
            .filter(none)
            .take(2)
            .map(|value| Rule::refuses(format!("no member of the union: {value}"), value.clone()));
        // An empty object lacks a required property of a member, so the failure may be below the path.
        found.extend(refusals.map(|rule| Rule {
            outcome: Outcome::Refused { may_be_below: true },
            ..rule
        }));
        found
    }
}
