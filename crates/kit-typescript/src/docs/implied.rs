//! Rules that no constraint tag says: those of `@generated uuid`, and of the key that `@references` names.

use kit_ir::{Constraints, Format};

use super::conflicts::{Merged, merge};
use super::constraints::Domain;
use super::rules::rule;
use super::{Doc, Tag, TagName};
use crate::modules::Graph;

/// Rules that follow from a tag.
pub(crate) struct Implied {
    pub(crate) tag: Tag,
    pub(crate) rules: Constraints,
}

impl Implied {
    /// The rules that `@references` takes over from the key that it names; nothing where that has none.
    pub(crate) fn by_reference(tag: &Tag, key: Constraints) -> Option<Self> {
        (!key.is_empty()).then(|| Self {
            tag: tag.clone(),
            rules: key,
        })
    }

    /// The same in words, for a note.
    pub(super) fn explanation(&self) -> String {
        let rules = crate::print::rules(&self.rules);
        let rules: Vec<_> = rules.iter().map(|rule| format!("`{rule}`")).collect();
        let name = self.tag.name.name();
        // Of `@references User.id cascade`, the first word says whose rules these are.
        let argument = self.tag.argument.split_whitespace().next();
        let argument = argument.map(|word| format!(" {word}")).unwrap_or_default();
        format!("`@{name}{argument}` implies {}", rules.join(", "))
    }

    /// The rules, taken apart by the kind of values that each is about.
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

/// The rule of a property whose values are UUIDs that the system makes: `@generated uuid`, and `@id @generated` on a string.
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

/// All that the tags of a comment say about values, but for what `@references` implies. Mistakes are reported where the comment is applied.
pub(crate) fn rules_of(graph: &Graph<'_>, doc: &Doc) -> Constraints {
    let said = doc.tags.iter().filter(|tag| tag.name.is_constraint());
    let said = said.filter_map(|tag| rule(graph, tag, &mut Vec::new()));
    let implied = generated(doc).map(|implied| implied.rules);
    said.chain(implied)
        .fold(Constraints::default(), |all, rule| both(all, &rule))
}

/// Both rules; the first ones alone where one rule cannot say both.
pub(crate) fn both(first: Constraints, second: &Constraints) -> Constraints {
    match merge(&first, second) {
        Merged::Both(rules) => rules,
        Merged::Conflict(_) => first,
    }
}
