//! Store of the types, objects, instances, scopes and comments that ids refer to.

use std::rc::Rc;

use kit_diagnostics::Diagnostic;
use oxc_ast::ast::{TSMappedType, TSType};
use oxc_span::Span;
use rustc_hash::FxHashMap;

use super::types::{
    DocId, Function, Instance, InstanceId, InvalidId, Lazy, LazyId, Literal, Object, ObjectId, Owner, Scope,
    ScopeId, Segment, State, Ty, TyId,
};
use crate::docs::Doc;
use crate::modules::{DeclId, Location, ModuleId};

/// Types, objects, instances, scopes and comments, each by its id. Items are never removed, so ids stay
/// valid.
#[derive(Default)]
pub(crate) struct Store<'a> {
    types: Vec<Ty>,
    facts: Vec<Facts>,
    interned: FxHashMap<Ty, TyId>,
    objects: Vec<Rc<Object>>,
    objects_by_key: FxHashMap<Rc<Object>, ObjectId>,
    pub(crate) instances: Vec<Instance>,
    instances_by_key: FxHashMap<InstanceKey, InstanceId>,
    /// Number of instances of each generic declaration.
    instance_counts: FxHashMap<DeclId, usize>,
    pub(crate) lazies: Vec<Lazy<'a>>,
    scopes: Vec<Scope<'a>>,
    scope_facts: Vec<Facts>,
    docs: Vec<Rc<Doc>>,
    docs_by_location: FxHashMap<(ModuleId, u32), DocId>,
    /// Copies of comments for types in placeholders of templates, by the id of the original comment.
    docs_in_templates: FxHashMap<DocId, DocId>,
    docs_of_keys: FxHashMap<DocId, DocId>,
    /// Comments of types of kit, by their text.
    docs_of_kit: FxHashMap<&'static str, DocId>,
    pub(crate) invalid: Vec<Diagnostic>,
}

/// A declaration, its type arguments, and the type of `this` if it is not the instance itself.
type InstanceKey = (DeclId, Rc<[TyId]>, Option<TyId>);

/// Facts about a type that are known before the type is evaluated.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// Depth of nested type arguments. A great depth shows that a type expands without end.
    depth: u32,
    /// True if the type may contain an `infer` without a type yet, or a type parameter of a generic function.
    open: bool,
}

impl Facts {
    fn join(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            open: self.open || other.open,
        }
    }

    fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }
}

impl<'a> Store<'a> {
    pub(crate) fn get(&self, id: TyId) -> &Ty {
        &self.types[id.index()]
    }

    pub(crate) fn depth(&self, id: TyId) -> u32 {
        self.facts[id.index()].depth
    }

    /// Returns true if a type may contain an `infer` without a type yet, or a type parameter of a generic
    /// function.
    pub(crate) fn is_open(&self, id: TyId) -> bool {
        self.facts[id.index()].open
    }

    pub(crate) fn add(&mut self, ty: Ty) -> TyId {
        if let Some(known) = self.interned.get(&ty) {
            return *known;
        }
        let facts = self.facts_of(&ty);
        let id = TyId::at(self.types.len());
        self.types.push(ty.clone());
        self.facts.push(facts);
        self.interned.insert(ty, id);
        id
    }

    /// Adds an intersection without duplicate members, so that a recursive intersection equals itself and
    /// does not grow.
    pub(crate) fn intersection(&mut self, members: impl IntoIterator<Item = TyId>) -> TyId {
        let mut flat: Vec<TyId> = Vec::new();
        for member in members {
            let inner = match &self.types[member.index()] {
                Ty::Intersection(inner) => inner.to_vec(),
                _ => vec![member],
            };
            for member in inner {
                if !flat.contains(&member) {
                    flat.push(member);
                }
            }
        }
        match flat.as_slice() {
            [only] => *only,
            _ => self.add(Ty::Intersection(flat.into())),
        }
    }

    fn join(&self, ids: impl Iterator<Item = TyId>) -> Facts {
        ids.fold(Facts::default(), |facts, id| facts.join(self.facts[id.index()]))
    }

    fn facts_of(&self, ty: &Ty) -> Facts {
        match ty {
            Ty::Infer(_) | Ty::Parameter(_) => Facts { depth: 0, open: true },
            Ty::Array { element, .. } => self.facts[element.index()].deeper(),
            Ty::Constrained(inner, _) | Ty::Cased(_, inner) | Ty::Defined(inner) => self.facts[inner.index()],
            // Without this, the depth of a tuple that grows by one element would stay the same.
            Ty::Tuple { elements, .. } => self.join(elements.iter().map(|element| element.ty)).deeper(),
            Ty::Union(members) | Ty::Intersection(members) | Ty::Builtin(_, members) => {
                self.join(members.iter().copied()).deeper()
            }
            Ty::Branded(base, object) => self.join([*base, *object].into_iter()).deeper(),
            Ty::Deferred(parts) => self.join(parts.iter().copied()).deeper(),
            Ty::Kit(_, arguments) => self.join(arguments.iter().copied()),
            Ty::Template(parts) => self.join(parts.iter().filter_map(|part| match part {
                Segment::Placeholder(placeholder) => Some(*placeholder),
                Segment::Text(_) => None,
            })),
            Ty::Named(instance) => self
                .join(self.instances[instance.index()].args.iter().copied())
                .deeper(),
            Ty::Object(object) => {
                let object = &self.objects[object.index()];
                let properties = object.properties.iter().map(|property| property.ty);
                let index = object.index.iter().flat_map(|index| [index.key, index.value]);
                let functions = object.calls.iter().chain(&object.constructs);
                let functions = functions.flat_map(|function: &Function| {
                    let parameters = function.parameters.iter().map(|parameter| parameter.ty);
                    parameters.chain([function.result]).chain(function.this)
                });
                self.join(properties.chain(index).chain(functions)).deeper()
            }
            Ty::Lazy(lazy) => self.scope_facts[self.lazies[lazy.index()].scope.index()],
            _ => Facts::default(),
        }
    }

    pub(crate) fn object(&mut self, object: Object) -> TyId {
        let object = Rc::new(object);
        let id = if let Some(known) = self.objects_by_key.get(&object) {
            *known
        } else {
            let id = ObjectId::at(self.objects.len());
            self.objects.push(Rc::clone(&object));
            if object.issues.is_empty() {
                self.objects_by_key.insert(object, id);
            }
            id
        };
        self.add(Ty::Object(id))
    }

    pub(crate) fn object_at(&self, id: ObjectId) -> Rc<Object> {
        Rc::clone(&self.objects[id.index()])
    }

    pub(crate) fn lazy(&mut self, node: &'a TSType<'a>, scope: ScopeId) -> TyId {
        let id = LazyId::at(self.lazies.len());
        self.lazies.push(Lazy {
            node,
            scope,
            value: State::Pending,
        });
        self.add(Ty::Lazy(id))
    }

    pub(crate) fn scope(&mut self, scope: Scope<'a>) -> ScopeId {
        let outer = scope
            .parent
            .map_or_else(Facts::default, |parent| self.scope_facts[parent.index()]);
        let facts = outer.join(self.join(scope.bindings.iter().map(|(_, ty)| *ty)));
        self.scopes.push(scope);
        self.scope_facts.push(facts);
        ScopeId::at(self.scopes.len() - 1)
    }

    /// Creates a scope with more names inside of another scope.
    pub(crate) fn inner_scope(&mut self, outer: ScopeId, bindings: Vec<(&'a str, TyId)>) -> ScopeId {
        self.owned_scope(outer, bindings, None)
    }

    /// Creates the scope for the value of a mapped type, in which the type parameter is one key.
    pub(crate) fn key_scope(&mut self, outer: ScopeId, node: &'a TSMappedType<'a>, key: TyId) -> ScopeId {
        let name = node.key.name.as_str();
        self.owned_scope(outer, vec![(name, key)], Some(Owner::Mapped(node)))
    }

    fn owned_scope(
        &mut self,
        outer: ScopeId,
        bindings: Vec<(&'a str, TyId)>,
        owner: Option<Owner<'a>>,
    ) -> ScopeId {
        let module = self.scopes[outer.index()].module;
        self.scope(Scope {
            module,
            parent: Some(outer),
            bindings,
            owner,
        })
    }

    pub(crate) fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes[scope.index()].parent
    }

    pub(crate) fn module_of(&self, scope: ScopeId) -> ModuleId {
        self.scopes[scope.index()].module
    }

    /// Returns the type that a name has in a scope, and the scope that contains the name. Returns `None` if
    /// no scope contains the name.
    pub(crate) fn binding(&self, scope: ScopeId, name: &str) -> Option<(TyId, ScopeId)> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.index()];
            if let Some((_, bound)) = scope.bindings.iter().find(|(known, _)| *known == name) {
                return Some((*bound, id));
            }
            at = scope.parent;
        }
        None
    }

    /// Returns the scope and the construct that declare a type parameter. Skips inner scopes without a
    /// declaration, which a conditional type creates for each member of a union.
    pub(crate) fn binder(&self, scope: ScopeId, name: &str) -> Option<(ScopeId, Owner<'a>)> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.scopes[id.index()];
            if scope.bindings.iter().any(|(known, _)| *known == name)
                && let Some(owner) = scope.owner
            {
                return Some((id, owner));
            }
            at = scope.parent;
        }
        None
    }

    pub(crate) fn doc(&self, id: DocId) -> Rc<Doc> {
        Rc::clone(&self.docs[id.index()])
    }

    /// Returns the id of the comment at a location. Each comment is parsed once.
    pub(crate) fn doc_at(&mut self, module: ModuleId, text: &str, span: Span) -> DocId {
        if let Some(known) = self.docs_by_location.get(&(module, span.start)) {
            return *known;
        }
        let id = DocId::at(self.docs.len());
        self.docs.push(Rc::new(Doc::parse(module, text, span)));
        self.docs_by_location.insert((module, span.start), id);
        id
    }

    /// Adds a doc comment that no source file contains in this form.
    pub(super) fn add_doc(&mut self, doc: Rc<Doc>) -> DocId {
        let id = DocId::at(self.docs.len());
        self.docs.push(doc);
        id
    }

    /// Returns the id of the comment of a property that kit declares. Each comment is parsed once. `location` is the
    /// place in the source that messages about a tag of the comment name.
    pub(crate) fn doc_of_kit(&mut self, text: &'static str, location: Location) -> DocId {
        if let Some(known) = self.docs_of_kit.get(text) {
            return *known;
        }
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let mut doc = Doc::parse(location.module, text, Span::new(0, end));
        for tag in &mut doc.tags {
            tag.location = location;
        }
        let id = DocId::at(self.docs.len());
        self.docs.push(Rc::new(doc));
        self.docs_of_kit.insert(text, id);
        id
    }

    /// Returns a copy of a doc comment whose tags are marked as tags of a placeholder in a template literal
    /// type.
    pub(crate) fn doc_in_template(&mut self, of: DocId) -> DocId {
        if let Some(known) = self.docs_in_templates.get(&of) {
            return *known;
        }
        let mut doc = Doc::clone(&self.docs[of.index()]);
        for tag in &mut doc.tags {
            tag.in_template = true;
        }
        let id = DocId::at(self.docs.len());
        self.docs.push(Rc::new(doc));
        self.docs_in_templates.insert(of, id);
        id
    }

    /// Returns a copy of a comment that has only tags with rules for keys, such as `@maxLength`.
    pub(crate) fn doc_of_keys(&mut self, of: DocId) -> DocId {
        if let Some(known) = self.docs_of_keys.get(&of) {
            return *known;
        }
        let mut doc = Doc::clone(&self.docs[of.index()]);
        let before = doc.tags.len();
        doc.tags.retain(|tag| tag.name.is_constraint());
        let id = if doc.tags.len() == before {
            of
        } else {
            self.docs.push(Rc::new(doc));
            DocId::at(self.docs.len() - 1)
        };
        self.docs_of_keys.insert(of, id);
        id
    }

    pub(crate) fn reject(&mut self, diagnostic: Diagnostic) -> TyId {
        let id = InvalidId::at(self.invalid.len());
        self.invalid.push(diagnostic);
        self.add(Ty::Invalid(id))
    }

    /// Adds a note to the error of an invalid type, if it does not have the note.
    pub(super) fn add_note(&mut self, invalid: TyId, note: &str) {
        if let Ty::Invalid(id) = *self.get(invalid) {
            let notes = &mut self.invalid[id.index()].notes;
            if !notes.iter().any(|known| known == note) {
                notes.push(note.to_owned());
            }
        }
    }

    pub(crate) fn text(&mut self, text: &str) -> TyId {
        self.add(Ty::Literal(Literal::string(text)))
    }

    pub(crate) fn named(&mut self, decl: DeclId, args: Rc<[TyId]>) -> TyId {
        self.named_with_this(decl, args, None)
    }

    /// Returns an instance of a declaration in which `this` means a type that extends the instance.
    pub(crate) fn named_with_this(&mut self, decl: DeclId, args: Rc<[TyId]>, this: Option<TyId>) -> TyId {
        let key = (decl, args, this);
        let id = if let Some(known) = self.instances_by_key.get(&key) {
            *known
        } else {
            let id = InstanceId::at(self.instances.len());
            self.instances.push(Instance {
                decl,
                args: Rc::clone(&key.1),
                this,
                body: State::Pending,
            });
            *self.instance_counts.entry(decl).or_default() += 1;
            self.instances_by_key.insert(key, id);
            id
        };
        self.add(Ty::Named(id))
    }

    /// Returns the number of instances of a declaration.
    pub(crate) fn instance_count(&self, decl: DeclId) -> usize {
        self.instance_counts.get(&decl).copied().unwrap_or(0)
    }
}
