//! Index signatures such as `[key: string]: V`: the keys that they accept, and the rules for these keys.

use kit_diagnostics::codes;
use rustc_hash::{FxHashMap, FxHashSet};

use super::types::{Index, RuleSource};
use super::{Evaluator, Object, Ty, TyId};
use crate::modules::Location;

/// A member of the key type of an index signature: `string` in `[key: string | number]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KeyMember {
    /// Type of the keys without rules.
    pub(super) shape: TyId,
    /// Type of the keys with the rules from doc tags; `None` if they have no rules.
    pub(super) ruled: Option<TyId>,
}

impl Evaluator<'_> {
    /// Returns the members of a key type without duplicates: `string` and `number` for `string | number`.
    pub(super) fn key_members(&mut self, keys: TyId) -> Vec<KeyMember> {
        let mut found = Vec::new();
        self.collect_keys(keys, Vec::new(), &mut found);
        let mut seen = FxHashSet::default();
        found.retain(|member| seen.insert(*member));
        found
    }

    /// Adds the members of a key type to `found`. `rules` are the rules that apply to all keys of the type,
    /// the outermost first.
    fn collect_keys(&mut self, keys: TyId, mut rules: Vec<RuleSource>, found: &mut Vec<KeyMember>) {
        let shape = self.shape(keys);
        match self.store.get(shape) {
            Ty::Invalid(_) => {
                found.push(KeyMember { shape, ruled: None });
                return;
            }
            // `K & string` is `never` if `K` is a symbol.
            Ty::Never => return,
            _ => {}
        }
        let mut at = self.without_laziness(keys);
        loop {
            at = match self.store.get(at).clone() {
                Ty::Named(instance) => self.body(instance),
                Ty::Constrained(inner, source) => {
                    rules.extend(self.rule_of_keys(source));
                    inner
                }
                Ty::Union(members) => {
                    for member in members.iter() {
                        self.collect_keys(*member, rules.clone(), found);
                    }
                    return;
                }
                Ty::Intersection(_) => {
                    for source in self.rules_around(at) {
                        rules.extend(self.rule_of_keys(source));
                    }
                    break;
                }
                _ => break,
            };
            at = self.without_laziness(at);
        }
        let shape = self.shape(at);
        if let Ty::Union(members) = self.store.get(shape).clone() {
            for member in members.iter() {
                self.collect_keys(*member, rules.clone(), found);
            }
            return;
        }
        // A branded string as a key type: `[key: UserId]`.
        if let Ty::Branded(base, brand) = *self.store.get(shape)
            && self.key_name(base).is_none()
        {
            if self.digits_of_brand(brand).is_some() {
                let shape = self.decimal_part("a key");
                found.push(KeyMember { shape, ruled: None });
                return;
            }
            let mut rules = rules;
            for source in self.rules_of_type_tags(brand, self.current_location()) {
                rules.extend(self.rule_of_keys(source));
            }
            return self.collect_keys(base, rules, found);
        }
        // A literal is only one key, for which a rule has no use.
        let ruled = (!rules.is_empty() && self.key_name(shape).is_none()).then(|| self.ruled(shape, &rules));
        found.push(KeyMember { shape, ruled });
    }

    /// Returns the rules of a source that apply to keys: rules in doc tags such as `@maxLength`. Rules that
    /// follow from `@references`, `@generated` or a database column do not apply to keys. Returns `None` if
    /// no rule remains.
    fn rule_of_keys(&mut self, source: RuleSource) -> Option<RuleSource> {
        match source {
            RuleSource::Doc(doc) if self.store.doc(doc).limits() => {
                Some(RuleSource::Doc(self.store.doc_of_keys(doc)))
            }
            RuleSource::Doc(_) | RuleSource::Column => None,
        }
    }

    /// Adds `[key: K]: V` to an object. If `K` is a union, adds a signature for each of its members.
    pub(super) fn index_signature(
        &mut self,
        object: &mut Object,
        keys: TyId,
        value: TyId,
        location: Location,
    ) {
        let members = self.key_members(keys);
        self.index_signatures(object, &members, value, location);
    }

    /// Adds an index signature for each member of a key type. Reports members with different rules for the
    /// same keys, because kit cannot check that a key satisfies either one rule or the other.
    pub(super) fn index_signatures(
        &mut self,
        object: &mut Object,
        members: &[KeyMember],
        value: TyId,
        location: Location,
    ) {
        let mut rules: FxHashMap<TyId, Vec<Option<TyId>>> = FxHashMap::default();
        for member in members {
            rules.entry(member.shape).or_default().push(member.ruled);
        }
        for member in members {
            // Members with the same shape become one signature, in the position of the first of them.
            let Some(of_shape) = rules.remove(&member.shape) else {
                continue;
            };
            let mut ruled = member.ruled;
            if of_shape.contains(&None) {
                ruled = None;
            } else if let Some(Some(other)) = of_shape.iter().find(|other| **other != ruled) {
                self.refuse_alternatives(object, ruled, *other, location);
                continue;
            }
            self.one_index_signature(object, KeyMember { ruled, ..*member }, value, location);
        }
    }

    /// Adds an index signature for a key type of a mapped type. The signature replaces an earlier signature
    /// with the same key type. Different rules of the two signatures are an error.
    pub(super) fn mapped_signature(
        &mut self,
        object: &mut Object,
        member: KeyMember,
        value: TyId,
        location: Location,
    ) {
        let known = object.index.iter().find(|index| index.key == member.shape);
        let ruled = match known.map(|index| index.ruled) {
            Some(known) if known != member.ruled => match (known, member.ruled) {
                (Some(a), Some(b)) => return self.refuse_alternatives(object, Some(a), b, location),
                _ => None,
            },
            _ => member.ruled,
        };
        self.one_index_signature(object, KeyMember { ruled, ..member }, value, location);
    }

    fn one_index_signature(
        &mut self,
        object: &mut Object,
        member: KeyMember,
        value: TyId,
        location: Location,
    ) {
        let KeyMember { shape, ruled } = member;
        match self.store.get(shape).clone() {
            Ty::Number if ruled.is_some() => self.refuse_number_rules(object, ruled, location),
            // In the pattern `Record<infer K, V>`, the key type is not inferred yet.
            Ty::String | Ty::Number | Ty::Symbol | Ty::Template(_) | Ty::Cased(..) | Ty::Infer(_) => {
                let key = shape;
                set_index(object, Index { key, ruled, value });
            }
            Ty::Invalid(id) => object.issues.push(self.store.invalid[id.index()].clone()),
            _ => {
                let message = format!("`{}` cannot be the key of an index signature", self.text(shape));
                let issue = self
                    .diagnostic(codes::UNSUPPORTED_TYPE, location, message)
                    .help("write `[key: string]: …`, or name the keys: `{ [K in \"a\" | \"b\"]: … }`");
                object.issues.push(issue);
            }
        }
    }

    fn refuse_number_rules(&mut self, object: &mut Object, ruled: Option<TyId>, location: Location) {
        let Some(label) = ruled.and_then(|ruled| self.rule_label(ruled)) else {
            return;
        };
        let message = "kit does not check rules on keys that are numbers";
        let issue = self
            .diagnostic(codes::TAG_DOES_NOT_FIT, location, message)
            .label(label)
            .help("write the keys as strings with `@pattern`, or remove the doc tag with the rule from the type of the keys");
        object.issues.push(issue);
    }

    fn refuse_alternatives(&mut self, object: &mut Object, a: Option<TyId>, b: TyId, location: Location) {
        let message = "the members of this key type have different rules, and kit cannot check a key against alternative rules";
        let mut issue = self.diagnostic(codes::TAG_DOES_NOT_FIT, location, message);
        for ruled in a.into_iter().chain([b]) {
            if let Some(label) = self.rule_label(ruled) {
                issue = issue.label(label);
            }
        }
        object.issues.push(issue.help(
            "write one key type with one set of rules: a single `@pattern` can combine two patterns with `|`",
        ));
    }

    /// Returns a label at the first doc tag that defines a rule of a key type.
    fn rule_label(&mut self, ruled: TyId) -> Option<kit_diagnostics::Label> {
        let rules = self.rules_around(ruled);
        let tag = rules.into_iter().find_map(|source| {
            let RuleSource::Doc(doc) = source else { return None };
            let doc = self.store.doc(doc);
            doc.tags
                .iter()
                .find(|tag| tag.name.is_constraint())
                .map(|tag| tag.location)
        })?;
        let mut label = self.graph.label(tag).message("the rule");
        label.primary = false;
        Some(label)
    }
}

/// Adds an index signature to an object. Replaces a signature with the same key type.
pub(super) fn set_index(object: &mut Object, index: Index) {
    match object.index.iter_mut().find(|known| known.key == index.key) {
        Some(known) => *known = index,
        None => object.index.push(index),
    }
}
