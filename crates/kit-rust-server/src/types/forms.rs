//! The two forms that a type can have: what a request holds may lack what the system makes, and everything else has it.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{DeclarationId, Program, Property, Slot, TypeId, TypeKind};

use crate::names;

/// Where values of a type come from or go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Form {
    /// Answers, rows, and everything that handlers make: all that the type says is there.
    Whole,
    /// A request, which may leave out what the system makes (`@generated`).
    Request,
}

/// Which forms types have.
#[derive(Default)]
pub(super) struct Forms {
    /// Names of the requests' forms of types that have both.
    requests: BTreeMap<DeclarationId, String>,
    /// Types that only requests hold, and that need the requests' form.
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
        let slots = |of: &'static [Slot]| {
            let routes = program.routes.iter();
            routes.flat_map(move |route| of.iter().filter_map(|slot| route.slots.get(*slot)))
        };
        let requested = within(&mut slots(&[Slot::Params, Slot::Query, Slot::Body]));
        let entities = program.entities.iter().map(|entity| entity.declaration);
        let answered = within(&mut slots(&[Slot::Response]).chain(entities));
        let makes: BTreeSet<DeclarationId> = program
            .declarations
            .iter_ids()
            .filter(|(_, declaration)| self::makes(program, declaration.r#type))
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

    /// The name of the requests' form of a type that has both.
    pub(super) fn request(&self, id: DeclarationId) -> Option<&str> {
        self.requests.get(&id).map(String::as_str)
    }

    pub(super) fn of(&self, id: DeclarationId) -> &'static [Form] {
        if self.only_requests.contains(&id) {
            &[Form::Request]
        } else if self.requests.contains_key(&id) {
            &[Form::Whole, Form::Request]
        } else {
            &[Form::Whole]
        }
    }
}

/// Whether the system makes a property of a type, which is then there everywhere but in a request.
pub(super) fn makes(program: &Program, id: TypeId) -> bool {
    properties(program, id)
        .iter()
        .any(|property| property.tags.generated.is_some() && !property.optional)
}

/// The properties of all objects that a type holds without a reference.
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
