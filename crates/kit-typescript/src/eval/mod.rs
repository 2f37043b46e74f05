//! Evaluator of type expressions. The evaluator gives the same types as TypeScript.
//!
//! Evaluation is lazy: a name becomes [`Ty::Named`], and the type of a property [`Ty::Lazy`]. Only
//! [`Evaluator::shape`] evaluates these, once for each declaration with its arguments. A mistake is a type
//! too, [`Ty::Invalid`], and is reported only if something needs the type. One mistake does not hide the
//! next.
//!
//! A generic type is evaluated only with arguments, in a [`Scope`] that gives types to its parameters, so
//! that a conditional or mapped type knows the types that it works on. The exceptions are parameters of
//! generic *functions* ([`Ty::Parameter`]) and `infer` in patterns ([`Ty::Infer`]).
//!
//! [`steps`] limits the number of steps, so that every build terminates.
//!
//! [`expression`] evaluates type expressions, [`relation`] decides assignability, [`conditional`] and
//! [`infer`] choose branches, [`mapped`] and [`keys`] map properties, and [`global`] has the types that
//! TypeScript declares.

mod case;
mod class;
mod column;
mod conditional;
mod cursor;
mod decimal;
mod doc_comment;
mod expression;
mod function;
mod global;
mod identity;
mod index;
mod infer;
mod infer_names;
mod intersection;
mod keys;
mod kit_types;
mod library;
mod literal;
mod location;
mod mapped;
mod members;
mod object;
mod reference;
mod relation;
mod rules;
mod schema_rules;
mod steps;
mod store;
mod template;
mod text;
mod tuple;
mod type_tags;
mod types;
mod union;
mod utility;
mod values;
mod wire;

use std::rc::Rc;

use kit_diagnostics::{Code, Diagnostic};
use oxc_ast::ast::TSInterfaceDeclaration;
use oxc_span::{GetSpan, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::AnyMeaning;
use crate::docs::{Doc, Target};
use crate::modules::{DeclId, DeclKind, EnumValue, Graph, Location, ModuleId};

pub(crate) use cursor::CURSOR_TYPE;
pub(crate) use kit_types::{AUTH, ERRORS, KitType, OTHER_SLOTS, SOCKET};
pub(crate) use library::is_wrapper;
pub(crate) use steps::SubjectId;
use store::Store;
pub(crate) use text::pascal;
pub(crate) use type_tags::is_type_tag;
pub(crate) use types::{
    DocId, InstanceId, KeyKind, Literal, Object, ObjectId, Property, RuleSource, ScopeId, Segment, Ty, TyId,
};
use types::{Owner, Scope, State};
pub(crate) use wire::CheckedTypes;

/// Maximum depth of nested type arguments. Only a generic type that expands without end is nested deeper.
const MAX_DEPTH: u32 = 60;

/// Maximum number of instances of a generic type if their type arguments are nested deeper than [`WIDE_DEPTH`]. A
/// generic type with more instances multiplies without end.
const WIDE_INSTANCES: usize = 500;
/// Number of bytes of the sources for which one more such instance is allowed.
const BYTES_PER_WIDE_INSTANCE: usize = 8;
const WIDE_DEPTH: u32 = 6;

/// Maximum depth of nested evaluations. TypeScript allows 1,000 recursive uses of a conditional type, and this
/// evaluator takes a few evaluations for each use.
const MAX_EVALUATION_DEPTH: u32 = 6_000;

/// Maximum total number of instances of generic types, in addition to one for each byte of the sources. The types of a schema
/// of zod need about 70 instances for each property.
const MAX_INSTANCES: usize = 200_000;

/// Number of bytes of stack that must be free for an evaluation, and the size of a new stack segment.
const STACK_LEFT: usize = 128 * 1024;
const STACK_GROWTH: usize = 2 * 1024 * 1024;

pub(crate) struct Evaluator<'a> {
    pub(crate) graph: Graph<'a>,
    pub(crate) store: Store<'a>,
    pub(crate) any: AnyMeaning,
    depth: u32,
    /// Number of steps so far, for each exported type, entity or route.
    steps: steps::Steps,
    /// Cache of the results of [`Evaluator::shape`].
    shapes: Vec<Option<TyId>>,
    /// Progress of the evaluation of each intersection.
    intersections: FxHashMap<TyId, State>,
    /// Cache of comparisons for assignability.
    relations: relation::Relations,
    /// Cache of the types of values, for `typeof`. A value whose type is being evaluated is `None`.
    values: FxHashMap<(ModuleId, &'a str), Option<TyId>>,
    /// Types that only TypeScript can infer.
    uninferred: values::Uninferred,
    /// Warnings, such as those about the parts of schemas that kit does not check.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Doc comments for the tags that types state.
    type_tag_docs: FxHashMap<(Location, &'static str, String), DocId>,
    /// Locations of the rules of schemas that became doc tags.
    schema_rules: FxHashSet<Location>,
    /// Number of `infer`s in the patterns that contain the current type expression. The next `infer` gets
    /// this number.
    infers: u32,
    /// Generic signatures with their scopes. [`types::Generic`] holds the index of a signature, so that a
    /// call can give it type arguments.
    generics: Vec<(function::Signature<'a>, ScopeId)>,
    /// Number of type parameters of the generic functions that contain the current type expression.
    parameters: u32,
    /// Location of the current type expression, for errors without a location.
    current: Location,
    /// Last location from [`Evaluator::set_location`] in a source file of the project; `None` before the first.
    in_project: Option<Location>,
    /// The last module for which [`Evaluator::set_location`] decided if it is a source file of the project.
    last_module: Option<(ModuleId, bool)>,
    /// Types of the pages of lists: `Cursor<Note>`.
    cursors: FxHashSet<TyId>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(graph: Graph<'a>, any: AnyMeaning) -> Self {
        let current = Location {
            module: ModuleId(0),
            span: Span::default(),
        };
        let steps = steps::Steps::new(graph.bytes);
        Self {
            graph,
            any,
            store: Store::default(),
            depth: 0,
            steps,
            shapes: Vec::new(),
            intersections: FxHashMap::default(),
            relations: relation::Relations::default(),
            values: FxHashMap::default(),
            uninferred: values::Uninferred::default(),
            warnings: Vec::new(),
            type_tag_docs: FxHashMap::default(),
            schema_rules: FxHashSet::default(),
            infers: 0,
            generics: Vec::new(),
            parameters: 0,
            current,
            in_project: None,
            last_module: None,
            cursors: FxHashSet::default(),
        }
    }

    /// Returns the type of a declaration that has no type parameters.
    pub(crate) fn declared(&mut self, decl: DeclId) -> TyId {
        self.store.named(decl, Rc::from([]))
    }

    /// Returns the number of type parameters of a declaration.
    pub(crate) fn parameter_count(&self, decl: DeclId) -> usize {
        reference::parameters(self.graph.decl(decl)).map_or(0, <[oxc_ast::ast::TSTypeParameter<'_>]>::len)
    }

    /// Returns the shape of a type: its names and lazy types are replaced by what they stand for, and its
    /// rules are removed.
    pub(crate) fn shape(&mut self, id: TyId) -> TyId {
        if let Some(Some(known)) = self.shapes.get(id.index()) {
            return *known;
        }
        let mut current = id;
        let mut passed = Vec::new();
        // A chain of type aliases is never so long, except for a cycle.
        for _ in 0..10_000 {
            if let Some(Some(known)) = self.shapes.get(current.index()) {
                current = *known;
            }
            passed.push(current);
            current = match *self.store.get(current) {
                Ty::Lazy(lazy) => self.evaluate_lazy(lazy),
                Ty::Named(instance) => self.body(instance),
                Ty::Constrained(inner, _) => inner,
                Ty::Defined(inner) => self.defined(inner),
                Ty::Intersection(_) => self.intersect(current),
                // A type whose evaluation is in progress may have a shape later.
                Ty::Invalid(_) => return current,
                _ => {
                    passed.push(id);
                    for id in passed {
                        if self.shapes.len() <= id.index() {
                            self.shapes.resize(id.index() + 64, None);
                        }
                        self.shapes[id.index()] = Some(current);
                    }
                    return current;
                }
            };
        }
        self.endless(id)
    }

    /// Returns the shape of a type, as a copy. Copying is cheap.
    pub(crate) fn shape_of(&mut self, id: TyId) -> Ty {
        let shape = self.shape(id);
        self.store.get(shape).clone()
    }

    /// Evaluates a lazy type one step: the result may be a name or have rules.
    pub(crate) fn without_laziness(&mut self, id: TyId) -> TyId {
        let mut current = id;
        loop {
            current = match *self.store.get(current) {
                Ty::Lazy(lazy) => self.evaluate_lazy(lazy),
                Ty::Defined(inner) => self.defined(inner),
                _ => return current,
            };
        }
    }

    /// Returns the type that a declaration has with the type arguments of an instance, such as `Page<Note>`.
    /// Later calls return the cached result.
    pub(crate) fn body(&mut self, id: InstanceId) -> TyId {
        match self.store.instances[id.index()].body {
            State::Done(body) => return body,
            State::InProgress => {
                let named = self.store.add(Ty::Named(id));
                return self.endless(named);
            }
            State::Pending => {}
        }
        self.store.instances[id.index()].body = State::InProgress;
        let body = self.guarded(
            |this| {
                let body = this.body_with_data_only(id);
                if this.is_entity(this.store.instances[id.index()].decl) {
                    this.with_columns(body)
                } else {
                    body
                }
            },
            |this| {
                let named = this.store.add(Ty::Named(id));
                this.endless(named)
            },
        );
        self.store.instances[id.index()].body = State::Done(body);
        body
    }

    fn evaluate_lazy(&mut self, id: types::LazyId) -> TyId {
        let lazy = &self.store.lazies[id.index()];
        let (node, scope) = (lazy.node, lazy.scope);
        match lazy.value {
            State::Done(value) => return value,
            State::InProgress => {
                let location = self.location(scope, node.span());
                return self.recursion(location, "the type refers to itself without end");
            }
            State::Pending => {}
        }
        self.store.lazies[id.index()].value = State::InProgress;
        let value = self.guarded(
            |this| {
                let value = this.evaluate(node, scope);
                // `x: T["x"]` in `T` evaluates to itself. Following the value while the evaluation is in
                // progress detects this cycle.
                let mut end = value;
                loop {
                    end = match *this.store.get(end) {
                        Ty::Lazy(next) => this.evaluate_lazy(next),
                        Ty::Constrained(inner, _) => inner,
                        Ty::Defined(inner) => this.defined(inner),
                        Ty::Invalid(_) => return end,
                        _ => return value,
                    };
                }
            },
            |this| {
                let location = this.location(scope, node.span());
                this.too_deep(location)
            },
        );
        self.store.lazies[id.index()].value = State::Done(value);
        value
    }

    /// Runs an evaluation on a large enough stack. Calls `refuse` instead if the maximum depth or the maximum
    /// number of steps is reached.
    fn guarded<T>(&mut self, run: impl FnOnce(&mut Self) -> T, refuse: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= MAX_EVALUATION_DEPTH || self.is_exhausted() {
            return refuse(self);
        }
        self.depth += 1;
        self.spend(1);
        let value = stacker::maybe_grow(STACK_LEFT, STACK_GROWTH, || run(self));
        self.depth -= 1;
        value
    }

    fn evaluate_body(&mut self, id: InstanceId) -> TyId {
        let instance = &self.store.instances[id.index()];
        let (decl_id, args, this) = (instance.decl, Rc::clone(&instance.args), instance.this);
        let decl = self.graph.decl(decl_id);
        let module = decl.module;
        let bindings: Vec<(&'a str, TyId)> = reference::parameters(decl)
            .into_iter()
            .flatten()
            .map(|parameter| parameter.name.name.as_str())
            .zip(args.iter().copied())
            .collect();
        let this = this.unwrap_or_else(|| self.store.named(decl_id, Rc::clone(&args)));
        let with_this = |eval: &mut Self, module: ModuleId| {
            let mut bindings = bindings.clone();
            bindings.push((object::THIS, this));
            eval.store.scope(Scope {
                module,
                parent: None,
                bindings,
                owner: Some(Owner::Declaration(decl_id)),
            })
        };
        match &decl.kind {
            DeclKind::Alias(alias) => {
                let alias = *alias;
                let scope = self.store.scope(Scope {
                    module,
                    parent: None,
                    bindings: bindings.clone(),
                    owner: Some(Owner::Declaration(decl_id)),
                });
                let body = self.evaluate(&alias.type_annotation, scope);
                let doc = self.declaration_doc_id(decl_id);
                self.constrained(body, doc)
            }
            DeclKind::Interface(_) => {
                let parts = self.interface_parts(decl_id);
                let parts: Vec<_> = parts
                    .into_iter()
                    .map(|(module, part)| (part, with_this(self, module)))
                    .collect();
                self.interface(&parts)
            }
            DeclKind::Enum(_) => {
                let count = self.graph.enum_members(decl_id).len();
                let members = (0..count).map(|index| self.enum_member(decl_id, index)).collect();
                self.union(members)
            }
            DeclKind::Class(class) => {
                let class = *class;
                let parts = self.interface_parts(decl_id);
                let scope = with_this(self, module);
                let parts: Vec<_> = parts
                    .into_iter()
                    .map(|(module, part)| (part, with_this(self, module)))
                    .collect();
                self.class(class, &parts, scope)
            }
        }
    }

    /// Returns all interface declarations of a type, also those that are merged into a class, each with its
    /// module.
    fn interface_parts(&self, decl: DeclId) -> Vec<(ModuleId, &'a TSInterfaceDeclaration<'a>)> {
        let mut parts = Vec::new();
        for id in [decl].iter().chain(self.graph.merged(decl)) {
            let decl = self.graph.decl(*id);
            if let DeclKind::Interface(more) = &decl.kind {
                parts.extend(more.iter().map(|part| (decl.module, *part)));
            }
        }
        parts
    }

    /// Returns the type of an enum member; `number` if the value of the member is not known.
    fn enum_member(&mut self, decl: DeclId, index: usize) -> TyId {
        let members = self.graph.enum_members(decl);
        let value = match &members[index].value {
            EnumValue::String(text) => types::Literal::string(text),
            EnumValue::HalfPair => return self.half_pair(members[index].location),
            EnumValue::Number(number) if number.is_finite() => types::Literal::number(*number),
            EnumValue::Number(_) | EnumValue::Computed => return self.store.add(Ty::Number),
        };
        self.store.add(Ty::EnumMember(types::EnumMember {
            decl,
            index: u32::try_from(index).unwrap_or(u32::MAX),
            value,
        }))
    }

    /// Returns the doc comment of a declaration; `None` if it has no comment.
    pub(crate) fn declaration_doc(&mut self, decl: DeclId) -> Option<Rc<Doc>> {
        self.declaration_doc_id(decl).map(|doc| self.store.doc(doc))
    }

    fn declaration_doc_id(&mut self, decl: DeclId) -> Option<DocId> {
        let span = self.doc_span(decl)?;
        let module = self.graph.decl(decl).module;
        let text = self.graph.module(module).text;
        Some(self.store.doc_at(module, text, span))
    }

    /// Returns the kind of type that a doc comment describes: an object or any other type.
    pub(crate) fn target(&mut self, ty: TyId) -> Target {
        if matches!(self.shape_of(ty), Ty::Object(_)) {
            Target::Object
        } else {
            Target::Alias
        }
    }

    /// Adds the rules in a doc comment to a type. A comment without rules does not change the type.
    fn constrained(&mut self, ty: TyId, doc: Option<DocId>) -> TyId {
        match doc.filter(|doc| self.store.doc(*doc).has_rules()) {
            Some(doc) => self.store.add(Ty::Constrained(ty, RuleSource::Doc(doc))),
            None => ty,
        }
    }

    pub(crate) fn module_scope(&mut self, module: ModuleId) -> ScopeId {
        self.store.scope(Scope {
            module,
            parent: None,
            bindings: Vec::new(),
            owner: None,
        })
    }

    pub(crate) fn location(&self, scope: ScopeId, span: Span) -> Location {
        Location {
            module: self.store.module_of(scope),
            span,
        }
    }

    pub(crate) fn diagnostic(
        &self,
        code: Code,
        location: Location,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::new(code, message).label(self.graph.label(location))
    }

    fn endless(&mut self, id: TyId) -> TyId {
        let text = self.text(id);
        let location = match *self.store.get(id) {
            Ty::Named(instance) => {
                let decl = self.graph.decl(self.store.instances[instance.index()].decl);
                Location {
                    module: decl.module,
                    span: decl.span,
                }
            }
            _ => self.current,
        };
        // If the evaluation stopped because of too many steps, it is not known if the type refers to itself.
        if self.is_exhausted() {
            return self.exhausted(location);
        }
        self.recursion(location, &format!("`{text}` refers to itself without end"))
    }
}
