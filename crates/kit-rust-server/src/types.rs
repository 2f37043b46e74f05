//! What is known of the program's types: which are needed, where they stand in Rust, which hold themselves.

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase;
use kit_analysis::collect_references;
use kit_ir::{DeclarationId, DeclarationOrigin, Entity, Program, Property, Slot, Span, TypeId, TypeKind};

use crate::{Problem, names};

/// The types of a program.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    /// What each declaration refers to, at any distance.
    reached: Vec<BTreeSet<DeclarationId>>,
    /// The module of each declaration, below `models`.
    modules: Vec<String>,
    /// Those that routes and entities need.
    needed: BTreeSet<DeclarationId>,
    /// Names of all types in Rust.
    pub(crate) taken: BTreeSet<String>,
    /// The fields of each struct by its name.
    pub(crate) structs: BTreeMap<String, Vec<Field>>,
    /// Enums whose variants are texts.
    pub(crate) text_enums: BTreeSet<String>,
    /// The module and the name of types that have none of their own: `Omit` and `Pick` leave a property's type what it was.
    made: BTreeMap<TypeId, (String, String)>,
    problems: Vec<Problem>,
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
            taken: program
                .declarations
                .iter()
                .map(|declaration| declaration.name.clone())
                .collect(),
            structs: BTreeMap::new(),
            text_enums: BTreeSet::new(),
            made: BTreeMap::new(),
            problems: Vec::new(),
        };
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
        types.refuse_generated_input();
        types.refuse_reserved_names();
        types
    }

    /// The types that are made, in their order, those that are stored first: what others share with them has its name of them.
    pub(crate) fn needed(&self) -> impl Iterator<Item = DeclarationId> + use<> {
        let mut needed: Vec<_> = self.needed.iter().copied().collect();
        needed.sort_by_key(|id| self.entity(*id).is_none());
        needed.into_iter()
    }

    /// The module and the name of a type without a name that was made already.
    pub(crate) fn made(&self, id: TypeId) -> Option<&(String, String)> {
        self.made.get(&id)
    }

    /// Keeps what a type without a name is called. One that leads back to itself depends on where it stands.
    pub(crate) fn keep_made(&mut self, id: TypeId, module: &str, name: &str) {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        if !references.into_iter().any(|id| self.is_recursive(id)) {
            self.made.insert(id, (module.to_owned(), name.to_owned()));
        }
    }

    pub(crate) fn name(&self, id: DeclarationId) -> &'a str {
        &self.program.declarations[id].name
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
        let declaration = &self.program.declarations[home];
        let generic = match &declaration.origin {
            DeclarationOrigin::Instance { expression } => expression.split_once('<'),
            _ => None,
        };
        let shared = generic
            .zip(wanted.strip_prefix(declaration.name.as_str()))
            .map(|((generic, _), rest)| names::variant(&format!("{generic}{rest}")))
            .filter(|name| !self.taken.contains(name));
        let name =
            shared.unwrap_or_else(|| names::unique(names::variant(wanted), |name| self.taken.contains(name)));
        self.taken.insert(name.clone());
        name
    }

    /// Entities have a module each, and the types that are declared with them stand there too; the rest goes by source file.
    fn place(&self, id: DeclarationId) -> String {
        let program = self.program;
        let source = program.declarations[id].span.source;
        if self.entity(id).is_some() {
            return names::field(self.name(id));
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
            return names::field(entity);
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
            names::field(&stem)
        }
    }

    /// Generated code has these names for something else.
    fn refuse_reserved_names(&mut self) {
        const RESERVED: [&str; 32] = [
            "App",
            "AppError",
            "Box",
            "Clone",
            "Context",
            "Contract",
            "Copy",
            "Debug",
            "Deserialize",
            "Deserializer",
            "Eq",
            "Error",
            "Format",
            "Hash",
            "Index",
            "IndexMap",
            "Keys",
            "Literal",
            "Option",
            "PartialEq",
            "Pattern",
            "PgPool",
            "Property",
            "Request",
            "Response",
            "Result",
            "Serialize",
            "Shape",
            "String",
            "Timestamp",
            "Value",
            "Vec",
        ];
        for id in self.needed() {
            let name = self.name(id);
            if RESERVED.contains(&name) {
                let span = self.program.declarations[id].span;
                let message =
                    format!("the type `{name}` has a name that the Rust server needs for something else");
                self.problem(
                    message,
                    span,
                    "give it another name, or keep it out of contracts and entities",
                );
            }
        }
    }

    /// A body cannot hold what the system makes: Rust has no struct with a field that is there only sometimes.
    fn refuse_generated_input(&mut self) {
        let program = self.program;
        for route in &program.routes {
            let Some(body) = route.slots.body else { continue };
            let mut inside = self.reached[usize::from(body)].clone();
            inside.insert(body);
            for id in inside {
                let found = properties(program, program.declarations[id].r#type)
                    .into_iter()
                    .find(|property| property.tags.generated.is_some() && !property.optional);
                if let Some(property) = found {
                    let message = format!(
                        "the body of `{}` holds `{}.{}`, which the system makes",
                        route.reference(),
                        self.name(id),
                        property.name
                    );
                    let help = format!("leave it out: `Omit<{}, \"{}\">`", self.name(id), property.name);
                    self.problem(message, route.span, &help);
                }
            }
        }
    }
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
