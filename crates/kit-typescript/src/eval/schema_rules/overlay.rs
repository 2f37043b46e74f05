//! Application of the rules of a schema to the type that TypeScript inferred.

use std::rc::Rc;

use kit_diagnostics::{Diagnostics, Label, Severity, codes};
use kit_ir::Constraints;

use super::rules::{Rule, SchemaRules};
use super::{OF_TAGS, SCHEMA_HELP};
use crate::docs::{Doc, Tag, TagName, check_pattern};
use crate::eval::types::{Element, Object};
use crate::eval::{DocId, Evaluator, RuleSource, Ty, TyId};
use crate::modules::Location;

impl Evaluator<'_> {
    /// Returns true if a schema or a part of it states a rule, a description or a comment.
    fn has_content(&mut self, rules: &SchemaRules) -> bool {
        !rules.rules.is_empty()
            || rules.description.is_some()
            || rules
                .properties
                .iter()
                .any(|(_, location, part)| self.doc_before(*location).is_some() || self.has_content(part))
            || rules.unnamed_parts().any(|part| self.has_content(part))
    }

    /// Returns a type with the rules of a schema. `is_property` is true for the type of a property, which may have rules that
    /// only properties can have.
    pub(super) fn overlay(&mut self, ty: TyId, rules: &SchemaRules, is_property: bool) -> TyId {
        let of_properties = SchemaRules {
            properties: rules.properties.clone(),
            ..SchemaRules::default()
        };
        let mut ty = ty;
        if self.has_content(&of_properties) {
            ty = self.overlay_properties(ty, &of_properties);
        }
        if let Some(element) = &rules.element
            && self.has_content(element)
        {
            ty = self.overlay_elements(ty, element);
        }
        if rules.elements.iter().any(|element| self.has_content(element)) {
            ty = self.overlay_tuple(ty, rules);
        }
        if let Some(keys) = &rules.keys
            && !keys.rules.is_empty()
        {
            ty = self.overlay_keys(ty, keys);
        }
        if let Some(values) = &rules.values
            && self.has_content(values)
        {
            ty = self.overlay_values(ty, values);
        }
        if rules.members.iter().any(|member| self.has_content(member)) {
            ty = self.overlay_members(ty, rules);
        }
        if is_property {
            return ty;
        }
        let doc = self.doc_of_rules(rules, Doc::default());
        match self.shape_of(ty) {
            // A property `name?: Name` removes `undefined` from the union, and must keep the rules.
            Ty::Union(members) if doc.is_some() && self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.constrained(member, doc))
            }
            _ => self.constrained(ty, doc),
        }
    }

    /// Changes the members of a union that are neither `null` nor `undefined`.
    fn in_only_member(&mut self, members: &[TyId], change: impl Fn(&mut Self, TyId) -> TyId) -> TyId {
        let members = members
            .iter()
            .map(|member| match self.shape_of(*member) {
                Ty::Null | Ty::Undefined => *member,
                _ => change(self, *member),
            })
            .collect();
        self.union(members)
    }

    /// Returns true if at most one member of a union is neither `null` nor `undefined`. The rules of a schema do not say to
    /// which of several members they belong.
    fn has_single_member(&mut self, members: &[TyId]) -> bool {
        let mut others = 0;
        for member in members {
            if !matches!(self.shape_of(*member), Ty::Null | Ty::Undefined) {
                others += 1;
            }
        }
        others <= 1
    }

    fn overlay_properties(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Object(id) => {
                let mut object: Object = (*self.store.object_at(id)).clone();
                for (name, location, part) in &rules.properties {
                    let Some(index) = object.properties.iter().position(|known| *known.name == **name) else {
                        continue;
                    };
                    let known = object.properties[index].clone();
                    let written = self.doc_before(*location).unwrap_or_default();
                    let doc = self.doc_of_rules(part, written);
                    let inner = self.overlay(known.ty, part, true);
                    let property = &mut object.properties[index];
                    property.ty = self.constrained(inner, doc);
                    if doc.is_some() {
                        property.doc = doc;
                        property.text_only_doc = false;
                    }
                }
                self.store.object(object)
            }
            Ty::Union(members) if self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.overlay_properties(member, rules))
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
        }
    }

    fn overlay_elements(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Array { element, readonly } => {
                let element = self.overlay(element, rules, false);
                self.store.add(Ty::Array { element, readonly })
            }
            // `.nonempty()` of zod 3 gives a tuple with a rest.
            Ty::Tuple { elements, readonly } => {
                let elements: Vec<Element> = elements
                    .iter()
                    .map(|element| Element {
                        ty: self.overlay(element.ty, rules, false),
                        ..element.clone()
                    })
                    .collect();
                self.store.add(Ty::Tuple {
                    elements: elements.into(),
                    readonly,
                })
            }
            Ty::Union(members) if self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.overlay_elements(member, rules))
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
        }
    }

    fn overlay_tuple(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Tuple { elements, readonly } if elements.len() >= rules.elements.len() => {
                let mut elements: Vec<Element> = elements.to_vec();
                for (element, part) in elements.iter_mut().zip(&rules.elements) {
                    element.ty = self.overlay(element.ty, part, false);
                }
                self.store.add(Ty::Tuple {
                    elements: elements.into(),
                    readonly,
                })
            }
            Ty::Union(members) if self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.overlay_tuple(member, rules))
            }
            _ => {
                for part in &rules.elements {
                    self.warn_rules(part);
                }
                ty
            }
        }
    }

    /// Adds rules to the keys of a record that are texts. If the keys are literals, the rules are warnings.
    fn overlay_keys(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Object(id) if !self.store.object_at(id).index.is_empty() => {
                let mut object: Object = (*self.store.object_at(id)).clone();
                let doc = self.doc_of_rules(rules, Doc::default());
                for index in &mut object.index {
                    if let Some(doc) = doc
                        && matches!(self.store.get(index.key), Ty::String | Ty::Template(_))
                    {
                        let doc = self.store.doc_of_keys(doc);
                        index.ruled = Some(self.ruled(index.key, &[RuleSource::Doc(doc)]));
                    }
                }
                self.store.object(object)
            }
            Ty::Union(members) if self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.overlay_keys(member, rules))
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
        }
    }

    /// Adds rules to the values of a record: those of its index signatures, or of its properties if the keys are literals.
    fn overlay_values(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Object(id) => {
                let mut object: Object = (*self.store.object_at(id)).clone();
                for property in &mut object.properties {
                    property.ty = self.overlay(property.ty, rules, false);
                }
                for index in &mut object.index {
                    index.value = self.overlay(index.value, rules, false);
                }
                self.store.object(object)
            }
            Ty::Union(members) if self.has_single_member(&members) => {
                self.in_only_member(&members, |this, member| this.overlay_values(member, rules))
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
        }
    }

    /// Returns the doc comment before a property of a schema; `None` if there is none.
    pub(super) fn doc_before(&mut self, location: Location) -> Option<Doc> {
        let module = self.graph.module(location.module);
        let span = module.doc(location.span.start)?;
        let id = self.store.doc_at(location.module, module.text, span);
        Some((*self.store.doc(id)).clone())
    }

    /// Returns a doc comment with the rules of a schema; `None` if there is nothing to write. `doc` has what the source says
    /// in a comment.
    fn doc_of_rules(&mut self, rules: &SchemaRules, mut doc: Doc) -> Option<DocId> {
        for rule in &rules.rules {
            if let Some(reason) = self.unusable(rule, rules) {
                let text = self.graph.module(rule.location.module).slice(rule.location.span);
                self.warn_unread(vec![(rule.location, format!("`{text}`{reason}"))]);
                continue;
            }
            // A doc comment in the source has precedence.
            if !doc.has(rule.name) {
                self.schema_rules.insert(rule.location);
                doc.tags.push(Tag {
                    name: rule.name,
                    argument: rule.argument.clone(),
                    location: rule.location,
                    in_template: false,
                });
            }
        }
        if doc.text.is_none() {
            doc.text.clone_from(&rules.description);
        }
        (doc != Doc::default()).then(|| self.store.add_doc(Rc::new(doc)))
    }

    /// Returns the reason why a pattern cannot be a doc tag; `None` for a pattern that can, and for any other rule.
    fn unusable(&self, rule: &Rule, rules: &SchemaRules) -> Option<&'static str> {
        if rule.name != TagName::Pattern {
            return None;
        }
        if rule.argument.is_empty() || check_pattern(&rule.argument).is_err() {
            return Some(", which is not valid with the flag `u`");
        }
        let longest = rules.rules.iter().find(|rule| rule.name == TagName::MaxLength);
        let limits = Constraints {
            max_length: longest.and_then(|rule| rule.argument.parse().ok()),
            ..Constraints::default()
        };
        let verdict = self.graph.verdicts().of(&rule.argument);
        (!verdict.is_harmless(limits.effective_max_length()))
            .then_some(", which takes too long for some texts")
    }

    /// Turns errors about rules of schemas into warnings: the schema is valid for its library, and cannot be written as doc
    /// tags.
    pub(crate) fn soften_schema_rules(&self, diagnostics: &mut Diagnostics) {
        let labels: Vec<Label> = self.schema_rules.iter().map(|at| self.graph.label(*at)).collect();
        for diagnostic in diagnostics {
            let of_rule = OF_TAGS.contains(&diagnostic.code)
                && diagnostic.primary().is_some_and(|label| {
                    labels
                        .iter()
                        .any(|known| known.path == label.path && known.range == label.range)
                });
            if of_rule {
                let reason = std::mem::replace(
                    &mut diagnostic.message,
                    "kit does not check this part of the schema".to_owned(),
                );
                diagnostic.code = codes::SCHEMA_RULE;
                diagnostic.severity = Severity::Warning;
                diagnostic.help = Some(SCHEMA_HELP.to_owned());
                diagnostic.notes.insert(0, format!("as a doc tag: {reason}"));
            }
        }
    }
}
