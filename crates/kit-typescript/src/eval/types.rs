//! Types during evaluation. A type may be a mistake, which is reported only if something needs the type.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use kit_diagnostics::Diagnostic;
use kit_ir::LiteralValue;
use oxc_ast::ast::{TSMappedType, TSType};

use super::kit_types::KitType;
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
    /// Id of a [`Ty`]. Types with the same id are equal, but types with different ids may be equal too.
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
    /// Id of the diagnostic of a [`Ty::Invalid`].
    InvalidId
}

/// A type during evaluation.
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
    /// A class or an interface of TypeScript that kit knows only by name, with its type arguments: `Map<K,
    /// V>`.
    Builtin(&'static str, Rc<[TyId]>),
    /// `unique symbol`. Two of these types are equal if the locations of their declarations are equal.
    UniqueSymbol(Location),
    Literal(Literal),
    EnumMember(EnumMember),
    Template(Rc<[Segment]>),
    /// `Uppercase<string>` or a similar type, if the string is not known.
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
    /// A union of two or more types. Nested unions are flattened, and duplicates are removed.
    Union(Rc<[TyId]>),
    /// An intersection. It is evaluated when its shape is needed, because its members may refer to the
    /// intersection itself.
    Intersection(Rc<[TyId]>),
    /// Intersection of a type that is not an object with an object type (the brand):
    /// `string & { __brand: "UserId" }`. A value on the wire has only the first type.
    Branded(TyId, TyId),
    /// A type of kit that describes a route, with its type arguments: `Reply<201, Order>`.
    Kit(KitType, Rc<[TyId]>),
    /// A declared type with its type arguments. The declared type is evaluated when its shape is needed.
    Named(InstanceId),
    /// A type expression that is evaluated when its shape is needed.
    Lazy(LazyId),
    /// A type with rules, such as a maximum length. The shape of the type does not contain the rules.
    Constrained(TyId, RuleSource),
    /// A type without `undefined`. The type is evaluated later, because `Required<T>` must not evaluate the
    /// types of properties while `T` is being evaluated.
    Defined(TyId),
    /// A type parameter of a generic function, by its number. The parameters of the outermost function have
    /// the lowest numbers.
    Parameter(u32),
    /// `infer U` in the pattern of a conditional type, by its number.
    Infer(u32),
    /// A conditional type that cannot be decided, because it checks a [`Ty::Parameter`]: the checked type,
    /// the type after `extends`, and the two branches.
    Deferred([TyId; 4]),
    /// A type with an error. The error is reported only if a declaration, an entity or a route needs the
    /// type.
    Invalid(InvalidId),
}

/// Source of the rules of a [`Ty::Constrained`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RuleSource {
    /// The tags of a doc comment.
    Doc(DocId),
    /// The database column that stores the values.
    Column,
}

/// Types of TypeScript that change the case of a string, such as `Uppercase`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Case {
    Upper,
    Lower,
    Capital,
    Uncapital,
}

/// A member of an enum. The member is a separate type, even if another member has the same value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct EnumMember {
    pub(crate) decl: DeclId,
    pub(crate) index: u32,
    pub(crate) value: Literal,
}

/// Value of a literal type. A number is stored as its bits, so that a literal can be a key of a map.
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
        // -0 and 0 are the same literal type.
        Self::Number(if value == 0.0 { 0.0_f64 } else { value }.to_bits())
    }

    /// Returns the literal as a property name, which is also its text in a template: `1` gives `"1"`.
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

/// Returns true if a name is a number as JavaScript prints it, such as `7` but not `07`. `[key: number]`
/// accepts it.
pub(crate) fn is_numeric_name(name: &str) -> bool {
    name.parse::<f64>()
        .is_ok_and(|value| kit_analysis::number_text(value) == name)
}

/// A part of a template literal type: fixed text or a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Segment {
    Text(Rc<str>),
    Placeholder(TyId),
}

/// An element of a tuple, or a parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Element {
    /// Type of the element. For a rest element `...A[]`, this is the type `A` of an item, unless `whole` is
    /// true.
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    pub(crate) rest: bool,
    /// True if the type of a rest element is the type of the whole list and not of an item. This is so in
    /// functions, and in patterns such as `...infer Rest`.
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
    /// True for an interface or a class, which TypeScript does not allow to assign to an index signature.
    pub(crate) nominal: bool,
    /// True for a type with `@dataOnly`, whose methods and private members are left out.
    pub(crate) data_only: bool,
    /// Errors that concern the object as a whole and not one of its properties.
    pub(crate) issues: Vec<Diagnostic>,
}

impl Object {
    /// Adds a property. If the object has a property with the same name, the new property replaces that property
    /// in its position.
    pub(super) fn insert(&mut self, property: Property) {
        match self
            .properties
            .iter_mut()
            .find(|known| known.name == property.name)
        {
            Some(known) => *known = property,
            None => self.properties.push(property),
        }
    }

    fn key(&self) -> impl PartialEq + Hash + '_ {
        (
            &self.properties,
            &self.index,
            &self.calls,
            &self.constructs,
            (self.nominal, self.data_only),
            self.issues.len(),
        )
    }

    /// Returns the property with the given name.
    pub(crate) fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| &*property.name == name)
    }

    /// Returns the properties that `keyof` and mapped types see: all but private and protected members.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Property> {
        self.properties
            .iter()
            .filter(|property| property.private_name().is_none())
    }

    /// Returns true for a type without required members, such as `{}`. Every value except `null` and
    /// `undefined` fits this type.
    pub(crate) fn accepts_anything_but_null(&self) -> bool {
        self.properties.is_empty() && self.index.is_empty() && !self.is_function() && self.issues.is_empty()
    }

    /// Returns true if the type is a function type.
    pub(crate) fn is_function(&self) -> bool {
        !self.calls.is_empty() || !self.constructs.is_empty()
    }
}

/// Compares two objects without the locations of their properties.
impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.properties == other.properties
            && self.index == other.index
            && self.calls == other.calls
            && self.constructs == other.constructs
            && self.nominal == other.nominal
            && self.data_only == other.data_only
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
    /// A number such as `1`. `keyof` returns the key as a number.
    Number,
    /// A symbol. The name of the property contains the location of the symbol. JSON has no such keys.
    Symbol,
}

/// A property with its doc comment. A mapped type copies the property with its doc tags.
#[derive(Debug, Clone)]
pub(crate) struct Property {
    pub(crate) name: Rc<str>,
    pub(crate) key: KeyKind,
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    /// True if the property is required although its type contains `undefined`, as in `Required`.
    pub(crate) required: bool,
    pub(crate) readonly: bool,
    /// True if only the text of the comment applies, because a mapped type gave the property another type.
    pub(crate) text_only_doc: bool,
    /// True if the property is stored in a column of a table, because it belongs to an entity.
    pub(crate) column: bool,
    pub(crate) doc: Option<DocId>,
    pub(crate) location: Location,
}

/// Prefix for the names of private and protected members. No property in the source contains its character NUL.
const HIDDEN: &str = "\0hidden ";

impl Property {
    /// Returns the internal name of a private or protected member. The name contains the location, so that
    /// members with the same name in different classes differ.
    pub(crate) fn hidden_name(name: &str, location: Location) -> Rc<str> {
        format!("{HIDDEN}{}:{} {name}", location.module.0, location.span.start).into()
    }

    /// Returns the name of a private or protected member in the source; `None` for any other property.
    pub(crate) fn private_name(&self) -> Option<&str> {
        let rest = self.name.strip_prefix(HIDDEN)?;
        rest.split_once(' ').map(|(_, name)| name)
    }

    fn key(&self) -> impl PartialEq + Hash + '_ {
        (
            &*self.name,
            self.key,
            self.ty,
            (self.optional, self.required, self.readonly),
            (self.text_only_doc, self.column),
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

/// An index signature. The type of its keys is `string`, `number`, `symbol` or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    pub(crate) key: TyId,
    /// Key type with its rules: `Code` in `Record<Code, V>`. `None` if the key type has no rules.
    /// Assignability does not compare rules.
    pub(crate) ruled: Option<TyId>,
    pub(crate) value: TyId,
}

impl Index {
    /// Creates an index signature whose key type has no rules.
    pub(crate) fn plain(key: TyId, value: TyId) -> Self {
        Self {
            key,
            ruled: None,
            value,
        }
    }
}

/// Signature of a function or a constructor.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Function {
    pub(crate) this: Option<TyId>,
    /// Parameters. The last parameter may be a rest parameter, whose type is the type of the whole list.
    pub(crate) parameters: Rc<[Element]>,
    pub(crate) result: TyId,
    pub(crate) generic: Generic,
    /// True for a method, whose parameters are compared in both directions, as in TypeScript.
    pub(crate) method: bool,
    /// True for `abstract new`, which no expression may call.
    pub(crate) is_abstract: bool,
}

/// Index of a generic signature in the evaluator. `None` if the function has no type parameters. Comparisons
/// of functions ignore the index, because the other fields describe the same signature.
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

/// A declaration with its type arguments.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) decl: DeclId,
    pub(crate) args: Rc<[TyId]>,
    /// Type that `this` means if it is a type that extends this instance. Otherwise `None`.
    pub(crate) this: Option<TyId>,
    pub(crate) body: State,
}

/// A type expression that is not evaluated yet, with the scope of its names.
pub(crate) struct Lazy<'a> {
    pub(crate) node: &'a TSType<'a>,
    pub(crate) scope: ScopeId,
    pub(crate) value: State,
}

/// Progress of the evaluation of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Pending,
    InProgress,
    Done(TyId),
}

/// Scope of names. A name is searched among the bindings, then in the parent scope, then in the module.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    pub(crate) parent: Option<ScopeId>,
    pub(crate) bindings: Vec<(&'a str, TyId)>,
    /// Construct that declares the type parameters in the scope; `None` for any other scope.
    pub(crate) owner: Option<Owner<'a>>,
}

/// Construct that declares type parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner<'a> {
    Declaration(DeclId),
    /// A mapped type, which declares the parameter `K` of `{ [K in keyof T]: … }`.
    Mapped(&'a TSMappedType<'a>),
}
