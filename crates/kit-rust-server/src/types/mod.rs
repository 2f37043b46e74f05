//! Facts about the program's types: which ones are needed, their Rust names and modules, and which ones are recursive.

mod forms;
mod rust_type;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase;
use kit_analysis::collect_references;
use kit_ir::{DeclarationId, DeclarationOrigin, Entity, Program, Slot, Span, TypeId};
use proc_macro2::TokenStream;
use quote::quote;

use crate::source::ident;
use crate::{Problem, names};

pub(crate) use forms::Form;
use forms::Forms;
pub(crate) use rust_type::{RuntimeItem, RuntimeType, RustType};

/// Types of a program.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    /// Declarations that each declaration refers to, directly or indirectly.
    reached: Vec<BTreeSet<DeclarationId>>,
    /// Module of each declaration, below `models`.
    modules: Vec<String>,
    /// Declarations that routes and entities need.
    needed: BTreeSet<DeclarationId>,
    /// Rust name of each declaration.
    names: Vec<String>,
    forms: Forms,
    /// Module and name of generated anonymous types. With `Omit` and `Pick`, the same property type occurs in several
    /// declarations.
    generated: BTreeMap<(TypeId, Form), (String, String)>,
    /// Module and name of enums of strings, by the property that declares them.
    string_enums: Vec<(Span, Vec<String>, (String, String))>,
    /// Names of all Rust types.
    pub(crate) taken: BTreeSet<String>,
    /// Fields of each struct, by its name.
    pub(crate) structs: BTreeMap<String, Vec<Field>>,
    /// Definition of each type, by its name.
    pub(crate) definitions: BTreeMap<String, Definition>,
    problems: Vec<Problem>,
}

/// Definition of a Rust type, as far as an expression of a value needs it.
#[derive(Debug, Clone)]
pub(crate) enum Definition {
    /// A newtype.
    Newtype(RustType),
    /// A struct. Its fields are in [`Types::structs`].
    Struct {
        /// Names of the maps for the object's index signatures.
        maps: Vec<String>,
    },
    /// An enum of strings: each string with its variant.
    Texts(Vec<(String, String)>),
    /// An enum with one variant per member.
    Union(Vec<Variant>),
    /// A struct for a tuple.
    Tuple {
        /// Name or position of each element, and its type.
        fields: Vec<(String, RustType)>,
        /// True if the struct has named fields.
        named: bool,
    },
}

/// A variant of an enum.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    /// Type of the member.
    pub(crate) member: TypeId,
    /// Name of the variant.
    pub(crate) name: String,
    /// Type of the variant's value; `None` if the variant has no value.
    pub(crate) inner: Option<RustType>,
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Name of the property.
    pub(crate) property: String,
    /// Name in Rust.
    pub(crate) name: String,
    /// Type in Rust, without the `Option` for a missing value.
    pub(crate) r#type: RustType,
    /// True if the field may be missing.
    pub(crate) optional: bool,
}

impl<'a> Types<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let direct: Vec<BTreeSet<DeclarationId>> = program
            .declarations
            .iter()
            .map(|declaration| {
                let mut found = Vec::new();
                collect_references(program, declaration.r#type, &mut found);
                found.into_iter().collect()
            })
            .collect();
        let reached = (0..direct.len())
            .map(|start| {
                let mut seen = BTreeSet::new();
                let mut pending: Vec<DeclarationId> = direct[start].iter().copied().collect();
                while let Some(next) = pending.pop() {
                    if seen.insert(next) {
                        pending.extend(&direct[usize::from(next)]);
                    }
                }
                seen
            })
            .collect();
        let mut types = Self {
            program,
            reached,
            modules: Vec::new(),
            needed: BTreeSet::new(),
            names: names::declared(program),
            forms: Forms::default(),
            generated: BTreeMap::new(),
            taken: BTreeSet::new(),
            structs: BTreeMap::new(),
            definitions: BTreeMap::new(),
            string_enums: Vec::new(),
            problems: Vec::new(),
        };
        types.taken.extend(types.names.iter().cloned());
        types.modules = program
            .declarations
            .iter_ids()
            .map(|(id, _)| types.place(id))
            .collect();
        let roots = program.entities.iter().map(|entity| entity.declaration).chain(
            program
                .routes
                .iter()
                .flat_map(|route| Slot::ALL.into_iter().filter_map(|slot| route.slots.get(slot))),
        );
        for root in roots {
            types.needed.insert(root);
            types.needed.extend(&types.reached[usize::from(root)]);
        }
        types.forms = Forms::new(program, &types.reached, &types.names, &mut types.taken);
        types
    }

    /// Returns the declarations to generate, in order. Entities come first, so that anonymous types shared with other
    /// declarations are named after them.
    pub(crate) fn needed(&self) -> impl Iterator<Item = DeclarationId> + use<> {
        let mut needed: Vec<_> = self.needed.iter().copied().collect();
        needed.sort_by_key(|id| self.entity(*id).is_none());
        needed.into_iter()
    }

    /// Returns the module and the name of an anonymous type that was already generated.
    pub(crate) fn generated(&self, id: TypeId, form: Form) -> Option<&(String, String)> {
        self.generated.get(&(id, self.form_of(id, form)))
    }

    /// Returns the module and the name of an enum of strings that was already generated for the property.
    pub(crate) fn string_enum(&self, span: Span, texts: &[String]) -> Option<&(String, String)> {
        let known = self
            .string_enums
            .iter()
            .find(|(of, known, _)| *of == span && known == texts);
        known.map(|(_, _, made)| made)
    }

    /// Records the module and the name of an anonymous enum of strings.
    pub(crate) fn record_string_enum(&mut self, span: Span, texts: &[String], module: &str, name: &str) {
        let made = (module.to_owned(), name.to_owned());
        self.string_enums.push((span, texts.to_vec(), made));
    }

    /// Records the module and the name of an anonymous type. Skips types that refer to recursive types, because their
    /// Rust form depends on where they are used.
    pub(crate) fn record_type(&mut self, id: TypeId, form: Form, module: &str, name: &str) {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        if !references.into_iter().any(|id| self.is_recursive(id)) {
            let key = (id, self.form_of(id, form));
            self.generated.insert(key, (module.to_owned(), name.to_owned()));
        }
    }

    /// Returns the form for the key of an anonymous type: both forms share one entry if they do not differ.
    fn form_of(&self, id: TypeId, form: Form) -> Form {
        if self.differs(id) { form } else { Form::Complete }
    }

    /// Returns the Rust name of a type.
    pub(crate) fn name(&self, id: DeclarationId) -> &str {
        &self.names[usize::from(id)]
    }

    /// Returns the Rust name of a type in the given form.
    pub(crate) fn name_in(&self, id: DeclarationId, form: Form) -> &str {
        match form {
            Form::Request => self.forms.request(id).unwrap_or_else(|| self.name(id)),
            Form::Complete => self.name(id),
        }
    }

    /// Returns the forms of a type.
    pub(crate) fn forms(&self, id: DeclarationId) -> &'static [Form] {
        self.forms.of(id)
    }

    /// Returns true if the request form of the type is a separate Rust type.
    pub(crate) fn has_two_forms(&self, id: DeclarationId) -> bool {
        self.forms.request(id).is_some()
    }

    /// Returns true if the two forms of a type differ.
    fn differs(&self, id: TypeId) -> bool {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        forms::has_generated(self.program, id) || references.into_iter().any(|to| self.has_two_forms(to))
    }

    /// Returns the name of an item of the runtime, with its path if the application declares the same name.
    pub(crate) fn of_runtime(&self, name: &str) -> TokenStream {
        let item = ident(name);
        if self.declares(name) {
            quote!(kit_runtime::#item)
        } else {
            quote!(#item)
        }
    }

    /// Returns true if the application declares a type with this Rust name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    pub(crate) fn module(&self, id: DeclarationId) -> &str {
        &self.modules[usize::from(id)]
    }

    /// Returns true if values of the type can contain values of the same type.
    pub(crate) fn is_recursive(&self, id: DeclarationId) -> bool {
        self.reached[usize::from(id)].contains(&id)
    }

    /// Returns true if the type `to`, used in `home`, refers back to `home`.
    pub(crate) fn leads_back(&self, home: DeclarationId, to: DeclarationId) -> bool {
        home == to || self.reached[usize::from(to)].contains(&home)
    }

    pub(crate) fn problem(&mut self, message: String, span: Span, help: &str) {
        let problem = Problem {
            message,
            span,
            help: help.to_owned(),
        };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(crate) fn problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Returns the entity of a declaration.
    pub(crate) fn entity(&self, id: DeclarationId) -> Option<&'a Entity> {
        self.program
            .entities
            .iter()
            .find(|entity| entity.declaration == id)
    }

    /// Returns a name for an anonymous type in `home`. A type that `Page<Todo>` and `Page<User>` share is named after
    /// `Page`.
    pub(crate) fn name_anonymous(&mut self, home: DeclarationId, wanted: &str) -> String {
        let is_taken = |name: &str| {
            self.taken.contains(name) || names::is_reserved(name) || names::IMPORTED.contains(&name)
        };
        let declaration = &self.program.declarations[home];
        let generic = match &declaration.origin {
            DeclarationOrigin::Instance { expression } => expression.split_once('<'),
            _ => None,
        };
        let shared = generic
            .zip(wanted.strip_prefix(self.name(home)))
            .map(|((generic, _), rest)| names::variant(&format!("{generic}{rest}")))
            .filter(|name| !is_taken(name));
        let name = shared.unwrap_or_else(|| names::unique(names::variant(wanted), is_taken));
        self.taken.insert(name.clone());
        name
    }

    /// Returns the module of a declaration. Each entity has its own module, which also contains the types declared with
    /// it; other types are grouped by source file.
    fn place(&self, id: DeclarationId) -> String {
        let program = self.program;
        let source = program.declarations[id].span.source;
        if self.entity(id).is_some() {
            return names::module(self.name(id));
        }
        let beside: Vec<&str> = program
            .entities
            .iter()
            .filter(|entity| program.declarations[entity.declaration].span.source == source)
            .map(|entity| self.name(entity.declaration))
            .collect();
        let named = beside.iter().filter(|entity| self.name(id).contains(**entity));
        let entity = match beside.as_slice() {
            [only] => Some(*only),
            _ => named.max_by_key(|entity| entity.len()).copied(),
        };
        if let Some(entity) = entity {
            return names::module(entity);
        }
        let path = &program.sources[source].path;
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.trim_end_matches(".ts").trim_end_matches(".mts");
        let stem = names::plain_field(&stem.to_snake_case());
        // The module of an entity contains only the types that its file declares.
        let is_entity = program
            .entities
            .iter()
            .any(|entity| names::plain_field(self.name(entity.declaration)) == stem);
        if is_entity {
            format!("{stem}_types")
        } else {
            names::module(&stem)
        }
    }
}
