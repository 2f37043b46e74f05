//! What is known of the program's types: which are needed, what they are called in Rust and where they stand, which hold themselves.

mod forms;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase;
use kit_analysis::collect_references;
use kit_ir::{DeclarationId, DeclarationOrigin, Entity, Program, Slot, Span, TypeId};

use crate::{Problem, names};

pub(crate) use forms::Form;
use forms::Forms;

/// The types of a program.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    /// What each declaration refers to, at any distance.
    reached: Vec<BTreeSet<DeclarationId>>,
    /// The module of each declaration, below `models`.
    modules: Vec<String>,
    /// Those that routes and entities need.
    needed: BTreeSet<DeclarationId>,
    /// The name of each declaration in Rust.
    names: Vec<String>,
    forms: Forms,
    /// The module and the name of types that have none of their own: `Omit` and `Pick` leave a property's type what it was.
    made: BTreeMap<(TypeId, Form), (String, String)>,
    /// The same of texts to choose from, by the property that has them.
    made_texts: Vec<(Span, Vec<String>, (String, String))>,
    /// Names of all types in Rust.
    pub(crate) taken: BTreeSet<String>,
    /// The fields of each struct by its name.
    pub(crate) structs: BTreeMap<String, Vec<Field>>,
    /// What each type is made of, by its name.
    pub(crate) definitions: BTreeMap<String, Definition>,
    problems: Vec<Problem>,
}

/// What a type of Rust is made of, as far as a value of it is written down.
#[derive(Debug, Clone)]
pub(crate) enum Definition {
    /// A type around another one.
    Newtype(String),
    /// A struct; its fields stand in [`Types::structs`].
    Struct {
        /// The object's index signatures, by the names of their maps.
        maps: Vec<String>,
    },
    /// An enum of texts: each of them and its variant.
    Texts(Vec<(String, String)>),
    /// An enum of a variant for each member.
    Union(Vec<Variant>),
    /// A struct for a tuple: its elements, and whether they have names.
    Tuple {
        /// Of each element its name or position, and its type.
        fields: Vec<(String, String)>,
        /// Whether it is written with braces.
        named: bool,
    },
}

/// A variant of an enum.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    /// The member.
    pub(crate) member: TypeId,
    /// Its name.
    pub(crate) name: String,
    /// What it holds; nothing where the variant says it all.
    pub(crate) inner: Option<String>,
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// The property.
    pub(crate) property: String,
    /// Its name in Rust.
    pub(crate) name: String,
    /// Its type in Rust, without the `Option` of absence.
    pub(crate) r#type: String,
    /// Whether it may be absent.
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
            made: BTreeMap::new(),
            taken: BTreeSet::new(),
            structs: BTreeMap::new(),
            definitions: BTreeMap::new(),
            made_texts: Vec::new(),
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

    /// The types that are made, in their order, those that are stored first: what others share with them has its name of them.
    pub(crate) fn needed(&self) -> impl Iterator<Item = DeclarationId> + use<> {
        let mut needed: Vec<_> = self.needed.iter().copied().collect();
        needed.sort_by_key(|id| self.entity(*id).is_none());
        needed.into_iter()
    }

    /// The module and the name of a type without a name that was made already.
    pub(crate) fn made(&self, id: TypeId, form: Form) -> Option<&(String, String)> {
        self.made.get(&(id, self.form_of(id, form)))
    }

    /// The module and the name of texts that were made for a property already, here or where it comes from.
    pub(crate) fn made_texts(&self, span: Span, texts: &[String]) -> Option<&(String, String)> {
        let known = self
            .made_texts
            .iter()
            .find(|(of, known, _)| *of == span && known == texts);
        known.map(|(_, _, made)| made)
    }

    /// Keeps what texts without a name are called.
    pub(crate) fn keep_made_texts(&mut self, span: Span, texts: &[String], module: &str, name: &str) {
        let made = (module.to_owned(), name.to_owned());
        self.made_texts.push((span, texts.to_vec(), made));
    }

    /// Keeps what a type without a name is called. One that leads back to itself depends on where it stands.
    pub(crate) fn keep_made(&mut self, id: TypeId, form: Form, module: &str, name: &str) {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        if !references.into_iter().any(|id| self.is_recursive(id)) {
            let key = (id, self.form_of(id, form));
            self.made.insert(key, (module.to_owned(), name.to_owned()));
        }
    }

    /// What does not differ between the two forms is made once.
    fn form_of(&self, id: TypeId, form: Form) -> Form {
        if self.differs(id) { form } else { Form::Whole }
    }

    /// What a type is called in Rust.
    pub(crate) fn name(&self, id: DeclarationId) -> &str {
        &self.names[usize::from(id)]
    }

    /// What a type is called in Rust where a request holds it, or where anything else does.
    pub(crate) fn name_in(&self, id: DeclarationId, form: Form) -> &str {
        match form {
            Form::Request => self.forms.request(id).unwrap_or_else(|| self.name(id)),
            Form::Whole => self.name(id),
        }
    }

    /// The forms that a type has.
    pub(crate) fn forms(&self, id: DeclarationId) -> &'static [Form] {
        self.forms.of(id)
    }

    /// Whether a request holds another form of the type than everything else.
    pub(crate) fn has_two_forms(&self, id: DeclarationId) -> bool {
        self.forms.request(id).is_some()
    }

    /// Whether the two forms differ in what stands at a type.
    fn differs(&self, id: TypeId) -> bool {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        forms::makes(self.program, id) || references.into_iter().any(|to| self.has_two_forms(to))
    }

    /// What something of the runtime is called beside the application's types.
    pub(crate) fn of_runtime(&self, name: &str) -> String {
        if self.declares(name) {
            format!("kit_runtime::{name}")
        } else {
            name.to_owned()
        }
    }

    /// Whether the application declares a type that has the name in Rust.
    pub(crate) fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    pub(crate) fn module(&self, id: DeclarationId) -> &str {
        &self.modules[usize::from(id)]
    }

    /// Whether values can hold values of the same type.
    pub(crate) fn is_recursive(&self, id: DeclarationId) -> bool {
        self.reached[usize::from(id)].contains(&id)
    }

    /// Whether a type that stands in `home` leads back to it.
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

    /// The entity of a declaration.
    pub(crate) fn entity(&self, id: DeclarationId) -> Option<&'a Entity> {
        self.program
            .entities
            .iter()
            .find(|entity| entity.declaration == id)
    }

    /// A name for a type without one that stands in `home`. What `Page<Todo>` and `Page<User>` share is called after `Page`.
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

    /// Entities have a module each, and the types that are declared with them stand there too; the rest goes by source file.
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
        // An entity's own module holds what its file declares, and nothing else.
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
