//! Facts about a program that several emitters need, such as which types are recursive and which routes use a type.

mod common_properties;
mod document_facts;
mod facts;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use kit_analysis::{UnionPlan, each_child, has_obvious_members};
use kit_ir::{
    DeclarationId, DeclarationOrigin, EntityId, ObjectType, Program, RouteId, Slot, SourceId, TypeId,
    TypeKind,
};
use rustc_hash::FxHashSet;

pub(crate) use self::document_facts::DocumentFacts;
pub(crate) use self::facts::Facts;
use crate::component_names::ComponentNames;
use crate::declared_names::DeclaredNames;
use crate::fingerprint::Fingerprint;
use crate::groups::Groups;
use crate::references::References;

/// Maximum number of types of a program that is not large. A large program gets fewer and smaller files.
const LARGE: usize = 500;

/// Returns true if a program has so many types that the number and the size of the generated files matter.
pub fn is_large(program: &Program) -> bool {
    program.declarations.len() > LARGE
}

/// Facts about a program that several emitters need. They are computed once.
pub(crate) struct Analysis<'a> {
    facts: Arc<Facts>,
    plans: Plans<'a>,
}

/// Plans of unions: the order of checks by which generated code finds the member to which a value belongs. After an edit, most
/// generated code is reused, so a plan is made when it is needed.
struct Plans<'a> {
    program: &'a Program,
    /// Plans by the ids of types.
    of: Vec<OnceLock<Box<UnionPlan>>>,
}

impl<'a> Plans<'a> {
    fn new(program: &'a Program) -> Self {
        let mut of = Vec::new();
        of.resize_with(program.types.len(), OnceLock::new);
        Self { program, of }
    }

    fn get(&self, union: TypeId) -> Option<&UnionPlan> {
        let TypeKind::Union { members } = &self.program.types[union].kind else {
            return None;
        };
        let make = || Box::new(UnionPlan::new(self.program, members));
        Some(self.of[usize::from(union)].get_or_init(make))
    }

    /// Returns the plan of a type that is a union, unless its members are obvious.
    fn get_unless_obvious(&self, id: TypeId) -> Option<&UnionPlan> {
        let TypeKind::Union { members } = &self.program.types[id].kind else {
            return None;
        };
        if has_obvious_members(self.program, members) {
            None
        } else {
            self.get(id)
        }
    }
}

impl<'a> Analysis<'a> {
    /// Returns the analysis of a program with known facts.
    pub(crate) fn new(program: &'a Program, facts: Arc<Facts>) -> Self {
        Self {
            facts,
            plans: Plans::new(program),
        }
    }

    /// Returns true if values of the type can contain values of the same type, so that values can be nested to any depth.
    pub(crate) fn is_recursive(&self, declaration: DeclarationId) -> bool {
        self.facts.groups.members(declaration).len() > 1
            || self.facts.references.of(declaration).contains(&declaration)
    }

    /// Returns true if values of the type can contain objects with `toJSON`.
    pub(crate) fn has_to_json(&self, declaration: DeclarationId) -> bool {
        self.facts.with_to_json.contains(&declaration)
    }

    /// Returns the groups of declarations that refer to each other in cycles.
    pub(crate) fn groups(&self) -> &Groups {
        &self.facts.groups
    }

    /// Returns the plan of a union: the order of checks by which generated code finds the member to which a
    /// value belongs.
    ///
    /// # Panics
    /// Panics if the type is no union.
    pub(crate) fn plan(&self, union: TypeId) -> &UnionPlan {
        self.plans.get(union).expect("only unions have plans")
    }

    /// Returns the name of the constant for a union whose members generated code must try one after the
    /// other. Returns `None` if a property distinguishes the members.
    pub(crate) fn trial_union(&self, home: DeclarationId, union: TypeId) -> Option<&str> {
        self.facts
            .trial_unions
            .get(&home)?
            .get(&union)
            .map(String::as_str)
    }

    /// Returns true if the generated functions of a declaration tell each other which members of unions
    /// matched, so that no value is checked twice.
    pub(crate) fn passes_selector(&self, declaration: DeclarationId) -> bool {
        self.facts.passing_selector.contains(&declaration)
    }

    /// Returns true if the code for a type must know which members of unions matched. `home` is the
    /// declaration whose module contains the code.
    pub(crate) fn needs_selector(&self, program: &Program, home: DeclarationId, id: TypeId) -> bool {
        // Members of a union are found twice, as parts of its type and of its plan, so each type is visited once.
        let mut seen = FxHashSet::default();
        let mut pending = vec![id];
        while let Some(next) = pending.pop() {
            if !seen.insert(next) {
                continue;
            }
            let kind = &program.types[next].kind;
            if let TypeKind::Reference { declaration } = kind {
                if self.passes_selector(*declaration) {
                    return true;
                }
                continue;
            }
            if self.trial_union(home, next).is_some() {
                return true;
            }
            each_child(kind, |child| pending.push(child));
            // Code for the members of named unions is also in this module.
            let plan = self.plans.get_unless_obvious(next);
            let members = plan.into_iter().flat_map(|plan| &plan.members);
            pending.extend(members.map(|member| member.r#type));
        }
        false
    }

    /// Returns the routes that use a declaration directly, each with the slot.
    pub(crate) fn uses(&self, declaration: DeclarationId) -> &[(RouteId, Slot)] {
        self.facts.uses.get(&declaration).map_or(&[], Vec::as_slice)
    }

    /// Returns the first route that uses the declaration directly in the slot.
    pub(crate) fn first_use(&self, declaration: DeclarationId, slot: Slot) -> Option<RouteId> {
        self.uses(declaration)
            .iter()
            .find(|(_, used)| *used == slot)
            .map(|(route, _)| *route)
    }

    /// Returns true if all values of the declaration are text on the wire, because routes use it only for
    /// params, query, headers, cookies, forms, or headers of replies. If so, the declaration needs no
    /// serializer.
    pub(crate) fn is_only_text(&self, program: &Program, declaration: DeclarationId) -> bool {
        program.declarations[declaration].origin == DeclarationOrigin::Slot
            && !self.facts.written.contains(&declaration)
            && self.uses(declaration).iter().all(|(route, slot)| {
                slot.is_text() || (*slot == Slot::Body && program.routes[*route].body_format.is_text())
            })
    }

    /// Returns true if requests contain values of the declaration as text, which generated code converts.
    pub(crate) fn is_text(&self, declaration: DeclarationId) -> bool {
        self.uses(declaration).iter().any(|(_, slot)| slot.is_text())
            || self.is_form(declaration)
            || self.is_multipart(declaration)
    }

    /// Returns true if the application reads environment variables of the declaration.
    pub(crate) fn is_environment(&self, declaration: DeclarationId) -> bool {
        self.facts.environment == Some(declaration)
    }

    /// Returns true if the type of the declaration contains the fields of a form.
    pub(crate) fn is_form(&self, declaration: DeclarationId) -> bool {
        self.facts.forms.contains(&declaration)
    }

    /// Returns true if the type of the declaration contains the parts of a multipart body that are not files.
    pub(crate) fn is_multipart(&self, declaration: DeclarationId) -> bool {
        self.facts.multiparts.contains(&declaration)
    }

    /// Returns true if a reply has headers of the declaration.
    pub(crate) fn is_reply_headers(&self, declaration: DeclarationId) -> bool {
        self.facts.reply_headers.contains(&declaration)
    }

    /// Returns the routes that use a declaration in declared replies, details of errors and events, each with the
    /// name of the slot that uses it.
    pub(crate) fn uses_in_answers(&self, declaration: DeclarationId) -> &[(RouteId, &'static str)] {
        self.facts.in_answers.get(&declaration).map_or(&[], Vec::as_slice)
    }

    /// Returns the names of the OpenAPI components.
    pub(crate) fn components(&self) -> &ComponentNames {
        &self.facts.components
    }

    /// Returns the references of each declaration to other declarations, without indirect references.
    pub(crate) fn references(&self) -> &References {
        &self.facts.references
    }

    /// Returns the number of the first properties of an object whose code is in functions that several types share. Returns 0 if
    /// the object is not the type of the declaration, or if the functions would need more than the value.
    pub(crate) fn common_properties(
        &self,
        program: &Program,
        home: DeclarationId,
        object: &ObjectType,
    ) -> usize {
        let common = self
            .facts
            .common
            .get(usize::from(home))
            .copied()
            .unwrap_or_default();
        let is_root = || {
            let root = common_properties::root(program, home);
            root.is_some_and(|root| std::ptr::eq(root, object))
        };
        if common > 0 && is_root() && !self.is_recursive(home) && !self.passes_selector(home) {
            common
        } else {
            0
        }
    }

    /// Returns the number of properties of a declaration that other types have too, for the keys of texts.
    pub(crate) fn common_count(&self, declaration: DeclarationId) -> Option<usize> {
        self.facts.common.get(usize::from(declaration)).copied()
    }

    /// Returns the names of properties and columns with sensitive values, sorted.
    pub(crate) fn sensitive_names(&self) -> &BTreeSet<String> {
        &self.facts.sensitive
    }

    /// Returns the fingerprint of all routes. `make` creates the fingerprint when it is needed first.
    pub(crate) fn routes_key(&self, make: impl FnOnce() -> Fingerprint) -> Fingerprint {
        *self.facts.routes_key.get_or_init(make)
    }

    /// Returns the facts for documents. `make` creates them when they are needed first.
    pub(crate) fn documents(&self, make: impl FnOnce() -> DocumentFacts) -> &DocumentFacts {
        self.facts.documents.get_or_init(make)
    }

    /// Returns the declarations of a file.
    pub(crate) fn in_file(&self, source: SourceId) -> &[DeclarationId] {
        self.facts.files.get(&source).map_or(&[], Vec::as_slice)
    }

    /// Returns the entity of a declaration, if the declaration is an entity.
    pub(crate) fn entity(&self, declaration: DeclarationId) -> Option<EntityId> {
        self.facts.entities.get(&declaration).copied()
    }

    /// Returns true if the program has a type with this name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.facts.names.0.contains(name)
    }

    /// Returns true if the program has so many types that the number and the size of the generated files matter.
    pub(crate) fn is_large(&self) -> bool {
        self.facts.large
    }

    /// Returns true if the server reads values of the declaration from requests or the environment, directly or
    /// within other values.
    pub(crate) fn is_received(&self, declaration: DeclarationId) -> bool {
        self.facts.received.contains(&declaration)
    }

    /// Returns true if the server writes values of the declaration as JSON, directly or within other values.
    pub(crate) fn is_sent(&self, declaration: DeclarationId) -> bool {
        self.facts.sent.contains(&declaration)
    }

    /// Returns true if a route names the declaration as a type that the server writes as JSON.
    pub(crate) fn is_written(&self, declaration: DeclarationId) -> bool {
        self.facts.written.contains(&declaration)
    }

    /// Returns true if no two generated modules export the same name, so that one module can contain all
    /// generated modules.
    pub(crate) fn exports_are_distinct(&self) -> bool {
        self.facts.exports_distinct
    }

    /// Returns the names of all types, for modules that must not use the names of generated exports.
    pub(crate) fn declared_names(&self) -> Arc<DeclaredNames> {
        Arc::clone(&self.facts.names)
    }
}
