//! Evaluated types to the IR: who gets a name, what stays inline, and which mistakes count.
//!
//! Only what is reachable from a declaration, an entity or a route comes here, and so only its mistakes are reported.

mod finish;
mod names;
mod property;

use std::collections::{HashMap, HashSet, VecDeque};

use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use kit_ir::{
    Declaration, DeclarationId, DeclarationOrigin, Documentation, IndexKey, IndexSignature, ObjectType,
    Program, Span, TemplatePart, TupleElement, Type, TypeId, TypeKind,
};

use crate::docs::{apply_constraints, documentation, misplaced};
use crate::eval::{DocId, Evaluator, InstanceId, ObjectId, Part, Ty, TyId};
use crate::modules::{Graph, Place};

pub(crate) use names::plural_snake;

/// Inline types inside of inline types beyond this are an expansion without end.
const DEEPEST: u32 = 64;

pub(crate) struct Lowering<'a> {
    pub(crate) eval: Evaluator<'a>,
    pub(crate) program: Program,
    pub(crate) diagnostics: Diagnostics,
    declared: HashMap<InstanceId, DeclarationId>,
    queue: VecDeque<(DeclarationId, InstanceId)>,
    /// Properties whose tags are read when all types are known.
    tagged: Vec<Tagged>,
    reported: HashSet<TyId>,
    /// Anonymous objects; nothing where one is being lowered.
    objects: HashMap<ObjectId, Option<TypeId>>,
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
            eval,
            program: Program::default(),
            diagnostics: Diagnostics::default(),
            declared: HashMap::new(),
            queue: VecDeque::new(),
            tagged: Vec::new(),
            reported: HashSet::new(),
            objects: HashMap::new(),
            depth: 0,
        }
    }

    pub(crate) fn graph(&self) -> &Graph<'a> {
        &self.eval.graph
    }

    /// A place in the form of the IR. The source is the module's number until [`Lowering::finish`] sorts the files.
    pub(crate) fn span(&self, place: Place) -> Span {
        let module = self.graph().module(place.module);
        let (line, column) = module.lines.position(module.text, place.span.start);
        Span {
            source: kit_ir::SourceId(self.graph().file(place.module).0),
            start: place.span.start,
            end: place.span.end,
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

    /// The declaration of a name, made when it is first needed.
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
        let place = Place {
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
        if let Some(doc) = self.eval.declaration_doc(decl_id) {
            let target = self.eval.target(ty);
            let issues = misplaced(self.graph(), &doc, target);
            self.report_all(issues);
            about = documentation(&doc);
        }
        let id = self.add_declaration(name, origin, about, place);
        self.declared.insert(instance, id);
        self.queue.push_back((id, instance));
        id
    }

    /// A declaration for an anonymous type in a route's slot.
    pub(crate) fn declare_slot(&mut self, name: String, ty: TyId, place: Place) -> DeclarationId {
        let id = self.add_declaration(name, DeclarationOrigin::Slot, Documentation::default(), place);
        let structure = self.structure(ty);
        self.program.declarations[id].r#type = structure;
        id
    }

    fn add_declaration(
        &mut self,
        name: String,
        origin: DeclarationOrigin,
        documentation: Documentation,
        place: Place,
    ) -> DeclarationId {
        let span = self.span(place);
        let r#type = self.program.add_type(TypeKind::Unknown);
        self.program.declarations.push(Declaration {
            name,
            r#type,
            origin,
            documentation,
            span,
        })
    }

    /// Whether a name gets a declaration: it stands for something composite. Names of primitives are inlined, so that a
    /// property may constrain them.
    pub(crate) fn is_declared(&mut self, instance: InstanceId) -> bool {
        let ty = self.eval.store.add(Ty::Named(instance));
        let shape = self.eval.shape(ty);
        match self.eval.store.get(shape) {
            Ty::Object(_) | Ty::Array(_) | Ty::Tuple(_) | Ty::Template(_) => true,
            Ty::Union(members) => !members
                .iter()
                .any(|member| matches!(self.eval.store.get(*member), Ty::Undefined)),
            _ => false,
        }
    }

    /// Lowers the bodies of all declarations that were needed so far, and what they need.
    pub(crate) fn drain(&mut self) {
        while let Some((id, instance)) = self.queue.pop_front() {
            let body = self.eval.body(instance);
            let structure = self.structure(body);
            self.program.declarations[id].r#type = structure;
        }
    }

    /// A type; names become references.
    pub(crate) fn lower(&mut self, ty: TyId) -> TypeId {
        let ty = self.eval.peel(ty);
        if let Ty::Named(instance) = *self.eval.store.get(ty)
            && self.is_declared(instance)
        {
            let declaration = self.declare(instance);
            return self.program.add_type(TypeKind::Reference { declaration });
        }
        self.structure(ty)
    }

    /// A type itself, even where it has a name.
    pub(crate) fn structure(&mut self, ty: TyId) -> TypeId {
        if self.depth > DEEPEST {
            return self.endless(ty);
        }
        self.depth += 1;
        let id = self.structure_inner(ty);
        self.depth -= 1;
        id
    }

    fn structure_inner(&mut self, ty: TyId) -> TypeId {
        let ty = self.eval.peel(ty);
        let kind = match self.eval.store.get(ty).clone() {
            Ty::Named(instance) => {
                let shape = self.eval.shape(ty);
                if matches!(self.eval.store.get(shape), Ty::Invalid(_)) {
                    return self.structure(shape);
                }
                let body = self.eval.body(instance);
                return self.structure(body);
            }
            Ty::Constrained(inner, doc) => {
                let shape = self.eval.shape(inner);
                // No constraint fits an object, whose name therefore stays.
                let id = match self.eval.store.get(shape) {
                    Ty::Object(_) => self.lower(inner),
                    _ => self.structure(inner),
                };
                let doc = self.eval.store.docs[doc.index()].clone();
                let mut issues = Vec::new();
                let id = apply_constraints(&self.eval.graph, &mut self.program, id, &doc, &mut issues);
                self.report_all(issues);
                return id;
            }
            Ty::Intersection(_) | Ty::Lazy(_) => {
                let shape = self.eval.shape(ty);
                return self.structure(shape);
            }
            Ty::Invalid(id) => {
                if self.reported.insert(ty) {
                    self.diagnostics.push(self.eval.store.invalid[id.index()].clone());
                }
                TypeKind::Unknown
            }
            Ty::Undefined => {
                return self.no_json(
                    "`undefined`",
                    "write `null`, or make the property optional with `?`",
                );
            }
            Ty::Contract(_) => return self.no_json("a route contract", "name a type of values here"),
            Ty::Unknown => TypeKind::Unknown,
            Ty::Never => TypeKind::Never,
            Ty::Null => TypeKind::Null,
            Ty::Boolean => TypeKind::Boolean,
            Ty::Number => TypeKind::Number,
            Ty::String => TypeKind::String,
            Ty::BigInt => TypeKind::BigInt,
            Ty::Date => TypeKind::Date,
            Ty::Bytes => TypeKind::Bytes,
            Ty::Literal(literal) => TypeKind::Literal {
                value: literal.value(),
            },
            Ty::Template(parts) => {
                let parts = parts
                    .into_iter()
                    .map(|part| match part {
                        Part::Text(text) => TemplatePart::Text(text),
                        Part::Hole(ty) => TemplatePart::Hole(self.structure(ty)),
                    })
                    .collect();
                TypeKind::Template { parts }
            }
            Ty::Array(element) => TypeKind::Array {
                element: self.lower(element),
            },
            Ty::Tuple(elements) => {
                let elements = elements
                    .into_iter()
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
                            label: element.label,
                        }
                    })
                    .collect();
                TypeKind::Tuple { elements }
            }
            Ty::Union(members) => {
                let members = members.into_iter().map(|member| self.lower(member)).collect();
                TypeKind::Union { members }
            }
            Ty::Object(object) => return self.object(ty, object),
        };
        self.program.add_type(kind)
    }

    fn no_json(&mut self, what: &str, help: &str) -> TypeId {
        let place = self.eval.some_place();
        let diagnostic = self
            .eval
            .diagnostic(
                codes::NO_JSON_FORM,
                place,
                format!("{what} has no JSON form here"),
            )
            .help(help);
        self.report(diagnostic);
        self.program.add_type(TypeKind::Unknown)
    }

    /// An anonymous type inside of itself, such as `type A = { rest: Omit<A, "x"> }`: TypeScript lets it be, but every
    /// artifact needs a name to refer to.
    fn endless(&mut self, ty: TyId) -> TypeId {
        let message = format!("`{}` contains itself and has no name", self.eval.text(ty));
        let place = self.eval.some_place();
        let diagnostic = self
            .eval
            .diagnostic(codes::RECURSIVE_ALIAS, place, message)
            .help("give it one: `type Rest = Omit<…>`, and write `Rest` here");
        self.report(diagnostic);
        self.program.add_type(TypeKind::Unknown)
    }

    fn object(&mut self, ty: TyId, id: ObjectId) -> TypeId {
        match self.objects.get(&id) {
            Some(Some(known)) => return *known,
            Some(None) => return self.endless(ty),
            None => {}
        }
        self.objects.insert(id, None);
        let lowered = self.object_inner(id);
        self.objects.insert(id, Some(lowered));
        lowered
    }

    fn object_inner(&mut self, id: ObjectId) -> TypeId {
        let object = self.eval.store.objects[id.index()].clone();
        self.report_all(object.issues);
        let mut properties = Vec::with_capacity(object.properties.len());
        let mut tagged = Vec::new();
        for (index, property) in object.properties.into_iter().enumerate() {
            if let Some(doc) = property.doc {
                tagged.push((index, doc));
            }
            properties.push(self.property(property));
        }
        let index = object.index.map(|index| {
            let (index, _) = self.without_undefined(index);
            IndexSignature {
                key: IndexKey::String,
                value: self.lower(index),
            }
        });
        let index = index.into_iter().collect();
        let id = self
            .program
            .add_type(Type::from(TypeKind::Object(ObjectType { properties, index })));
        self.tagged.extend(tagged.into_iter().map(|(index, doc)| Tagged {
            object: id,
            index,
            doc,
        }));
        id
    }
}
