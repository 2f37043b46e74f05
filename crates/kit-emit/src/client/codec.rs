//! Codecs of responses: data that tells `@kit/client` where a response contains values that JSON cannot represent, such as
//! dates.
//!
//! The client selects the member of a union by a property with literals. If there is no such property, all members must have
//! the same codec at each location. For all other unions, the client returns plain JSON, and its type says so.

mod members;
mod print;

use std::cell::RefCell;

use kit_analysis::number_text;
use kit_ir::{DeclarationId, LiteralValue, ObjectType, Program, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use self::members::{MemberId, Members};
use crate::references::References;

/// Conversion of a JSON value to the value that the client returns. A type without a codec needs no
/// conversion.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Codec {
    /// `$date`, `$bigint` or `$bytes`. For a union such as `Date | string`, the name ends with `?`: a string
    /// that is not a date stays unchanged.
    Scalar(&'static str),
    /// Reference to the codec of a declaration.
    Named(DeclarationId),
    Properties(Vec<(String, Codec)>),
    /// Codec of all items of an array.
    Items(Box<Codec>),
    /// Codecs of the elements of a tuple, then the codec of its rest element.
    Tuple(Vec<Option<Codec>>, Option<Box<Codec>>),
    /// Codecs of declared properties, then the codec of all other properties.
    Index(Vec<(String, Codec)>, Box<Codec>),
    /// Codec of a union: the name of the property that tells the members apart, then the codec for each value
    /// of this property.
    Discriminated(String, Vec<(String, MemberId)>),
    /// Codecs for different kinds of JSON values, such as a string and an object. The client uses the codec
    /// that fits the kind of the value.
    Combined(Vec<Codec>),
}

/// Error for a union such as `Date | bigint`: the client cannot tell from a JSON value which codec converts
/// it.
#[derive(Debug, Clone, Copy)]
struct Ambiguous;

type CodecResult = Result<Option<Codec>, Ambiguous>;

/// Codecs of a program's declarations.
pub(super) struct Codecs<'a> {
    program: &'a Program,
    by_declaration: FxHashMap<DeclarationId, Codec>,
    members: Members,
    ambiguous: FxHashSet<DeclarationId>,
}

impl<'a> Codecs<'a> {
    pub(super) fn new(program: &'a Program, references: &References) -> Self {
        let ids = program.declarations.iter_ids().map(|(id, _)| id);
        let with_scalars = with_referring(
            program,
            references,
            ids.filter(|id| holds_scalar(program, *id)).collect(),
        );
        let mut by_declaration = FxHashMap::default();
        let mut failed = Vec::new();
        let builder = CodecBuilder {
            program,
            with_scalars: &with_scalars,
            known: RefCell::default(),
            members: RefCell::default(),
        };
        for id in &with_scalars {
            match builder.codec(program.declarations[*id].r#type) {
                Ok(codec) => {
                    by_declaration.extend(codec.map(|codec| (*id, codec)));
                }
                Err(Ambiguous) => {
                    failed.push(*id);
                }
            }
        }
        // A type that refers to a type with such a union contains the union, too.
        let ambiguous = with_referring(program, references, failed);
        Self {
            program,
            by_declaration,
            members: builder.members.into_inner(),
            ambiguous,
        }
    }

    /// Returns true if no codec can convert the values of a declaration. Clients get these values as plain JSON.
    pub(super) fn is_ambiguous(&self, id: DeclarationId) -> bool {
        self.ambiguous.contains(&id)
    }
}

/// Returns the declarations in `pending`, and all declarations that refer to one of them, directly or through
/// others.
fn with_referring(
    program: &Program,
    references: &References,
    mut pending: Vec<DeclarationId>,
) -> FxHashSet<DeclarationId> {
    let mut referring: FxHashMap<DeclarationId, Vec<DeclarationId>> = FxHashMap::default();
    for (id, _) in program.declarations.iter_ids() {
        for target in references.of(id) {
            referring.entry(*target).or_default().push(id);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = pending.pop() {
        if found.insert(id) {
            pending.extend(referring.get(&id).into_iter().flatten());
        }
    }
    found
}

/// Returns true if a declaration itself contains a value that JSON cannot represent, such as a `Date`.
/// Ignores the declarations to which it refers.
fn holds_scalar(program: &Program, id: DeclarationId) -> bool {
    fn type_holds_scalar(program: &Program, id: TypeId) -> bool {
        match &program.types[id].kind {
            TypeKind::Date | TypeKind::BigInt | TypeKind::Bytes => true,
            TypeKind::Literal { value } => matches!(value, LiteralValue::BigInt(_)),
            // The placeholders of a template are strings on the wire.
            TypeKind::Template { .. } => false,
            kind => kit_analysis::children(kind)
                .into_iter()
                .any(|child| type_holds_scalar(program, child)),
        }
    }
    type_holds_scalar(program, program.declarations[id].r#type)
}

struct CodecBuilder<'a> {
    program: &'a Program,
    with_scalars: &'a FxHashSet<DeclarationId>,
    /// Codecs of types with parts. The codec of a union needs those of the properties of its members twice, so nested unions
    /// would take exponential time without this cache.
    known: RefCell<FxHashMap<TypeId, CodecResult>>,
    members: RefCell<Members>,
}

impl CodecBuilder<'_> {
    fn codec(&self, id: TypeId) -> CodecResult {
        let has_parts = matches!(
            self.program.types[id].kind,
            TypeKind::Array { .. } | TypeKind::Tuple { .. } | TypeKind::Object(_) | TypeKind::Union { .. }
        );
        if !has_parts {
            return self.make(id);
        }
        if let Some(known) = self.known.borrow().get(&id) {
            return known.clone();
        }
        let made = self.make(id);
        self.known.borrow_mut().insert(id, made.clone());
        made
    }

    fn make(&self, id: TypeId) -> CodecResult {
        Ok(match &self.program.types[id].kind {
            TypeKind::Unknown
            | TypeKind::Never
            | TypeKind::Null
            | TypeKind::Boolean
            | TypeKind::Number
            | TypeKind::String
            | TypeKind::Template { .. } => None,
            TypeKind::Literal { value } => {
                matches!(value, LiteralValue::BigInt(_)).then_some(Codec::Scalar("$bigint"))
            }
            TypeKind::BigInt => Some(Codec::Scalar("$bigint")),
            TypeKind::Date => Some(Codec::Scalar("$date")),
            TypeKind::Bytes => Some(Codec::Scalar("$bytes")),
            TypeKind::Array { element } => self
                .codec(*element)?
                .map(|element| Codec::Items(Box::new(element))),
            TypeKind::Tuple { elements } => {
                let mut items = Vec::new();
                let mut rest = None;
                for (position, element) in elements.iter().enumerate() {
                    let codec = self.codec(element.r#type)?;
                    if !element.rest {
                        items.push(codec);
                    } else if position + 1 == elements.len() {
                        rest = codec.map(Box::new);
                    } else if codec.is_some() || items.len() < position {
                        // The index of an element after a rest element depends on the length of the tuple.
                        return Err(Ambiguous);
                    }
                }
                let has_any = rest.is_some() || items.iter().any(Option::is_some);
                has_any.then_some(Codec::Tuple(items, rest))
            }
            TypeKind::Object(object) => self.object(object)?,
            TypeKind::Union { members } => self.union(members)?,
            TypeKind::Reference { declaration } => self
                .with_scalars
                .contains(declaration)
                .then_some(Codec::Named(*declaration)),
        })
    }

    fn object(&self, object: &ObjectType) -> CodecResult {
        let mut properties = Vec::new();
        for property in &object.properties {
            if let Some(codec) = self.codec(property.r#type)? {
                properties.push((property.name.clone(), codec));
            }
        }
        let mut rest: Option<Option<Codec>> = None;
        for signature in &object.index {
            let codec = self.codec(signature.value)?;
            match &rest {
                Some(other) if *other != codec => return Err(Ambiguous),
                _ => rest = Some(codec),
            }
        }
        Ok(match rest.flatten() {
            Some(rest) => {
                // The rest codec would also apply to declared properties without a codec.
                if object.properties.len() > properties.len() {
                    return Err(Ambiguous);
                }
                Some(Codec::Index(properties, Box::new(rest)))
            }
            None => (!properties.is_empty()).then_some(Codec::Properties(properties)),
        })
    }

    fn union(&self, members: &[TypeId]) -> CodecResult {
        let mut kinds = Kinds::default();
        self.sort(members, &mut kinds)?;
        let mut codecs = Vec::new();
        if let Some(code) = kinds.scalar {
            codecs.push(Codec::Scalar(match (code, kinds.text) {
                ("$date", true) => "$date?",
                ("$bigint", true) => "$bigint?",
                ("$bytes", true) => "$bytes?",
                (code, _) => code,
            }));
        }
        let arrays = kinds.arrays.iter().flatten().next();
        if kinds.arrays.iter().any(|codec| codec.as_ref() != arrays) {
            return Err(Ambiguous);
        }
        codecs.extend(arrays.cloned());
        codecs.extend(self.objects(&kinds.objects)?);
        Ok(match codecs.len() {
            0 | 1 => codecs.pop(),
            _ => Some(Codec::Combined(codecs)),
        })
    }

    /// Sorts the members of a union by the kind of their JSON values: string, array, object and so on.
    fn sort<'m>(&'m self, members: &[TypeId], kinds: &mut Kinds<'m>) -> Result<(), Ambiguous> {
        for id in members {
            let named = match &self.program.types[*id].kind {
                TypeKind::Reference { declaration } => Some(*declaration),
                _ => None,
            };
            match &self.program.resolve(*id).kind {
                TypeKind::Union { members } => self.sort(members, kinds)?,
                TypeKind::String | TypeKind::Template { .. } => kinds.text = true,
                TypeKind::Literal { value } => match value {
                    LiteralValue::String(_) => kinds.text = true,
                    LiteralValue::BigInt(_) => kinds.scalar("$bigint")?,
                    LiteralValue::Number(_) | LiteralValue::Boolean(_) => {}
                },
                TypeKind::Date => kinds.scalar("$date")?,
                TypeKind::BigInt => kinds.scalar("$bigint")?,
                TypeKind::Bytes => kinds.scalar("$bytes")?,
                TypeKind::Array { .. } | TypeKind::Tuple { .. } => kinds.arrays.push(self.codec(*id)?),
                TypeKind::Object(object) => kinds.objects.push((object, named)),
                // The client cannot tell a value of the type `unknown` from values of other members.
                TypeKind::Unknown => kinds.unknown = true,
                TypeKind::Never | TypeKind::Null | TypeKind::Boolean | TypeKind::Number => {}
                TypeKind::Reference { .. } => unreachable!("`resolve` leads to a type"),
            }
        }
        if kinds.unknown { Err(Ambiguous) } else { Ok(()) }
    }

    fn objects(&self, members: &[(&ObjectType, Option<DeclarationId>)]) -> CodecResult {
        let codec = |(object, named): &(&ObjectType, Option<DeclarationId>)| match named {
            Some(id) => Ok(self.with_scalars.contains(id).then_some(Codec::Named(*id))),
            None => self.object(object),
        };
        let [first, others @ ..] = members else {
            return Ok(None);
        };
        if others.is_empty() {
            return codec(first);
        }
        let codecs = members.iter().map(codec).collect::<Result<Vec<_>, _>>()?;
        if codecs.iter().all(Option::is_none) {
            return Ok(None);
        }
        for property in &first.0.properties {
            let values = members
                .iter()
                .map(|(object, _)| self.literals(object, &property.name));
            let Some(values) = values.collect::<Option<Vec<_>>>() else {
                continue;
            };
            let mut seen = FxHashSet::default();
            if !values.iter().flatten().all(|value| seen.insert(value)) {
                continue;
            }
            let mut known = self.members.borrow_mut();
            let mut cases = Vec::new();
            for (values, codec) in values.into_iter().zip(codecs) {
                if let Some(codec) = codec {
                    let id = known.add(codec);
                    cases.extend(values.into_iter().map(|value| (value, id)));
                }
            }
            known.name_repeated(&cases);
            return Ok(Some(Codec::Discriminated(property.name.clone(), cases)));
        }
        self.common_codec(members)
    }

    /// Returns one codec for all members of a union. Fails if two members have different codecs for a
    /// property with the same name.
    fn common_codec(&self, members: &[(&ObjectType, Option<DeclarationId>)]) -> CodecResult {
        let mut common: Vec<(String, Option<Codec>)> = Vec::new();
        for (object, _) in members {
            if !object.index.is_empty() {
                return Err(Ambiguous);
            }
            for property in &object.properties {
                let codec = self.codec(property.r#type)?;
                match common.iter().find(|(name, _)| *name == property.name) {
                    Some((_, other)) if *other != codec => return Err(Ambiguous),
                    Some(_) => {}
                    None => common.push((property.name.clone(), codec)),
                }
            }
        }
        let properties: Vec<_> = common
            .into_iter()
            .filter_map(|(name, codec)| Some((name, codec?)))
            .collect();
        Ok((!properties.is_empty()).then_some(Codec::Properties(properties)))
    }

    /// Returns the literal values of a required property as strings, as the client's `String(value)` gives them; `None` if its
    /// type contains other types.
    fn literals(&self, object: &ObjectType, name: &str) -> Option<Vec<String>> {
        let property = object.property(name).filter(|property| !property.optional)?;
        let mut values = Vec::new();
        self.collect_literals(property.r#type, &mut values)?;
        Some(values)
    }

    fn collect_literals(&self, id: TypeId, values: &mut Vec<String>) -> Option<()> {
        match &self.program.resolve(id).kind {
            TypeKind::Literal { value } => values.push(match value {
                LiteralValue::String(text) => text.clone(),
                LiteralValue::Number(number) => number_text(*number),
                LiteralValue::Boolean(value) => value.to_string(),
                LiteralValue::BigInt(_) => return None,
            }),
            TypeKind::Union { members } => {
                for member in members {
                    self.collect_literals(*member, values)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// Members of a union, sorted by the kind of their JSON values.
#[derive(Default)]
struct Kinds<'a> {
    text: bool,
    unknown: bool,
    scalar: Option<&'static str>,
    arrays: Vec<Option<Codec>>,
    objects: Vec<(&'a ObjectType, Option<DeclarationId>)>,
}

impl Kinds<'_> {
    /// Adds a scalar type that is a string in JSON. Fails for a second type, as in `Date | bigint`, because
    /// the client cannot tell the two apart.
    fn scalar(&mut self, code: &'static str) -> Result<(), Ambiguous> {
        match self.scalar {
            Some(other) if other != code => Err(Ambiguous),
            _ => {
                self.scalar = Some(code);
                Ok(())
            }
        }
    }
}
