//! Lowering: converts evaluated types to the IR. It decides which types become declarations, and reports
//! mistakes in types.
//!
//! Only the types of declarations, entities and routes are lowered, so mistakes in other types are not
//! reported.

mod at_use;
pub(crate) mod each;
mod finish;
mod implied;
mod kit_types;
mod object;
mod property;
mod refused;
mod rules;
pub(crate) mod shared;

use std::collections::VecDeque;
use std::rc::Rc;

use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use kit_ir::{
    Declaration, DeclarationId, DeclarationOrigin, Documentation, Program, Span, TemplatePart, TupleElement,
    TypeId, TypeKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::refused::{WRITE_WIRE, help_for};
use crate::docs::{Doc, Misfit, documentation, misplaced};
use crate::eval::{DocId, Evaluator, InstanceId, Literal, ObjectId, Segment, SubjectId, Ty, TyId};
use crate::modules::{DeclId, Graph, Location};
use crate::{AnyMeaning, MissingHandler};

/// Maximum depth of nested types without a name. Only a type that expands without end is nested deeper.
const MAX_DEPTH: u32 = 250;

/// Maximum number of nested types in one declaration. Generated code repeats a type without a name at each
/// location that uses the type, so a few lines can cause gigabytes of code before [`MAX_DEPTH`] is reached.
const MAX_PARTS: u32 = 50_000;

pub(crate) struct Lowering<'a> {
    pub(crate) eval: Evaluator<'a>,
    pub(crate) program: Program,
    pub(crate) diagnostics: Diagnostics,
    declared: FxHashMap<InstanceId, DeclarationId>,
    /// Entities by name, for `@references`.
    entities: FxHashMap<String, DeclId>,
    /// Declarations that still must be lowered, each with the type, entity or route that needs it, and the location in the
    /// project that uses it.
    queue: VecDeque<(DeclarationId, InstanceId, SubjectId, Option<Location>)>,
    /// Properties whose doc tags are read when all types are lowered.
    tagged: Vec<Tagged>,
    /// Declarations whose examples are read when all types are lowered, because an example must fit its type.
    documented: Vec<(DeclarationId, Rc<Doc>)>,
    failed: FxHashSet<TypeId>,
    /// Contracts without handlers.
    pub(crate) missing_handlers: Vec<MissingHandler>,
    /// Object types with `@dataOnly` that have members without a JSON form, each with the name of its first such member.
    pub(crate) left_out: FxHashMap<TypeId, String>,
    /// True if the program has an object type with `toJSON`.
    pub(crate) has_to_json: bool,
    /// Number of nested types that the current declaration has so far.
    inline: u32,
    reported: FxHashSet<TyId>,
    /// Progress of converting each object type without a name to the IR.
    objects: FxHashMap<ObjectId, object::State>,
    /// Location of the property or declaration that is being converted, for messages about tags that types state.
    place: Location,
    /// Names of the declaration and the properties that contain the current type. Together they form a name
    /// for the type.
    path: Vec<String>,
    /// Names of the properties that contain the current type, as the source writes them.
    properties: Vec<Rc<str>>,
    depth: u32,
}

struct Tagged {
    object: TypeId,
    index: usize,
    doc: DocId,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(eval: Evaluator<'a>) -> Self {
        Self {
            place: eval.current_location(),
            eval,
            program: Program::default(),
            diagnostics: Diagnostics::default(),
            declared: FxHashMap::default(),
            entities: FxHashMap::default(),
            queue: VecDeque::new(),
            tagged: Vec::new(),
            documented: Vec::new(),
            failed: FxHashSet::default(),
            missing_handlers: Vec::new(),
            left_out: FxHashMap::default(),
            has_to_json: false,
            inline: 0,
            reported: FxHashSet::default(),
            objects: FxHashMap::default(),
            path: Vec::new(),
            properties: Vec::new(),
            depth: 0,
        }
    }

    pub(crate) fn graph(&self) -> &Graph<'a> {
        &self.eval.graph
    }

    /// Converts a location to a span of the IR. The source of the span is the id of the module, until
    /// [`Lowering::into_program`] sorts the files.
    pub(crate) fn span(&self, location: Location) -> Span {
        let module = self.graph().module(location.module);
        let (line, column) = module.lines.position(module.text, location.span.start);
        Span {
            source: kit_ir::SourceId(self.graph().file(location.module).0),
            start: location.span.start,
            end: location.span.end,
            line,
            column,
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn report_all(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            self.report(diagnostic);
        }
    }

    /// Returns the declaration of a named type. Creates it on first use.
    pub(crate) fn declare(&mut self, instance: InstanceId) -> DeclarationId {
        if let Some(known) = self.declared.get(&instance) {
            return *known;
        }
        let ty = self.eval.store.add(Ty::Named(instance));
        let (decl_id, generic) = {
            let instance = &self.eval.store.instances[instance.index()];
            (instance.decl, !instance.args.is_empty())
        };
        let decl = self.graph().decl(decl_id);
        let location = Location {
            module: decl.module,
            span: decl.span,
        };
        let export = self.graph().exported_name(decl_id);
        let origin = if generic {
            DeclarationOrigin::Instance {
                expression: self.eval.text(ty),
            }
        } else {
            DeclarationOrigin::Named {
                export: export.unwrap_or_else(|| decl.name.to_owned()),
            }
        };
        let name = self.eval.pascal_name(ty);
        let mut about = Documentation::default();
        let doc = self.eval.declaration_doc(decl_id);
        if let Some(doc) = &doc {
            let target = self.eval.target(ty);
            let issues = misplaced(self.graph(), doc, target);
            self.report_all(issues);
            about = documentation(doc);
        }
        let id = self.add_declaration(name, origin, about, location);
        self.documented.extend(doc.map(|doc| (id, doc)));
        self.declared.insert(instance, id);
        let used_at = self.eval.location_in_project();
        self.queue.push_back((id, instance, self.eval.subject(), used_at));
        id
    }

    /// Adds a declaration for an anonymous type that is the params, query, body or response of a route.
    pub(crate) fn declare_slot(&mut self, name: String, ty: TyId, location: Location) -> DeclarationId {
        let path = std::mem::replace(&mut self.path, vec![name.clone()]);
        let properties = std::mem::take(&mut self.properties);
        let id = self.add_declaration(name, DeclarationOrigin::Slot, Documentation::default(), location);
        let inline = std::mem::take(&mut self.inline);
        let structure = self.structure(ty);
        self.inline = inline;
        self.path = path;
        self.properties = properties;
        self.program.declarations[id].r#type = structure;
        id
    }

    fn add_declaration(
        &mut self,
        name: String,
        origin: DeclarationOrigin,
        documentation: Documentation,
        location: Location,
    ) -> DeclarationId {
        let span = self.span(location);
        let r#type = self.program.add_type(TypeKind::Unknown);
        self.program.declarations.push(Declaration {
            name,
            r#type,
            origin,
            documentation,
            span,
        })
    }

    /// Returns true if a named type becomes a declaration. A named primitive type does not become a
    /// declaration, so that a property may add rules to the type.
    pub(crate) fn is_declared(&mut self, instance: InstanceId) -> bool {
        let ty = self.eval.store.add(Ty::Named(instance));
        let shape = self.eval.shape(ty);
        if let Ty::Object(object) = *self.eval.store.get(shape) {
            let object = self.eval.store.object_at(object);
            return self.eval.result_of_to_json(&object).is_none();
        }
        match self.eval.store.get(shape) {
            Ty::Array { .. } | Ty::Tuple { .. } | Ty::Template(_) => true,
            Ty::Branded(base, _) => matches!(
                self.eval.store.get(*base),
                Ty::Array { .. } | Ty::Tuple { .. } | Ty::Template(_)
            ),
            Ty::Union(members) => !members
                .iter()
                .any(|member| matches!(self.eval.store.get(*member), Ty::Undefined)),
            _ => false,
        }
    }

    /// Converts all declarations in the queue to the IR, including declarations that the conversion adds to
    /// the queue.
    pub(crate) fn drain(&mut self) {
        while let Some((id, instance, subject, used_at)) = self.queue.pop_front() {
            self.eval.continue_subject(subject);
            self.eval.set_location_in_project(used_at);
            let body = self.eval.body(instance);
            self.path = vec![self.program.declarations[id].name.clone()];
            self.properties.clear();
            self.stand_at_declaration(instance);
            self.inline = 0;
            let structure = self.structure(body);
            self.program.declarations[id].r#type = structure;
        }
    }

    fn stand_at_declaration(&mut self, instance: InstanceId) {
        let decl = self
            .graph()
            .decl(self.eval.store.instances[instance.index()].decl);
        let location = Location {
            module: decl.module,
            span: decl.span,
        };
        self.place = location;
        self.eval.set_location(location);
    }

    /// Converts a type to the IR. A named type becomes a reference to a declaration.
    pub(crate) fn lower(&mut self, ty: TyId) -> TypeId {
        let ty = self.eval.without_laziness(ty);
        if let Ty::Named(instance) = *self.eval.store.get(ty)
            && self.is_declared(instance)
        {
            self.eval.spend(1);
            let declaration = self.declare(instance);
            return self.program.add_type(TypeKind::Reference { declaration });
        }
        self.structure(ty)
    }

    /// Converts the structure of a type to the IR. A named type is replaced by its structure and does not
    /// become a reference.
    pub(crate) fn structure(&mut self, ty: TyId) -> TypeId {
        if self.depth > MAX_DEPTH {
            return self.endless(ty);
        }
        self.eval.spend(1);
        if let Some(refused) = self.refuse_exhausted() {
            return refused;
        }
        if !self.has_room(1) {
            return self.failed();
        }
        self.depth += 1;
        let id = stacker::maybe_grow(128 * 1024, 1024 * 1024, || self.structure_inner(ty));
        self.depth -= 1;
        id
    }

    /// Adds `parts` to the number of nested types of the current declaration. Returns false if there are too
    /// many types. Reports this once.
    fn has_room(&mut self, parts: u32) -> bool {
        let before = self.inline;
        self.inline = before.saturating_add(parts);
        if self.inline < MAX_PARTS {
            return true;
        }
        if before < MAX_PARTS {
            let name = self.path.first().cloned().unwrap_or_default();
            let message = format!("`{name}` has more than {MAX_PARTS} nested types");
            let help = "give names to the types that are used in many places: kit generates code for a named type only once";
            self.refused(codes::TOO_LARGE_TYPE, &message, help);
        }
        false
    }

    /// Reports once that the compiler takes too many steps, and returns the replacement for the type. Returns
    /// `None` if there are steps left.
    pub(crate) fn refuse_exhausted(&mut self) -> Option<TypeId> {
        if !self.eval.is_exhausted() {
            return None;
        }
        let location = self.eval.current_location();
        let refused = self.eval.exhausted(location);
        Some(self.structure_inner(refused))
    }

    fn structure_inner(&mut self, ty: TyId) -> TypeId {
        if let Some(location) = self.eval.written_at(ty) {
            self.eval.set_location(location);
        }
        let ty = self.eval.without_laziness(ty);
        let kind = match self.eval.store.get(ty).clone() {
            Ty::Named(instance) => {
                let shape = self.eval.shape(ty);
                if matches!(self.eval.store.get(shape), Ty::Invalid(_)) {
                    return self.structure(shape);
                }
                // Follows names in a loop and not recursively, because there can be many, and they do not
                // count as nested types.
                let mut body = self.eval.body(instance);
                while let Ty::Named(next) = *self.eval.store.get(body) {
                    body = self.eval.body(next);
                }
                return self.structure(body);
            }
            Ty::Constrained(inner, source) => return self.constrained(inner, source),
            Ty::Intersection(_) => {
                let shape = self.eval.shape(ty);
                let mut id = self.structure(shape);
                if self.has_failed(id) || matches!(self.eval.store.get(shape), Ty::Object(_)) {
                    return id;
                }
                for source in self.eval.rules_around(ty).into_iter().rev() {
                    id = self.with_rules(id, source, Misfit::Ignored);
                }
                return id;
            }
            Ty::Lazy(_) | Ty::Defined(_) => {
                let shape = self.eval.shape(ty);
                return self.structure(shape);
            }
            Ty::Invalid(id) => {
                if self.reported.insert(ty) {
                    let diagnostic = self.eval.store.invalid[id.index()].clone();
                    self.diagnostics.push(self.at_use(diagnostic));
                }
                return self.failed();
            }
            Ty::Undefined => {
                return self.no_json(
                    "`undefined`",
                    "write `null`, or make the property optional with `?`",
                );
            }
            Ty::Kit(kind, _) => return self.not_a_value(kind),
            Ty::Any if self.eval.any == AnyMeaning::Unknown => TypeKind::Unknown,
            Ty::Any if self.graph().is_in_package(self.eval.current_location().module) => {
                self.warn_of_any();
                TypeKind::Unknown
            }
            Ty::Any => {
                return self.refused(
                    codes::UNSUPPORTED_TYPE,
                    "`any` does not describe the value",
                    "write `unknown` for any JSON value",
                );
            }
            Ty::NonPrimitive => {
                return self.refused(
                    codes::UNSUPPORTED_TYPE,
                    "`object` does not say which properties the value has",
                    "write the properties, or `Record<string, unknown>`",
                );
            }
            Ty::Cased(case, _) => {
                let message = format!("kit cannot check a value against `{}<…>`, because its argument can be any text", case.name());
                return self.refused(
                    codes::UNSUPPORTED_TYPE,
                    &message,
                    "write `string`, with `@pattern` if upper and lower case matter",
                );
            }
            Ty::Symbol | Ty::UniqueSymbol(_) => return self.no_json("`symbol`", WRITE_WIRE),
            Ty::Parameter(_) | Ty::Infer(_) | Ty::Deferred(_) => {
                return self.refused(
                    codes::UNSUPPORTED_TYPE,
                    "the type depends on a type parameter that has no value here",
                    "write the type itself",
                );
            }
            Ty::EnumMember(member) => TypeKind::Literal {
                value: member.value.value(),
            },
            // A brand exists only for the type checker. The wire form is that of the type without the brand.
            Ty::Branded(base, brand) => {
                let mut id = self.structure(base);
                if let Some(digits) = self.eval.digits_of_brand(brand) {
                    return self.decimal(id, digits);
                }
                for rules in self.eval.rules_of_type_tags(brand, self.place) {
                    if !self.has_failed(id) {
                        id = self.with_rules(id, rules, Misfit::Reported);
                    }
                }
                return id;
            }
            Ty::Unknown => TypeKind::Unknown,
            Ty::Never => TypeKind::Never,
            Ty::Null => TypeKind::Null,
            // The wire form of an object of the class `String` is that of its string.
            Ty::Boolean | Ty::Builtin("Boolean", _) => TypeKind::Boolean,
            Ty::Number | Ty::Builtin("Number", _) => TypeKind::Number,
            Ty::String | Ty::Builtin("String", _) => TypeKind::String,
            Ty::BigInt | Ty::Builtin("BigInt", _) => TypeKind::BigInt,
            Ty::Date => TypeKind::Date,
            Ty::Bytes => TypeKind::Bytes,
            Ty::Literal(Literal::Number(bits)) if !f64::from_bits(bits).is_finite() => {
                return self.no_json("a number beyond the range of doubles", "write a smaller number, or `number`");
            }
            Ty::Literal(literal) => TypeKind::Literal {
                value: literal.value(),
            },
            // `` `${string}${string}` `` is any string, also an empty one.
            Ty::Template(parts)
                if parts.iter().all(
                    |part| matches!(part, Segment::Placeholder(placeholder) if matches!(self.eval.store.get(*placeholder), Ty::String)),
                ) =>
            {
                TypeKind::String
            }
            Ty::Template(parts) => {
                let parts = parts
                    .iter()
                    .map(|part| match part {
                        Segment::Text(text) => TemplatePart::Text(text.to_string()),
                        Segment::Placeholder(ty) => TemplatePart::Placeholder(self.structure(*ty)),
                    })
                    .collect();
                TypeKind::Template { parts }
            }
            Ty::Array { element, .. } => TypeKind::Array {
                element: self.lower(element),
            },
            Ty::Tuple { elements, .. } => {
                let elements = elements
                    .iter()
                    .map(|element| {
                        let ty = if element.optional {
                            self.without_undefined(element.ty).0
                        } else {
                            element.ty
                        };
                        TupleElement {
                            r#type: self.lower(ty),
                            optional: element.optional,
                            rest: element.rest,
                            label: element.label.as_deref().map(str::to_owned),
                        }
                    })
                    .collect();
                TypeKind::Tuple { elements }
            }
            Ty::Union(members) => match self.unbranded(&members) {
                Some(plain) => return self.structure(plain),
                None => TypeKind::Union {
                    members: members.iter().map(|member| self.lower(*member)).collect(),
                },
            },
            Ty::Builtin(name, _) => {
                return self.no_json(&format!("`{name}`"), help_for(name));
            }
            Ty::Object(object) => return self.object(ty, object),
        };
        self.program.add_type(kind)
    }
}
