//! Rules that follow from other tags than constraint tags: from `@generated uuid`, and from the key that `@references`
//! names.

use kit_ir::{Constraints, Format};

use super::conflicts::{Merged, merge};
use super::constraints::Domain;
use super::rules::rule;
use super::{Doc, Tag, TagName};
use crate::modules::Graph;

/// Rules that a tag implies.
pub(crate) struct Implied {
    pub(crate) tag: Tag,
    pub(crate) rules: Constraints,
}

impl Implied {
    /// Creates the rules that `@references` inherits from the key that it names; `None` if the key has no rules.
    pub(crate) fn by_reference(tag: &Tag, key: Constraints) -> Option<Self> {
        (!key.is_empty()).then(|| Self {
            tag: tag.clone(),
            rules: key,
        })
    }

    /// Describes the rules in words, for a note.
    pub(super) fn explanation(&self) -> String {
        let rules = crate::print::rules(&self.rules);
        let rules: Vec<_> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let name = self.tag.name.name();
        // The first word of `@references User.id cascade` names the key that has the rules.
        let argument = self.tag.argument.split_whitespace().next();
        let argument = argument.map(|word| format!(" {word}")).unwrap_or_default();
        format!("`@{name}{argument}` implies {}", rules.join(", "))
    }

    /// Splits the rules by the kind of values that they apply to.
    pub(super) fn parts(&self) -> impl Iterator<Item = (Domain, Constraints)> {
        let all = self.rules.clone();
        let texts = Constraints {
            min_length: all.min_length,
            max_length: all.max_length,
            format: all.format,
            pattern: all.pattern.clone(),
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

/// Returns the rule of a property whose values are UUIDs that the system generates: `@generated uuid`, or `@id @generated`
/// on a string.
pub(crate) fn generated(doc: &Doc) -> Option<Implied> {
    let tag = doc.all(TagName::Generated).next()?;
    let makes_uuids = match tag.argument.as_str() {
        "uuid" => true,
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

/// Returns all rules that the tags of a comment define or imply, except for the rules that `@references` implies. Mistakes
/// are reported where the comment is applied.
pub(crate) fn rules_of(graph: &Graph<'_>, doc: &Doc) -> Constraints {
    let said = doc.tags.iter().filter(|tag| tag.name.is_constraint());
    let said = said.filter_map(|tag| rule(graph, tag, &mut Vec::new()));
    let implied = generated(doc).map(|implied| implied.rules);
    said.chain(implied)
        .fold(Constraints::default(), |all, rule| both(all, &rule))
}

/// Combines two sets of rules; returns only the first set if they cannot be combined.
pub(crate) fn both(first: Constraints, second: &Constraints) -> Constraints {
    match merge(&first, second) {
        Merged::Both(rules) => rules,
        Merged::Conflict(_) => first,
    }
}
