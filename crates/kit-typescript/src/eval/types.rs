//! Types while they are being evaluated: interned, lazy, and able to hold an error until somebody needs the type.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use kit_diagnostics::Diagnostic;
use kit_ir::LiteralValue;
use oxc_ast::ast::{TSMappedType, TSType};

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
    /// `object`: whatever is no primitive.
    NonPrimitive,
    Date,
    Bytes,
    /// A class that TypeScript declares and kit knows by name only, with its arguments: `Promise<string>`, `Map<K, V>`.
    Builtin(&'static str, Rc<[TyId]>),
    /// `unique symbol`, told apart by where it is declared.
    UniqueSymbol(Place),
    Literal(Literal),
    EnumMember(EnumMember),
    Template(Rc<[Part]>),
    /// `Uppercase<string>` and its kin, where the text is not known.
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
    /// Flat, without duplicates, at least two.
    Union(Rc<[TyId]>),
    /// Not evaluated before its shape is asked for, as members may recurse.
    Intersection(Rc<[TyId]>),
    /// The shape of an intersection of a type that is no object with an object type, which no value on the wire has:
    /// `string & { __brand: "UserId" }`.
    Branded(TyId, TyId),
    /// `RouteContract<params, query, body, response>`.
    Contract([TyId; 4]),
    /// A declared type with its arguments, evaluated when its shape is asked for.
    Named(InstanceId),
    /// A type expression that nobody has looked at yet.
    Lazy(LazyId),
    /// A type with rules that do not show in its shape.
    Constrained(TyId, RuleSource),
    /// A type without `undefined`, evaluated when it is asked for: `Required<T>` must not look into the types of its
    /// properties, which may lead back to the type that is being evaluated.
    Defined(TyId),
    /// A type parameter of a generic function type, by its number from the outermost one.
    Parameter(u32),
    /// `infer U` while a pattern is matched.
    Infer(u32),
    /// A conditional type on a [`Ty::Parameter`], which cannot be decided: check, extends, and the two results.
    Deferred([TyId; 4]),
    /// A mistake. It is reported only if a declaration, an entity or a route needs the type.
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

/// A member of an enum; a type of its own, whatever its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct EnumMember {
    pub(crate) decl: DeclId,
    pub(crate) index: u32,
    pub(crate) value: Literal,
}

/// A literal's value; numbers by their bits, so that it can be a key.
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

    /// The property name that the literal is as a key, which is also its text in a template.
    pub(crate) fn name(&self) -> Rc<str> {
        match self {
            Self::String(text) | Self::BigInt(text) => Rc::clone(text),
            Self::Number(bits) => number_name(f64::from_bits(*bits)).into(),
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

    /// The primitive that the literal is a value of.
    pub(crate) fn primitive(&self) -> Ty {
        match self {
            Self::String(_) => Ty::String,
            Self::Number(_) => Ty::Number,
            Self::Boolean(_) => Ty::Boolean,
            Self::BigInt(_) => Ty::BigInt,
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

/// Whether JavaScript writes some number as this name: what falls under `[key: number]`.
pub(crate) fn is_numeric_name(name: &str) -> bool {
    name.parse::<f64>().is_ok_and(|value| number_name(value) == name)
}

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    Text(Rc<str>),
    Hole(TyId),
}

/// An element of a tuple, or a parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Element {
    /// Its type; of a rest element the type of each item, unless it is `whole`.
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    pub(crate) rest: bool,
    /// The type of a rest element is that of the whole list, not of its items: in functions, and in patterns
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
    pub(crate) properties: Vec<Prop>,
    pub(crate) index: Vec<Index>,
    pub(crate) calls: Vec<Function>,
    pub(crate) constructs: Vec<Function>,
    /// An interface or a class. TypeScript lets only other objects pass for one with an index signature.
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

    /// The property of that name.
    pub(crate) fn property(&self, name: &str) -> Option<&Prop> {
        self.properties.iter().find(|property| &*property.name == name)
    }

    /// The properties without private and protected members: what `keyof` and mapped types see.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Prop> {
        self.properties
            .iter()
            .filter(|property| property.hidden().is_none())
    }

    /// Returns true for a type that asks for nothing, as `{}` does: every value but null and undefined fits.
    pub(crate) fn asks_nothing(&self) -> bool {
        self.properties.is_empty() && self.index.is_empty() && !self.is_function() && self.issues.is_empty()
    }

    /// Whether it is a function type and nothing else.
    pub(crate) fn is_function(&self) -> bool {
        !self.calls.is_empty() || !self.constructs.is_empty()
    }
}

/// Equal where no value and no message tells them apart; places do not count.
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

/// What a property was named with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum KeyKind {
    Text,
    /// `1`, whose `keyof` is a number.
    Number,
    /// A symbol: the name is its place. JSON has no such keys.
    Symbol,
}

/// A property with what its comment says. Mapped types copy it, and so its tags survive.
#[derive(Debug, Clone)]
pub(crate) struct Prop {
    pub(crate) name: Rc<str>,
    pub(crate) key: KeyKind,
    pub(crate) ty: TyId,
    pub(crate) optional: bool,
    /// `undefined` in the type does not make it optional: what `Required` does.
    pub(crate) required: bool,
    pub(crate) readonly: bool,
    /// The comment speaks of another type, from which this one was mapped: only its text counts.
    pub(crate) remapped: bool,
    /// The property is one of an entity, and so is stored in a column of its table.
    pub(crate) column: bool,
    pub(crate) doc: Option<DocId>,
    pub(crate) place: Place,
}

/// Prefix of the name of a private or protected member; no property of the user's can have it.
const HIDDEN: &str = "\0hidden ";

impl Prop {
    /// The name under which a private or protected member stands. Only the class itself and what extends it have a member of
    /// this name, whatever other classes call theirs.
    pub(crate) fn hidden_name(name: &str, place: Place) -> Rc<str> {
        format!("{HIDDEN}{}:{} {name}", place.module.0, place.span.start).into()
    }

    /// The name that a private or protected member was written with; nothing for any other property.
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
                self.remapped,
                self.column,
            ),
            self.doc,
        )
    }
}

impl PartialEq for Prop {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Prop {}

impl Hash for Prop {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

/// An index signature. Its key is `string`, `number`, `symbol` or a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Index {
    pub(crate) key: TyId,
    /// The key with the rules that comments give it: `Code` of `Record<Code, V>`. Nothing for a key without rules. Relations of
    /// types do not look at rules.
    pub(crate) ruled: Option<TyId>,
    pub(crate) value: TyId,
}

impl Index {
    /// An index signature whose keys have no rules.
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
    /// Parameters; the last may be a rest parameter, whose type is that of the whole array.
    pub(crate) parameters: Rc<[Element]>,
    pub(crate) result: TyId,
    pub(crate) generic: Generic,
    /// Methods compare their parameters both ways, as TypeScript does.
    pub(crate) method: bool,
}

/// The number of a generic signature among the evaluator's; nothing for one without type parameters. Which one it is says
/// nothing that its parts do not say, so it does not count where functions are compared.
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
    /// What `this` means in it where that is another type, which extends it.
    pub(crate) this: Option<TyId>,
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

/// What names mean: the type parameters that are bound, then those of the scope around, then the module's.
#[derive(Debug, Clone)]
pub(crate) struct Scope<'a> {
    pub(crate) module: ModuleId,
    pub(crate) parent: Option<ScopeId>,
    pub(crate) bindings: Vec<(&'a str, TyId)>,
    /// What binds parameters here: a mapped type looks at their constraints.
    pub(crate) owner: Option<Owner<'a>>,
}

/// What has type parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Owner<'a> {
    Declaration(DeclId),
    /// The `K` of `{ [K in keyof T]: … }`.
    Mapped(&'a TSMappedType<'a>),
}
