//! Decides which types need two Rust types. A property with `@generated` may be absent in a request, and is present
//! everywhere else.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{DeclarationId, Program, Property, Route, Slot, TypeId, TypeKind};

use crate::names;

/// Form of a type. A property with `@generated` may be absent in requests, but not in responses and rows, so
/// that a type may need two Rust types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Form for responses, for rows of tables, and for values that handlers create: every property with
    /// `@generated` is present.
    Complete,
    /// Form for requests: a property with `@generated` may be absent.
    Request,
}

/// Forms that each type of an application needs.
#[derive(Default)]
pub(super) struct Forms {
    /// Names of the Rust types for requests, for declared types that need two Rust types.
    requests: BTreeMap<DeclarationId, String>,
    /// Declared types that only requests use.
    only_requests: BTreeSet<DeclarationId>,
}

impl Forms {
    pub(super) fn new(
        program: &Program,
        reached: &[BTreeSet<DeclarationId>],
        rust_names: &[String],
        taken: &mut BTreeSet<String>,
    ) -> Self {
        let within = |roots: &mut dyn Iterator<Item = DeclarationId>| {
            let mut found = BTreeSet::new();
            for root in roots {
                found.insert(root);
                found.extend(&reached[usize::from(root)]);
            }
            found
        };
        let routes = program.routes.iter();
        let mut inputs = routes.clone().flat_map(read).chain(super::environment(program));
        let requested = within(&mut inputs);
        let entities = program.entities.iter().map(|entity| entity.declaration);
        let errors = program
            .application
            .declared_format()
            .map(|declared| declared.body);
        let answered = within(&mut routes.flat_map(super::answered).chain(entities).chain(errors));
        let makes: BTreeSet<DeclarationId> = program
            .declarations
            .iter_ids()
            .filter(|(_, declaration)| has_generated(program, declaration.r#type))
            .map(|(id, _)| id)
            .collect();
        let mut forms = Self::default();
        for id in requested {
            let differs = makes.contains(&id) || !reached[usize::from(id)].is_disjoint(&makes);
            if !differs {
                continue;
            }
            if answered.contains(&id) {
                let wanted = format!("{}Input", rust_names[usize::from(id)]);
                let name = names::unique(wanted, |name| taken.contains(name));
                taken.insert(name.clone());
                forms.requests.insert(id, name);
            } else {
                forms.only_requests.insert(id);
            }
        }
        forms
    }

    /// Returns the name of the Rust type for requests, such as `NoteInput`. Returns `None` if the declared
    /// type does not need two Rust types.
    pub(super) fn request(&self, id: DeclarationId) -> Option<&str> {
        self.requests.get(&id).map(String::as_str)
    }

    pub(super) fn of(&self, id: DeclarationId) -> &'static [Form] {
        if self.only_requests.contains(&id) {
            &[Form::Request]
        } else if self.requests.contains_key(&id) {
            &[Form::Complete, Form::Request]
        } else {
            &[Form::Complete]
        }
    }
}

/// Returns the types that a route reads from requests, without the parameters of the path. A path always has its parameters, also
/// those with `@generated`.
fn read(route: &Route) -> impl Iterator<Item = DeclarationId> {
    let slots = Slot::INPUTS.into_iter().filter(|slot| *slot != Slot::Params);
    let of_slots = slots.filter_map(|slot| route.slots.get(slot));
    of_slots.chain(route.body_format.inner_types())
}

/// Returns true if a type has a required property with `@generated`.
pub(super) fn has_generated(program: &Program, id: TypeId) -> bool {
    properties(program, id)
        .iter()
        .any(|property| property.tags.generated.is_some() && !property.optional)
}

/// Returns the properties of all objects inside of a type. Does not follow references to other types.
fn properties(program: &Program, id: TypeId) -> Vec<&Property> {
    let kind = &program.types[id].kind;
    let mut found: Vec<&Property> = Vec::new();
    if let TypeKind::Object(object) = kind {
        found.extend(&object.properties);
    }
    for child in kit_analysis::children(kind) {
        found.extend(properties(program, child));
    }
    found
}
