//! Types while they are being evaluated: interned, lazy, and able to hold an error until somebody needs the type.

use std::collections::HashMap;

use kit_diagnostics::Diagnostic;
use kit_ir::LiteralValue;
use oxc_ast::ast::TSType;

use crate::docs::Doc;
use crate::modules::{DeclId, ModuleId, Place};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn at(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 of them"))
            }

            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A [`Ty`]. Equal ids are equal types; different ids may be.
    TyId,
    /// A [`Object`].
    ObjectId,
    /// A [`Lazy`].
    LazyId,
    /// A [`Instance`].
    InstanceId,
    /// A [`Scope`].
    ScopeId,
    /// A doc comment.
    DocId,
    /// A diagnostic that a type holds.
    InvalidId
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Unknown,
    Never,
    Null,
    /// `undefined` and `void`.
    Undefined,
    Boolean,
    Number,
    String,
    BigInt,
    Date,
    Bytes,
    Literal(Literal),
    Template(Vec<Part>),
    Array(TyId),
    Tuple(Vec<Element>),
    Object(ObjectId),
    /// Flat, without duplicates, at least two.
    Union(Vec<TyId>),
    /// Not evaluated before its shape is asked for, as members may recurse.
    Intersection(Vec<TyId>),
    /// `RouteContract<params, query, body, response>`.
    Contract([TyId; 4]),
    /// A declared type with its arguments, evaluated when its shape is asked for.
    Named(InstanceId),
    /// A type expression that nobody has looked at yet.
    Lazy(LazyId),
    /// A type that the tags of a comment constrain.
    Constrained(TyId, DocId),
    /// A mistake. It is reported only if a declaration, an entity or a route needs the type.
    Invalid(InvalidId),
}

/// A literal's value; numbers by their bits, so that it can be a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
    String(String),
    Number(u64),
    Boolean(bool),
    BigInt(String),
}

impl Literal {
    pub(crate) fn number(value: f64) -> Self {
        // -0 and 0 are one literal type.
        Self::Number(if value == 0.0 { 0.0_f64 } else { value }.to_bits())
    }

    /// The property name that the literal is as a key, which is also its text in a template.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::String(text) | Self::BigInt(text) => text.clone(),
            Self::Number(bits) => number_name(f64::from_bits(*bits)),
            Self::Boolean(value) => value.to_string(),
        }
    }

    pub(crate) fn value(&self) -> LiteralValue {
        match self {
            Self::String(text) => LiteralValue::String(text.clone()),
            Self::Number(bits) => LiteralValue::Number(f64::from_bits(*bits)),
            Self::Boolean(value) => LiteralValue::Boolean(*value),
            Self::BigInt(digits) => LiteralValue::BigInt(digits.clone()),
        }
    }
}

/// A number as a property name: the text that JavaScript makes of it, `1e+21` where Rust writes all the zeros.
pub(crate) fn number_name(value: f64) -> String {
    let size = value.abs();
    if size.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 || (1e-6..1e21).contains(&size) {
        // -0 is `0`.
        return if value == 0.0 { 0.0 } else { value }.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Text(String),
    Hole(TyId),
}

/// An element of a tuple.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Element {
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    pub(crate) rest: bool,
    pub(crate) label: Option<String>,
}

/// An object type.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) properties: Vec<Prop>,
    pub(crate) index: Option<TyId>,
    /// Mistakes of the object as a whole.
    pub(crate) issues: Vec<Diagnostic>,
}

/// A property with what its comment says. Mapped types copy it, and so its tags survive.
#[derive(Debug, Clone)]
pub(crate) struct Prop {
    pub(crate) name: String,
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    /// `undefined` in the type does not make it optional: what `Required` does.
    pub(crate) required: bool,
    pub(crate) doc: Option<DocId>,
    pub(crate) place: Place,
}

/// A declaration with type arguments.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) decl: DeclId,
    pub(crate) args: Vec<TyId>,
    pub(crate) body: State,
}

/// A type expression with the scope in which its names mean something.
pub(crate) struct Lazy<'a> {
    pub(crate) node: &'a TSType<'a>,
    pub(crate) scope: ScopeId,
    pub(crate) value: State,
}

/// How far an evaluation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    InProgress,
    Done(TyId),
}

/// What names mean: a module's, below the type parameters that are bound.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    pub(crate) bindings: Vec<(&'a str, TyId)>,
}

/// Owner of everything that ids stand for.
#[derive(Default)]
pub(crate) struct Store<'a> {
    types: Vec<Ty>,
    /// How deeply each type is nested; bounds expansion without end.
    depths: Vec<u32>,
    interned: HashMap<Ty, TyId>,
    pub(crate) objects: Vec<Object>,
    pub(crate) instances: Vec<Instance>,
    instances_by_key: HashMap<(DeclId, Vec<TyId>), InstanceId>,
    pub(crate) lazies: Vec<Lazy<'a>>,
    pub(crate) scopes: Vec<Scope<'a>>,
    pub(crate) docs: Vec<Doc>,
    pub(crate) invalid: Vec<Diagnostic>,
}

impl<'a> Store<'a> {
    pub(crate) fn get(&self, id: TyId) -> &Ty {
        &self.types[id.index()]
    }

    pub(crate) fn depth(&self, id: TyId) -> u32 {
        self.depths[id.index()]
    }

    pub(crate) fn add(&mut self, ty: Ty) -> TyId {
        if let Some(known) = self.interned.get(&ty) {
            return *known;
        }
        let deepest = |ids: &mut dyn Iterator<Item = TyId>| ids.map(|id| self.depth(id)).max().unwrap_or(0);
        let depth = match &ty {
            Ty::Array(element) => deepest(&mut [*element].into_iter()) + 1,
            Ty::Constrained(inner, _) => deepest(&mut [*inner].into_iter()),
            Ty::Tuple(elements) => deepest(&mut elements.iter().map(|element| element.ty)) + 1,
            Ty::Union(members) | Ty::Intersection(members) => deepest(&mut members.iter().copied()) + 1,
            Ty::Named(instance) => deepest(&mut self.instances[instance.index()].args.iter().copied()) + 1,
            Ty::Object(object) => {
                let object = &self.objects[object.index()];
                deepest(&mut object.properties.iter().map(|property| property.ty)) + 1
            }
            Ty::Lazy(lazy) => {
                let scope = self.lazies[lazy.index()].scope;
                deepest(&mut self.scopes[scope.index()].bindings.iter().map(|(_, ty)| *ty))
            }
            _ => 0,
        };
        let id = TyId::at(self.types.len());
        self.types.push(ty.clone());
        self.depths.push(depth);
        self.interned.insert(ty, id);
        id
    }

    pub(crate) fn object(&mut self, object: Object) -> TyId {
        let id = ObjectId::at(self.objects.len());
        self.objects.push(object);
        self.add(Ty::Object(id))
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
        self.scopes.push(scope);
        ScopeId::at(self.scopes.len() - 1)
    }

    pub(crate) fn doc(&mut self, doc: Doc) -> DocId {
        self.docs.push(doc);
        DocId::at(self.docs.len() - 1)
    }

    pub(crate) fn reject(&mut self, diagnostic: Diagnostic) -> TyId {
        let id = InvalidId::at(self.invalid.len());
        self.invalid.push(diagnostic);
        self.add(Ty::Invalid(id))
    }

    pub(crate) fn named(&mut self, decl: DeclId, args: Vec<TyId>) -> TyId {
        let key = (decl, args);
        let id = if let Some(known) = self.instances_by_key.get(&key) {
            *known
        } else {
            let id = InstanceId::at(self.instances.len());
            self.instances.push(Instance {
                decl,
                args: key.1.clone(),
                body: State::Pending,
            });
            self.instances_by_key.insert(key, id);
            id
        };
        self.add(Ty::Named(id))
    }
}
