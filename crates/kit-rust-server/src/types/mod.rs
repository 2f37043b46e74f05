//! Facts about the types of an application: which types are needed, their Rust names and modules, and which types
//! are recursive.

mod forms;
mod rust_type;
mod tagged;

use std::collections::{BTreeMap, BTreeSet};

use heck::ToSnakeCase;
use kit_analysis::collect_references;
use kit_ir::{
    Constraints, DeclarationId, DeclarationOrigin, Entity, LiteralValue, Program, Route, Span, TypeId,
    TypeKind,
};
use proc_macro2::TokenStream;
use quote::quote;

use crate::source::ident;
use crate::{Problem, names};

pub(crate) use forms::Form;
use forms::Forms;
pub(crate) use rust_type::{RuntimeItem, RuntimeType, RustType};
use tagged::TaggedUnions;
pub(crate) use tagged::{ObjectId, TaggedUnion};

/// The types of an application, and the Rust types that are generated for them.
pub(crate) struct Types<'a> {
    pub(crate) program: &'a Program,
    /// For each declared type, the types that it refers to directly or through other types.
    reached: Vec<BTreeSet<DeclarationId>>,
    /// For each declared type, the name of the Rust module below `models` that has its Rust type.
    modules: Vec<String>,
    /// Declared types with a `f64`, apart from those in the types to which they refer.
    floats: BTreeSet<DeclarationId>,
    /// Declared types that routes and entities need.
    needed: BTreeSet<DeclarationId>,
    /// For each declared type, its Rust name.
    names: Vec<String>,
    forms: Forms,
    tagged: TaggedUnions,
    /// Module and name of the Rust types that were generated for types without a name. With `Omit` and
    /// `Pick`, several declarations can contain the same type.
    generated: BTreeMap<(TypeId, Form), (String, String)>,
    /// Enums that were generated for unions of strings without a name.
    string_enums: Vec<StringEnum>,
    /// Names that Rust types already have.
    pub(crate) taken: BTreeSet<String>,
    /// Fields of each struct, by the name of the struct.
    pub(crate) structs: BTreeMap<String, Vec<Field>>,
    /// Definition of each Rust type, by the name of the type.
    pub(crate) definitions: BTreeMap<String, Definition>,
    problems: Vec<Problem>,
}

/// A union of strings without a name.
pub(crate) struct StringUnion {
    /// Location of the property that has the union.
    pub(crate) span: Span,
    /// Name of the property in TypeScript.
    pub(crate) property: String,
    pub(crate) texts: Vec<String>,
    /// True if the property belongs to an entity.
    pub(crate) is_of_entity: bool,
    /// Module below `models` that has the property.
    pub(crate) module: String,
}

/// An enum for a union of strings. The enum is in the module of the union.
pub(crate) struct StringEnum {
    pub(crate) union: StringUnion,
    pub(crate) name: String,
}

/// Definition of a Rust type. The Rust expression of a default value depends on it.
#[derive(Debug, Clone)]
pub(crate) enum Definition {
    /// A struct around one inner type.
    Newtype(RustType),
    /// A struct. Its fields are in [`Types::structs`].
    Struct {
        /// Names of the fields that hold the properties of index signatures in a map.
        maps: Vec<String>,
    },
    /// An enum for a union of strings. Lists each string with its variant.
    Texts(Vec<(String, String)>),
    /// An enum for another union, with a variant for each member.
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
    /// The union member that the variant stands for.
    pub(crate) member: TypeId,
    /// Name of the variant.
    pub(crate) name: String,
    /// Type of the value in the variant; `None` if the variant has no value.
    pub(crate) inner: Option<RustType>,
}

/// A field of a struct.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Name of the property in TypeScript and JSON.
    pub(crate) property: String,
    /// Name of the field in Rust.
    pub(crate) name: String,
    /// Type of the field, without the `Option` for an absent value.
    pub(crate) r#type: RustType,
    /// True if the value may be absent.
    pub(crate) optional: bool,
}

/// Returns the types that a route can respond with: bodies and headers of responses, and details of errors.
fn answered(route: &Route) -> impl Iterator<Item = DeclarationId> {
    let headers = route.declared_replies().filter_map(|reply| reply.headers);
    route.written().chain(headers)
}

/// Returns true for a decimal number that `kit_runtime::Decimal` can hold. Decimal numbers with more digits stay texts.
pub(crate) fn is_decimal(rules: &Constraints) -> bool {
    const MAX_PRECISION: u32 = 28;
    rules
        .digits
        .is_some_and(|digits| digits.precision <= MAX_PRECISION)
}

/// Returns true if the Rust type of a number is `i64`.
pub(crate) fn is_integer(kind: &TypeKind, rules: &Constraints) -> bool {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    match kind {
        TypeKind::Number => rules.integer,
        TypeKind::Literal {
            value: LiteralValue::Number(number),
        } => number.fract() == 0.0 && number.abs() <= MAX_SAFE,
        _ => false,
    }
}

/// Returns true if values of a type contain a `f64`. Does not follow references.
fn has_float(program: &Program, id: TypeId) -> bool {
    let r#type = &program.types[id];
    match &r#type.kind {
        kind @ (TypeKind::Number
        | TypeKind::Literal {
            value: LiteralValue::Number(_),
        }) => !is_integer(kind, &r#type.constraints),
        // A string.
        TypeKind::Template { .. } => false,
        kind => kit_analysis::children(kind)
            .into_iter()
            .any(|child| has_float(program, child)),
    }
}

/// Returns the type of the environment variables.
fn environment(program: &Program) -> Option<DeclarationId> {
    let variables = program.application.environment.as_ref()?;
    Some(variables.declaration)
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
            floats: program
                .declarations
                .iter_ids()
                .filter(|(_, declaration)| has_float(program, declaration.r#type))
                .map(|(id, _)| id)
                .collect(),
            needed: BTreeSet::new(),
            names: names::declared(program),
            forms: Forms::default(),
            tagged: TaggedUnions::default(),
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
            .map(|(id, _)| types.module_name(id))
            .collect();
        let roots: BTreeSet<DeclarationId> = program
            .entities
            .iter()
            .map(|entity| entity.declaration)
            .chain(
                program
                    .routes
                    .iter()
                    .flat_map(|route| route.read().into_iter().chain(answered(route))),
            )
            .chain(
                program
                    .application
                    .declared_format()
                    .map(|declared| declared.body),
            )
            .chain(environment(program))
            .collect();
        for root in &roots {
            types.needed.insert(*root);
            types.needed.extend(&types.reached[usize::from(*root)]);
        }
        types.tagged = TaggedUnions::new(program, &types.needed, &roots);
        types.forms = Forms::new(program, &types.reached, &types.names, &mut types.taken);
        types
    }

    /// Returns the declared types for which Rust types are generated. Entities come first, so that a type without a
    /// name that they share with other types is named after the entity.
    pub(crate) fn needed(&self) -> impl Iterator<Item = DeclarationId> + use<> {
        let mut needed: Vec<_> = self.needed.iter().copied().collect();
        needed.sort_by_key(|id| self.entity(*id).is_none());
        needed.into_iter()
    }

    /// Returns the module and the name of the Rust type for a type without a name. Returns `None` if it was not
    /// generated yet.
    pub(crate) fn generated(&self, id: TypeId, form: Form) -> Option<&(String, String)> {
        self.generated.get(&(id, self.form_of(id, form)))
    }

    /// Returns the enum for a property with these strings. Returns `None` if it was not generated yet.
    ///
    /// A property of a request or a response gets the enum of the only entity that has a property with the same name and
    /// the same strings, otherwise the enum of another such property in the same module.
    pub(crate) fn string_enum(&self, wanted: &StringUnion) -> Option<&StringEnum> {
        let same = || {
            self.string_enums
                .iter()
                .filter(|known| known.union.texts == wanted.texts)
        };
        if let Some(exact) = same().find(|known| known.union.span == wanted.span) {
            return Some(exact);
        }
        // A single string is a tag, which belongs to its struct.
        if wanted.is_of_entity || wanted.texts.len() < 2 {
            return None;
        }
        let alike = || same().filter(|known| known.union.property == wanted.property);
        let mut of_entities = alike().filter(|known| known.union.is_of_entity);
        let only = of_entities.next().filter(|_| of_entities.next().is_none());
        only.or_else(|| alike().find(|known| known.union.module == wanted.module))
    }

    /// Records an enum that was generated.
    pub(crate) fn record_string_enum(&mut self, made: StringEnum) {
        self.string_enums.push(made);
    }

    /// Records the Rust type that was generated for a type without a name. Types that refer to recursive types are
    /// not recorded, because their Rust form depends on where they are used.
    pub(crate) fn record_type(&mut self, id: TypeId, form: Form, module: &str, name: &str) {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        if !references.into_iter().any(|id| self.is_recursive(id)) {
            let key = (id, self.form_of(id, form));
            self.generated.insert(key, (module.to_owned(), name.to_owned()));
        }
    }

    /// Returns the form under which a type without a name is recorded. If the Rust types for requests and
    /// responses are equal, the result is the same for the two forms.
    fn form_of(&self, id: TypeId, form: Form) -> Form {
        if self.differs(id) { form } else { Form::Complete }
    }

    /// Returns the tagged union with these members, which are the members of the flattened union. Returns `None` if the
    /// union is not tagged.
    pub(crate) fn tagged_union(&self, members: &[TypeId]) -> Option<&TaggedUnion> {
        self.tagged.union(members)
    }

    /// Returns the name and the text of the property for which the struct of an object has no field, because the enum
    /// around the struct writes the property.
    pub(crate) fn tag(&self, object: ObjectId) -> Option<&(String, String)> {
        self.tagged.tag(object)
    }

    /// Returns the Rust name of a declared type.
    pub(crate) fn name(&self, id: DeclarationId) -> &str {
        &self.names[usize::from(id)]
    }

    /// Returns the name of the Rust type for a declared type, in requests or everywhere else.
    pub(crate) fn name_in(&self, id: DeclarationId, form: Form) -> &str {
        match form {
            Form::Request => self.forms.request(id).unwrap_or_else(|| self.name(id)),
            Form::Complete => self.name(id),
        }
    }

    /// Returns the forms of a declared type for which Rust types are generated.
    pub(crate) fn forms(&self, id: DeclarationId) -> &'static [Form] {
        self.forms.of(id)
    }

    /// Returns true if a declared type has a separate Rust type for requests.
    pub(crate) fn has_two_forms(&self, id: DeclarationId) -> bool {
        self.forms.request(id).is_some()
    }

    /// Returns true if a type needs different Rust types in requests and everywhere else.
    fn differs(&self, id: TypeId) -> bool {
        let mut references = Vec::new();
        collect_references(self.program, id, &mut references);
        forms::has_generated(self.program, id) || references.into_iter().any(|to| self.has_two_forms(to))
    }

    /// Returns the name to write for an item of `kit_runtime`. If the application declares a type with the
    /// same name, returns the item with its path.
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

    /// Returns the cargo features of `kit-runtime` that the models need.
    pub(crate) fn features(&self) -> Vec<&'static str> {
        let decimal = self.have(is_decimal).then_some("decimal");
        let pattern = self.have(|rules| rules.pattern.is_some()).then_some("pattern");
        decimal.into_iter().chain(pattern).collect()
    }

    /// Returns true if one of the Rust types, or a part of one, has these constraints.
    fn have(&self, constraints: impl Fn(&Constraints) -> bool) -> bool {
        let mut pending: Vec<TypeId> = self
            .needed
            .iter()
            .map(|id| self.program.declarations[*id].r#type)
            .collect();
        while let Some(id) = pending.pop() {
            let r#type = &self.program.types[id];
            if constraints(&r#type.constraints) {
                return true;
            }
            pending.extend(kit_analysis::children(&r#type.kind));
        }
        false
    }

    /// Returns true if no value of these types contains a `f64`, so that their Rust types can implement `Eq`.
    pub(crate) fn have_total_equality(&self, types: &[TypeId]) -> bool {
        let mut references = Vec::new();
        for id in types {
            if has_float(self.program, *id) {
                return false;
            }
            collect_references(self.program, *id, &mut references);
        }
        references
            .into_iter()
            .all(|to| !self.floats.contains(&to) && self.reached[usize::from(to)].is_disjoint(&self.floats))
    }

    /// Returns true if values of a declared type can contain values of the same type.
    pub(crate) fn is_recursive(&self, id: DeclarationId) -> bool {
        self.reached[usize::from(id)].contains(&id)
    }

    /// Returns true if the declared type `to` is `home`, or refers to `home` directly or through other types.
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

    pub(crate) fn problems(&self) -> Vec<Problem> {
        self.problems.clone()
    }

    /// Returns the entity of a declared type. Returns `None` if the declared type is not an entity.
    pub(crate) fn entity(&self, id: DeclarationId) -> Option<&'a Entity> {
        self.program
            .entities
            .iter()
            .find(|entity| entity.declaration == id)
    }

    /// Returns a Rust name for a type without a name that the declaration `home` contains. If `Page<Todo>`
    /// and `Page<User>` share the type, the name begins with `Page`.
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

    /// Returns the name of the module for a declared type. Each entity has a module, which also contains the types of
    /// its file. Other types are grouped by their file.
    fn module_name(&self, id: DeclarationId) -> String {
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
        // The module of an entity contains only types of the entity's file.
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
