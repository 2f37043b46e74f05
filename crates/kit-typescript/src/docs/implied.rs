//! Rules that follow from tags of another kind: from `@generated uuid`, and from the property that
//! `@references` names.

use kit_ir::{Constraints, Decimal, Format, StoredAs};

use super::conflicts::{Merged, merge};
use super::property::reference_target;
use super::rules::{Domain, rule};
use super::{Doc, Tag, TagName};
use crate::modules::Graph;

/// Rules that follow from a tag.
pub(crate) struct Implied {
    pub(crate) tag: Tag,
    pub(crate) rules: Constraints,
}

impl Implied {
    /// Returns the rules that follow from `@references`: the rules of the property that the tag names.
    /// Returns `None` if this property has no rules.
    pub(crate) fn by_reference(tag: &Tag, key: Constraints) -> Option<Self> {
        (!key.is_empty()).then(|| Self {
            tag: tag.clone(),
            rules: key,
        })
    }

    /// Returns the rules in words, for the note of an error.
    pub(super) fn explanation(&self) -> String {
        let rules = crate::print::rules(&self.rules);
        let rules: Vec<_> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let name = self.tag.name.name();
        // The first word of `@references User.id cascade` names the property that has the rules.
        let argument = self.tag.argument.split_whitespace().next();
        let argument = argument.map(|word| format!(" {word}")).unwrap_or_default();
        format!("`@{name}{argument}` implies {}", rules.join(", "))
    }

    /// Returns the rules, grouped by the kind of values to which they apply: strings, numbers, arrays.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Domain, Constraints)> {
        let all = self.rules.clone();
        let texts = Constraints {
            min_length: all.min_length,
            max_length: all.max_length,
            format: all.format,
            pattern: all.pattern.clone(),
            digits: all.digits,
            decimal_range: all.decimal_range.clone().filter(|_| all.digits.is_some()),
            ..Constraints::default()
        };
        let bounds = Constraints {
            minimum: all.minimum,
            maximum: all.maximum,
            exclusive_minimum: all.exclusive_minimum,
            exclusive_maximum: all.exclusive_maximum,
            multiple_of: all.multiple_of,
            ..Constraints::default()
        };
        let numbers = Constraints {
            integer: all.integer,
            ..bounds.clone()
        };
        [
            (Domain::Strings, texts),
            (Domain::Numbers, numbers),
            (Domain::BigInts, bounds),
        ]
        .into_iter()
        .filter(|(_, rules)| !rules.is_empty())
    }
}

impl Doc {
    /// Returns true if the comment has a tag that defines a rule, or a tag from which a rule follows, such as
    /// `@generated uuid`.
    pub(crate) fn has_rules(&self) -> bool {
        let names_key = self
            .all(TagName::References)
            .any(|tag| reference_target(tag).is_some());
        names_key || generated(self).is_some() || stored(self).is_some() || self.limits()
    }
}

/// Returns the rule for a property whose values are generated UUIDs. Such a property has `@generated uuid`,
/// or has `@id @generated` and the type `string`.
pub(crate) fn generated(doc: &Doc) -> Option<Implied> {
    let tag = doc.all(TagName::Generated).next()?;
    let makes_uuids = match tag.argument.as_str() {
        "uuid" | "uuidv7" => true,
        "" => doc.has(TagName::Id),
        _ => false,
    };
    makes_uuids.then(|| Implied {
        tag: tag.clone(),
        rules: Constraints {
            format: Some(Format::Uuid),
            ..Constraints::default()
        },
    })
}

/// Returns the rules of values that the column type of `@storedAs` can store.
pub(crate) fn stored(doc: &Doc) -> Option<Implied> {
    let tag = doc.all(TagName::StoredAs).next()?;
    let rules = match StoredAs::from_name(&tag.argument)? {
        StoredAs::SmallInt => whole(i16::MIN.into(), i16::MAX.into()),
        StoredAs::Integer => whole(i32::MIN, i32::MAX),
        StoredAs::Date => Constraints {
            format: Some(Format::Date),
            // RFC 3339 has a year 0, PostgreSQL does not.
            pattern: Some("^(?:[1-9]|0[1-9]|00[1-9]|000[1-9])".to_owned()),
            ..Constraints::default()
        },
        // These types store every value of the property.
        StoredAs::Array | StoredAs::Citext | StoredAs::Enum => return None,
    };
    Some(Implied {
        tag: tag.clone(),
        rules,
    })
}

/// Returns the rules of whole numbers in a range.
fn whole(minimum: i32, maximum: i32) -> Constraints {
    Constraints {
        integer: true,
        minimum: Decimal::new(f64::from(minimum)),
        maximum: Decimal::new(f64::from(maximum)),
        ..Constraints::default()
    }
}

/// Returns all rules that follow from the tags of a comment, except from `@references`. Mistakes in the tags
/// are not reported here.
pub(crate) fn rules_of(graph: &Graph<'_>, doc: &Doc) -> Constraints {
    let said = doc.tags.iter().filter(|tag| tag.name.is_constraint());
    let said = said.filter_map(|tag| rule(graph, tag, &mut Vec::new()));
    let implied = generated(doc).into_iter().chain(stored(doc));
    said.chain(implied.map(|implied| implied.rules))
        .fold(Constraints::default(), |all, rule| combined_rules(all, &rule))
}

/// Combines two sets of rules. If they contradict each other, returns the first set.
pub(crate) fn combined_rules(first: Constraints, second: &Constraints) -> Constraints {
    match merge(&first, second) {
        Merged::Both(rules) => rules,
        Merged::Conflict(_) => first,
    }
}
