//! Types during evaluation: interned and lazy. A type may be a mistake, which is reported only if the type is needed.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use kit_diagnostics::Diagnostic;
use kit_ir::LiteralValue;
use oxc_ast::ast::{TSMappedType, TSType};

use crate::modules::{DeclId, Location, ModuleId};

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
    /// Id of a [`Ty`]. Equal ids are equal types; types with different ids may be equal too.
    TyId,
    /// Id of an [`Object`].
    ObjectId,
    /// Id of a [`Lazy`].
    LazyId,
    /// Id of an [`Instance`].
    InstanceId,
    /// Id of a [`Scope`].
    ScopeId,
    /// Id of a doc comment.
    DocId,
    /// Id of a diagnostic of a type.
    InvalidId
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Any,
    Unknown,
    Never,
    Null,
    /// `undefined` and `void`.
    Undefined,
    Boolean,
    Number,
    String,
    BigInt,
    Symbol,
    /// `object`: every value that is not a primitive.
    NonPrimitive,
    Date,
    Bytes,
    /// A class that TypeScript declares and kit only knows by name, with its arguments: `Promise<string>`, `Map<K, V>`.
    Builtin(&'static str, Rc<[TyId]>),
    /// `unique symbol`, identified by the location of its declaration.
    UniqueSymbol(Location),
    Literal(Literal),
    EnumMember(EnumMember),
    Template(Rc<[Segment]>),
    /// `Uppercase<string>` and similar types, if the string is not known.
    Cased(Case, TyId),
    Array {
        element: TyId,
        readonly: bool,
    },
    Tuple {
        elements: Rc<[Element]>,
        readonly: bool,
    },
    Object(ObjectId),
    /// A flattened union without duplicates, with two or more members.
    Union(Rc<[TyId]>),
    /// An intersection. Not evaluated until its shape is needed, because members may be recursive.
    Intersection(Rc<[TyId]>),
    /// Shape of an intersection of a type that is not an object with an object type: `string & { __brand: "UserId" }`. No
    /// value on the wire has the object's members.
    Branded(TyId, TyId),
    /// `RouteContract<params, query, body, response>`.
    Contract([TyId; 4]),
    /// A declared type with its arguments, evaluated when its shape is needed.
    Named(InstanceId),
    /// A type expression that is not evaluated yet.
    Lazy(LazyId),
    /// A type with rules that are not a part of its shape.
    Constrained(TyId, RuleSource),
    /// A type without `undefined`, evaluated lazily: `Required<T>` must not evaluate the types of its properties, which may
    /// refer to the type that is being evaluated.
    Defined(TyId),
    /// A type parameter of a generic function type, by its number from the outermost one.
    Parameter(u32),
    /// `infer U` during the matching of a pattern.
    Infer(u32),
    /// A conditional type on a [`Ty::Parameter`], which cannot be decided: check, extends, and the two results.
    Deferred([TyId; 4]),
    /// A mistake, reported only if a declaration, an entity or a route needs the type.
    Invalid(InvalidId),
}

/// Origin of the rules of a [`Ty::Constrained`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RuleSource {
    /// The tags of a comment.
    Doc(DocId),
    /// The column that stores the values.
    Column,
}

/// The string intrinsics of TypeScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    Upper,
    Lower,
    Capital,
    Uncapital,
}

/// A member of an enum. Each member is a separate type, also if values are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct EnumMember {
    pub(crate) decl: DeclId,
    pub(crate) index: u32,
    pub(crate) value: Literal,
}

/// Value of a literal. Numbers are stored as bits, so that a literal can be a key of a map.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
    String(Rc<str>),
    Number(u64),
    Boolean(bool),
    BigInt(Rc<str>),
}

impl Literal {
    pub(crate) fn string(text: &str) -> Self {
        Self::String(text.into())
    }

    pub(crate) fn number(value: f64) -> Self {
        // -0 and 0 are one literal type.
        Self::Number(if value == 0.0 { 0.0_f64 } else { value }.to_bits())
    }

    /// Returns the property name of the literal as a key, which is also its text in a template.
    pub(crate) fn name(&self) -> Rc<str> {
        match self {
            Self::String(text) | Self::BigInt(text) => Rc::clone(text),
            Self::Number(bits) => kit_analysis::number_text(f64::from_bits(*bits)).into(),
            Self::Boolean(value) => if *value { "true" } else { "false" }.into(),
        }
    }

    pub(crate) fn value(&self) -> LiteralValue {
        match self {
            Self::String(text) => LiteralValue::String(text.to_string()),
            Self::Number(bits) => LiteralValue::Number(f64::from_bits(*bits)),
            Self::Boolean(value) => LiteralValue::Boolean(*value),
            Self::BigInt(digits) => LiteralValue::BigInt(digits.to_string()),
        }
    }

    /// Returns the primitive type of the literal.
    pub(crate) fn primitive(&self) -> Ty {
        match self {
            Self::String(_) => Ty::String,
            Self::Number(_) => Ty::Number,
            Self::Boolean(_) => Ty::Boolean,
            Self::BigInt(_) => Ty::BigInt,
        }
    }
}

/// Returns true if JavaScript prints a number with this name, so that `[key: number]` applies to the name.
pub(crate) fn is_numeric_name(name: &str) -> bool {
    name.parse::<f64>()
        .is_ok_and(|value| kit_analysis::number_text(value) == name)
}

/// A segment of a template literal type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Segment {
    Text(Rc<str>),
    Hole(TyId),
}

/// An element of a tuple, or a parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Element {
    /// Type of the element; for a rest element the type of each item, unless `whole` is true.
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    pub(crate) rest: bool,
    /// True if the type of a rest element is that of the whole list and not of its items: in functions, and in patterns
    /// (`...infer Rest`) whose list is not known yet.
    pub(crate) whole: bool,
    pub(crate) label: Option<Rc<str>>,
}

impl Element {
    pub(crate) fn plain(ty: TyId) -> Self {
        Self {
            ty,
            optional: false,
            rest: false,
            whole: false,
            label: None,
        }
    }

    pub(crate) fn rest(ty: TyId) -> Self {
        Self {
            rest: true,
            ..Self::plain(ty)
        }
    }

    pub(crate) fn whole(ty: TyId) -> Self {
        Self {
            whole: true,
            ..Self::rest(ty)
        }
    }
}

/// An object type.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) properties: Vec<Property>,
    pub(crate) index: Vec<Index>,
    pub(crate) calls: Vec<Function>,
    pub(crate) constructs: Vec<Function>,
    /// True for an interface or a class. In TypeScript only other objects are assignable to an index signature.
    pub(crate) nominal: bool,
    /// Mistakes of the object as a whole.
    pub(crate) issues: Vec<Diagnostic>,
}

impl Object {
    fn key(&self) -> impl PartialEq + Hash + '_ {
        (
            &self.properties,
            &self.index,
            &self.calls,
            &self.constructs,
            self.nominal,
            self.issues.len(),
        )
    }

    /// Returns the property with the given name.
    pub(crate) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| &*property.name == name)
    }

    /// Returns the properties without private and protected members, for `keyof` and mapped types.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Property> {
        self.properties
            .iter()
            .filter(|property| property.hidden().is_none())
    }

    /// Returns true for a type without requirements such as `{}`: every value except null and undefined fits.
    pub(crate) fn accepts_anything_but_null(&self) -> bool {
        self.properties.is_empty() && self.index.is_empty() && !self.is_function() && self.issues.is_empty()
    }

    /// Returns true if the type is a function type.
    pub(crate) fn is_function(&self) -> bool {
        !self.calls.is_empty() || !self.constructs.is_empty()
    }
}

/// Objects are equal if no value and no message distinguishes them. Locations are not compared.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.properties == other.properties
            && self.index == other.index
            && self.calls == other.calls
            && self.constructs == other.constructs
            && self.nominal == other.nominal
            && self.issues.is_empty()
            && other.issues.is_empty()
    }
}

impl Eq for Object {}

impl Hash for Object {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// Kind of a property's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KeyKind {
    Text,
    /// A numeric key such as `1`, whose `keyof` is a number.
    Number,
    /// A symbol; the property's name contains the location of the symbol. JSON has no such keys.
    Symbol,
}

/// A property with its comment. Mapped types copy the property with its tags.
#[derive(Debug, Clone)]
pub(crate) struct Property {
    pub(crate) name: Rc<str>,
    pub(crate) key: KeyKind,
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    /// True if `undefined` in the type does not make the property optional, as after `Required`.
    pub(crate) required: bool,
    pub(crate) readonly: bool,
    /// True if the comment belongs to another type, from which this type was mapped: only the text of the comment applies.
    pub(crate) text_only_doc: bool,
    /// True for a property of an entity, which is stored in a column of the table.
    pub(crate) column: bool,
    pub(crate) doc: Option<DocId>,
    pub(crate) location: Location,
}

/// Prefix of the name of a private or protected member. The NUL keeps the name different from every property of the user.
const HIDDEN: &str = "\0hidden ";

impl Property {
    /// Returns the internal name of a private or protected member. The name contains the location, so only the class itself
    /// and its subclasses have this member, even if other classes use the same name.
    pub(crate) fn hidden_name(name: &str, location: Location) -> Rc<str> {
        format!("{HIDDEN}{}:{} {name}", location.module.0, location.span.start).into()
    }

    /// Returns the source name of a private or protected member; `None` for any other property.
    pub(crate) fn hidden(&self) -> Option<&str> {
        let rest = self.name.strip_prefix(HIDDEN)?;
        rest.split_once(' ').map(|(_, name)| name)
    }

    fn key(&self) -> impl PartialEq + Hash + '_ {
        (
            &*self.name,
            self.key,
            self.ty,
            (
                self.optional,
                self.required,
                self.readonly,
                self.text_only_doc,
                self.column,
            ),
            self.doc,
        )
    }
}

impl PartialEq for Property {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Property {}

impl Hash for Property {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// An index signature. Its key is `string`, `number`, `symbol` or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    pub(crate) key: TyId,
    /// Key with the rules of comments: `Code` in `Record<Code, V>`. `None` for a key without rules. Assignability ignores
    /// rules.
    pub(crate) ruled: Option<TyId>,
    pub(crate) value: TyId,
}

impl Index {
    /// Creates an index signature whose keys have no rules.
    pub(crate) fn plain(key: TyId, value: TyId) -> Self {
        Self {
            key,
            ruled: None,
            value,
        }
    }
}

/// A call or construct signature.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Function {
    pub(crate) this: Option<TyId>,
    /// Parameters. The last one may be a rest parameter, whose type is that of the whole array.
    pub(crate) parameters: Rc<[Element]>,
    pub(crate) result: TyId,
    pub(crate) generic: Generic,
    /// True for a method: parameters are compared in both directions, like in TypeScript.
    pub(crate) method: bool,
}

/// Number of a generic signature in the evaluator; `None` without type parameters. The number itself is ignored when
/// functions are compared, because their other fields describe the same signature.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Generic(pub(crate) Option<u32>);

impl PartialEq for Generic {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() == other.0.is_some()
    }
}

impl Eq for Generic {}

impl Hash for Generic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.is_some().hash(state);
    }
}

/// A declaration with type arguments.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) decl: DeclId,
    pub(crate) args: Rc<[TyId]>,
    /// Meaning of `this` in the instance if a type that extends it has another one.
    pub(crate) this: Option<TyId>,
    pub(crate) body: State,
}

/// A type expression with the scope in which its names are resolved.
pub(crate) struct Lazy<'a> {
    pub(crate) node: &'a TSType<'a>,
    pub(crate) scope: ScopeId,
    pub(crate) value: State,
}

/// Progress of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    InProgress,
    Done(TyId),
}

/// Scope of names: the bound type parameters, then the outer scope, then the module.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    pub(crate) parent: Option<ScopeId>,
    pub(crate) bindings: Vec<(&'a str, TyId)>,
    /// Owner of the bound parameters: a mapped type needs their constraints.
    pub(crate) owner: Option<Owner<'a>>,
}

/// Construct that has type parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner<'a> {
    Declaration(DeclId),
    /// Parameter `K` of `{ [K in keyof T]: … }`.
    Mapped(&'a TSMappedType<'a>),
}
