//! The evaluator: type expressions to types, as TypeScript evaluates them.
//!
//! It is lazy. A name evaluates to [`Ty::Named`], the type of a property to [`Ty::Lazy`]; only [`Evaluator::shape`] looks
//! inside, once for each (declaration, arguments). A mistake is a type too, [`Ty::Invalid`]: what nobody needs is not
//! reported, and one mistake does not hide the next.

mod expression;
mod literal;
mod members;
mod object;
mod reference;
mod text;
mod types;
mod union;
mod utility;
mod wire;

use std::collections::HashMap;

use kit_diagnostics::{Code, Diagnostic, codes};
use oxc_span::{GetSpan, Span};

use crate::docs::{Doc, Target};
use crate::modules::{DeclId, DeclKind, EnumValue, Graph, ModuleId, Place};

pub(crate) use text::pascal;
pub(crate) use types::number_name;
pub(crate) use types::{DocId, InstanceId, Object, ObjectId, Part, Prop, ScopeId, Ty, TyId};
use types::{Scope, State, Store};

/// Type arguments nested deeper than this come from a generic type that expands without end.
const DEEPEST: u32 = 12;

/// Evaluations inside evaluations beyond this would threaten the stack.
const DEEPEST_EVALUATION: u32 = 150;

/// More instances than this of all generic types together come from one that expands without end.
const MOST_INSTANCES: usize = 20_000;

pub(crate) struct Evaluator<'a> {
    pub(crate) graph: Graph<'a>,
    pub(crate) store: Store<'a>,
    depth: u32,
    /// Intersections that were evaluated.
    intersections: HashMap<TyId, TyId>,
    /// The expression that is being evaluated, for mistakes that only show later.
    current: Place,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(graph: Graph<'a>) -> Self {
        let current = Place {
            module: ModuleId(0),
            span: Span::default(),
        };
        Self {
            graph,
            store: Store::default(),
            depth: 0,
            intersections: HashMap::new(),
            current,
        }
    }

    /// The type that a declaration without type parameters stands for.
    pub(crate) fn declared(&mut self, decl: DeclId) -> TyId {
        self.store.named(decl, Vec::new())
    }

    /// How many type parameters a declaration has.
    pub(crate) fn parameter_count(&self, decl: DeclId) -> usize {
        reference::parameters(self.graph.decl(decl)).map_or(0, <[oxc_ast::ast::TSTypeParameter<'_>]>::len)
    }

    /// What a type is underneath names, laziness and constraints.
    pub(crate) fn shape(&mut self, id: TyId) -> TyId {
        let mut current = id;
        // Longer chains of plain aliases do not occur; a chain that bites its own tail does.
        for _ in 0..1_000 {
            current = match *self.store.get(current) {
                Ty::Lazy(lazy) => self.evaluate_lazy(lazy),
                Ty::Named(instance) => self.body(instance),
                Ty::Constrained(inner, _) => inner,
                Ty::Intersection(_) => self.intersect(current),
                _ => return current,
            };
        }
        self.endless(id)
    }

    /// The type with laziness resolved, but names and constraints kept.
    pub(crate) fn peel(&mut self, id: TyId) -> TyId {
        let mut current = id;
        while let Ty::Lazy(lazy) = *self.store.get(current) {
            current = self.evaluate_lazy(lazy);
        }
        current
    }

    /// What a name stands for, evaluated once.
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
            |this| this.evaluate_body(id),
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
                let place = self.place(scope, node.span());
                return self.recursion(place, "the type refers to itself without end");
            }
            State::Pending => {}
        }
        self.store.lazies[id.index()].value = State::InProgress;
        let value = self.guarded(
            |this| {
                let value = this.evaluate(node, scope);
                // `x: T["x"]` evaluates to itself: it is followed while it counts as being evaluated, and so it is found out.
                let mut end = value;
                loop {
                    end = match *this.store.get(end) {
                        Ty::Lazy(next) => this.evaluate_lazy(next),
                        Ty::Constrained(inner, _) => inner,
                        Ty::Invalid(_) => return end,
                        _ => return value,
                    };
                }
            },
            |this| {
                let place = this.place(scope, node.span());
                this.recursion(place, "the type is nested too deeply to be evaluated")
            },
        );
        self.store.lazies[id.index()].value = State::Done(value);
        value
    }

    /// Runs an evaluation unless too many are under way already.
    fn guarded(
        &mut self,
        run: impl FnOnce(&mut Self) -> TyId,
        refuse: impl FnOnce(&mut Self) -> TyId,
    ) -> TyId {
        if self.depth >= DEEPEST_EVALUATION {
            return refuse(self);
        }
        self.depth += 1;
        let value = run(self);
        self.depth -= 1;
        value
    }

    fn evaluate_body(&mut self, id: InstanceId) -> TyId {
        let instance = &self.store.instances[id.index()];
        let (decl_id, args) = (instance.decl, instance.args.clone());
        let decl = self.graph.decl(decl_id);
        let module = decl.module;
        let place = Place {
            module,
            span: decl.span,
        };
        let bindings: Vec<(&'a str, TyId)> = reference::parameters(decl)
            .into_iter()
            .flatten()
            .map(|parameter| parameter.name.name.as_str())
            .zip(args)
            .collect();
        match &decl.kind {
            DeclKind::Alias(alias) => {
                let scope = self.store.scope(Scope { module, bindings });
                let body = self.evaluate(&alias.type_annotation, scope);
                self.constrained(body, self.declaration_doc(decl_id))
            }
            DeclKind::Interface(parts) => {
                let mut parts: Vec<_> = parts.iter().map(|part| (module, *part)).collect();
                for other in self.graph.merged(decl_id) {
                    let other = self.graph.decl(*other);
                    if let DeclKind::Interface(more) = &other.kind {
                        parts.extend(more.iter().map(|part| (other.module, *part)));
                    }
                }
                let parts: Vec<_> = parts
                    .into_iter()
                    .map(|(module, part)| {
                        let bindings = bindings.clone();
                        (part, self.store.scope(Scope { module, bindings }))
                    })
                    .collect();
                self.interface(&parts)
            }
            DeclKind::Enum(_) => {
                let members = self.graph.enum_members(decl_id);
                let members = members
                    .iter()
                    .map(|member| self.enum_value(&member.value))
                    .collect();
                self.union(members)
            }
            DeclKind::Class(_) => {
                let message = format!("kit does not evaluate the class `{}`", decl.name);
                let diagnostic = self
                    .diagnostic(codes::UNSUPPORTED_TYPE, place, message)
                    .help("write an interface with the properties");
                self.store.reject(diagnostic)
            }
        }
    }

    /// The type of an enum's member.
    pub(super) fn enum_value(&mut self, value: &EnumValue) -> TyId {
        let ty = match value {
            EnumValue::String(text) => Ty::Literal(types::Literal::String(text.clone())),
            EnumValue::Number(number) if number.is_finite() => Ty::Literal(types::Literal::number(*number)),
            EnumValue::Number(_) | EnumValue::Computed => Ty::Number,
        };
        self.store.add(ty)
    }

    /// The comment of a declaration.
    pub(crate) fn declaration_doc(&self, decl: DeclId) -> Option<Doc> {
        let decl = self.graph.decl(decl);
        let module = self.graph.module(decl.module);
        let span = decl.statements.iter().find_map(|start| module.doc(*start))?;
        Some(Doc::parse(decl.module, module.text, span))
    }

    /// Whether a comment stands on an object or on another alias.
    pub(crate) fn target(&mut self, ty: TyId) -> Target {
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Object(_)) {
            Target::Object
        } else {
            Target::Alias
        }
    }

    /// The type with the constraint tags of a comment, if there are any.
    fn constrained(&mut self, ty: TyId, doc: Option<Doc>) -> TyId {
        match doc {
            Some(doc) if doc.tags.iter().any(|tag| tag.name.is_constraint()) => {
                let doc = self.store.doc(doc);
                self.store.add(Ty::Constrained(ty, doc))
            }
            _ => ty,
        }
    }

    pub(crate) fn module_scope(&mut self, module: ModuleId) -> ScopeId {
        self.store.scope(Scope {
            module,
            bindings: Vec::new(),
        })
    }

    pub(crate) fn place(&self, scope: ScopeId, span: Span) -> Place {
        Place {
            module: self.store.scopes[scope.index()].module,
            span,
        }
    }

    pub(crate) fn diagnostic(&self, code: Code, place: Place, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).label(self.graph.label(place))
    }

    fn reject(&mut self, code: Code, place: Place, message: impl Into<String>, help: &str) -> TyId {
        let diagnostic = self.diagnostic(code, place, message).help(help);
        self.store.reject(diagnostic)
    }

    fn endless(&mut self, id: TyId) -> TyId {
        let text = self.text(id);
        let place = match *self.store.get(id) {
            Ty::Named(instance) => {
                let decl = self.graph.decl(self.store.instances[instance.index()].decl);
                Place {
                    module: decl.module,
                    span: decl.span,
                }
            }
            _ => self.current,
        };
        self.recursion(place, &format!("`{text}` refers to itself without end"))
    }

    /// Where the evaluation stands that runs now.
    pub(crate) fn some_place(&self) -> Place {
        self.current
    }

    /// Moves there, for mistakes that have no place of their own.
    pub(crate) fn stand_at(&mut self, place: Place) {
        self.current = place;
    }

    fn recursion(&mut self, place: Place, message: &str) -> TyId {
        self.reject(
            codes::RECURSIVE_ALIAS,
            place,
            message,
            "a type may recurse through a property or an array: `interface Tree { children: Tree[] }`",
        )
    }
}
