//! Fast path for JSON bodies: decodes JSON text directly into a type and checks it against the shape in the same pass.
//! Most requests are valid, and one pass is enough for them. Invalid or unusual input is left to [`super::parse`] and
//! [`crate::check::explain`], which create the error messages.
//!
//! Invariant: if the fast path returns a value, the slow path returns the same value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::de::whole;
use super::parse::{Reader, plain_length};
use super::{Json, parse};
use crate::Contract;
use crate::check::{explain, fits_scalar, fits_text};
use crate::shape::{Array, Object, Shape, Union};

/// Maximum nesting of arrays and objects on the fast path. The value is far below all other limits of nesting, so
/// the fast path does not check the other limits.
const MAX_LEVEL: usize = 64;
/// Maximum number of properties of a type on the fast path, because `seen` has one bit for each.
pub(super) const MAX_PROPERTIES: usize = 64;

/// Decodes JSON text. Returns `None` if the text is not JSON or does not fit the type, and in cases that only the slow
/// path decides: a repeated property, a `\u` escape, deep nesting.
///
/// ```
/// use kit_runtime::Contract;
/// use kit_runtime::json::read_valid;
///
/// fn is_valid<T: Contract>(text: &str) -> bool {
///     read_valid::<T>(text).is_some()
/// }
/// ```
pub fn read_valid<T: Contract>(text: &str) -> Option<T> {
    let mut reader = Reader::new(text);
    let value = T::deserialize(CheckedValue {
        reader: &mut reader,
        shape: T::shape(),
        level: 0,
        is_recursive: false,
    });
    let value = value.ok()?;
    reader.skip_space();
    reader.peek().is_none().then_some(value)
}

/// Error that sends the input to the slow path, which decides if it is valid.
#[derive(Debug)]
pub(super) struct TakeSlowPath;

impl fmt::Display for TakeSlowPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slow path must decide")
    }
}

impl std::error::Error for TakeSlowPath {}

impl serde::de::Error for TakeSlowPath {
    /// The message is dropped because the slow path reports the error.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Reader<'de> {
    /// Reads a string. Fails if it has a `\u` escape, which may be a character that databases cannot store.
    pub(super) fn text(&mut self) -> Result<Cow<'de, str>, TakeSlowPath> {
        if self.peek() != Some(b'"') {
            return Err(TakeSlowPath);
        }
        let start = self.at + 1;
        let end = start + plain_length(&self.text.as_bytes()[start..]);
        if self.text.as_bytes().get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        let from = self.at;
        let text = self.string().map_err(|_| TakeSlowPath)?;
        if self.text[from..self.at].contains("\\u") {
            return Err(TakeSlowPath);
        }
        Ok(Cow::Owned(text))
    }

    /// Skips a value and checks only its syntax.
    pub(super) fn skip(&mut self, level: usize) -> Result<(), TakeSlowPath> {
        self.skip_space();
        let close = match self.peek() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            Some(b'"') => return self.string().map(drop).map_err(|_| TakeSlowPath),
            _ => return self.scalar("").map(drop).map_err(|_| TakeSlowPath),
        };
        let level = increment_level(level)?;
        let mut list = ContainerProgress::default();
        while list.next(self, close)? {
            if close == b'}' {
                self.name()?;
            }
            self.skip(level)?;
        }
        Ok(())
    }

    /// Reads a property name and the colon after it.
    pub(super) fn name(&mut self) -> Result<Cow<'de, str>, TakeSlowPath> {
        let key = self.text()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(TakeSlowPath);
        }
        self.at += 1;
        Ok(key)
    }
}

fn increment_level(level: usize) -> Result<usize, TakeSlowPath> {
    if level < MAX_LEVEL {
        Ok(level + 1)
    } else {
        Err(TakeSlowPath)
    }
}

/// Position within an array or object that is being read.
#[derive(Default)]
pub(super) struct ContainerProgress {
    count: usize,
    has_ended: bool,
}

impl ContainerProgress {
    /// Moves to the next item and returns true. At the end of the array or object, moves behind the closing
    /// bracket and returns false.
    pub(super) fn next(&mut self, reader: &mut Reader<'_>, close: u8) -> Result<bool, TakeSlowPath> {
        if self.count == 0 {
            // Skip the opening bracket.
            reader.at += 1;
        }
        reader.skip_space();
        match reader.peek() {
            Some(byte) if byte == close => {
                reader.at += 1;
                self.has_ended = true;
                return Ok(false);
            }
            Some(b',') if self.count > 0 => {
                reader.at += 1;
                reader.skip_space();
                // After a trailing comma, reading the next item reports the syntax error.
            }
            Some(_) if self.count == 0 => {}
            _ => return Err(TakeSlowPath),
        }
        self.count += 1;
        Ok(true)
    }
}

/// A value to read, and the shape that it must fit.
struct CheckedValue<'r, 'de> {
    reader: &'r mut Reader<'de>,
    shape: &'static Shape,
    /// Number of arrays and objects that contain the value.
    level: usize,
    /// True if the path to the value leads through a recursive type.
    is_recursive: bool,
}

impl<'de> CheckedValue<'_, 'de> {
    /// Replaces a reference with the shape that it refers to, and a union with the member that fits the first byte
    /// of the value. Returns this byte.
    fn begin(&mut self) -> Option<u8> {
        self.reader.skip_space();
        let first = self.reader.peek();
        loop {
            self.shape = match self.shape {
                Shape::Reference(to) => to(),
                Shape::Recursive(to) => {
                    self.is_recursive = true;
                    to()
                }
                Shape::Union(union) => match only_member(union, first) {
                    Some(member) => member,
                    None => return first,
                },
                _ => return first,
            };
        }
    }

    /// Reads the value as a [`Json`] tree and checks it, for shapes that cannot be decoded in one pass. Fails if it
    /// does not fit the shape.
    fn tree(self) -> Result<Json, TakeSlowPath> {
        // Recursive types are counted from the root of the body, which is unknown here.
        if self.is_recursive {
            return Err(TakeSlowPath);
        }
        self.reader.skip_space();
        let start = self.reader.at;
        self.reader.skip(self.level)?;
        let text = &self.reader.text[start..self.reader.at];
        let json = parse(text).map_err(|_| TakeSlowPath)?;
        if text.contains("\\u") || !explain(self.shape, &json).is_empty() {
            return Err(TakeSlowPath);
        }
        Ok(json)
    }

    fn scalar(&mut self) -> Result<Json, TakeSlowPath> {
        let json = self.reader.scalar("").map_err(|_| TakeSlowPath)?;
        if fits_scalar(self.shape, &json) {
            Ok(json)
        } else {
            Err(TakeSlowPath)
        }
    }

    fn text(&mut self) -> Result<Cow<'de, str>, TakeSlowPath> {
        let text = self.reader.text()?;
        if fits_text(self.shape, &text) {
            Ok(text)
        } else {
            Err(TakeSlowPath)
        }
    }
}

/// Returns the only union member that an array or object can belong to. The first byte of the value, `[` or
/// `{`, decides. Returns `None` if several members or no members are possible.
fn only_member(union: &'static Union, first: Option<u8>) -> Option<&'static Shape> {
    let is_possible = |member: &&'static Shape| match member.resolve() {
        Shape::Object(_) => first == Some(b'{'),
        Shape::Array(_) | Shape::Tuple(_) => first == Some(b'['),
        Shape::Unknown | Shape::Union(_) | Shape::Reference(_) | Shape::Recursive(_) => true,
        Shape::Never
        | Shape::Null
        | Shape::Boolean
        | Shape::Date
        | Shape::Bytes
        | Shape::Text(_)
        | Shape::Number(_)
        | Shape::BigInt(_)
        | Shape::Literal(_) => false,
    };
    let mut possible = union.members.iter().filter(is_possible);
    let only = possible
        .next()
        .filter(|_| matches!(first, Some(b'{' | b'[')) && possible.next().is_none());
    only.filter(|member| matches!(member.resolve(), Shape::Object(_) | Shape::Array(_)))
}

impl<'de> Deserializer<'de> for CheckedValue<'_, 'de> {
    type Error = TakeSlowPath;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, TakeSlowPath> {
        match self.begin() {
            Some(b'{' | b'[') => (&self.tree()?).deserialize_any(visitor).map_err(|_| TakeSlowPath),
            Some(b'"') => match self.text()? {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            _ => match self.scalar()? {
                Json::Bool(value) => visitor.visit_bool(value),
                Json::Number(number) => match whole(number) {
                    Some(whole) => visitor.visit_i64(whole),
                    None => visitor.visit_f64(number),
                },
                _ => visitor.visit_unit(),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, TakeSlowPath> {
        match self.begin() {
            Some(b'-' | b'0'..=b'9') => match self.scalar()? {
                Json::Number(number) => visitor.visit_f64(number),
                _ => Err(TakeSlowPath),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, TakeSlowPath> {
        match self.begin() {
            Some(b'n') => self.scalar().and_then(|_| visitor.visit_none()),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TakeSlowPath> {
        match (self.begin(), self.shape) {
            (Some(b'{'), Shape::Object(object))
                if object.index.is_empty() && object.properties.len() <= MAX_PROPERTIES =>
            {
                let mut members = Members {
                    level: increment_level(self.level)?,
                    part: self,
                    object,
                    list: ContainerProgress::default(),
                    seen: 0,
                    next: 0,
                };
                let value = visitor.visit_map(&mut members)?;
                if members.list.has_ended {
                    Ok(value)
                } else {
                    Err(TakeSlowPath)
                }
            }
            _ => {
                let tree = self.tree()?;
                (&tree)
                    .deserialize_struct(name, fields, visitor)
                    .map_err(|_| TakeSlowPath)
            }
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, TakeSlowPath> {
        match (self.begin(), self.shape) {
            (Some(b'['), Shape::Array(array)) if !array.unique_items => {
                let mut items = Items {
                    level: increment_level(self.level)?,
                    part: self,
                    array,
                    list: ContainerProgress::default(),
                };
                let value = visitor.visit_seq(&mut items)?;
                if items.list.has_ended {
                    Ok(value)
                } else {
                    Err(TakeSlowPath)
                }
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TakeSlowPath> {
        if self.begin() == Some(b'"') {
            return visitor.visit_enum(self.text()?.into_deserializer());
        }
        let tree = self.tree()?;
        (&tree)
            .deserialize_enum(name, variants, visitor)
            .map_err(|_| TakeSlowPath)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TakeSlowPath> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TakeSlowPath> {
        self.tree()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct
        tuple tuple_struct map identifier
    }
}

/// Reader for the declared properties of an object; other properties are skipped.
struct Members<'r, 'de> {
    part: CheckedValue<'r, 'de>,
    object: &'static Object,
    level: usize,
    list: ContainerProgress,
    /// One bit for each declared property, by its index; set if the property was present.
    seen: u64,
    /// Index of the property to compare first. Most clients send properties in the order of declaration.
    next: usize,
}

impl Members<'_, '_> {
    fn position(&self, key: &str) -> Option<usize> {
        let properties = self.object.properties;
        if properties
            .get(self.next)
            .is_some_and(|property| property.key == key)
        {
            return Some(self.next);
        }
        properties.iter().position(|property| property.key == key)
    }

    fn is_complete(&self) -> bool {
        let mut properties = self.object.properties.iter().enumerate();
        properties.all(|(at, property)| property.optional || self.seen & (1 << at) != 0)
    }
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = TakeSlowPath;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, TakeSlowPath> {
        while self.list.next(self.part.reader, b'}')? {
            let key = self.part.reader.name()?;
            let Some(at) = self.position(&key) else {
                self.part.reader.skip(self.level)?;
                continue;
            };
            let bit = 1 << at;
            // The last value of a repeated property counts, which only the slow path supports.
            if self.seen & bit != 0 {
                return Err(TakeSlowPath);
            }
            self.seen |= bit;
            self.next = at + 1;
            return seed
                .deserialize(self.object.properties[at].key.into_deserializer())
                .map(Some);
        }
        if self.is_complete() {
            Ok(None)
        } else {
            Err(TakeSlowPath)
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, TakeSlowPath> {
        let property = self
            .next
            .checked_sub(1)
            .and_then(|at| self.object.properties.get(at));
        seed.deserialize(CheckedValue {
            reader: self.part.reader,
            shape: &property.ok_or(TakeSlowPath)?.shape,
            level: self.level,
            is_recursive: self.part.is_recursive,
        })
    }
}

/// Reader for the items of an array.
struct Items<'r, 'de> {
    part: CheckedValue<'r, 'de>,
    array: &'static Array,
    level: usize,
    list: ContainerProgress,
}

impl<'de> SeqAccess<'de> for &mut Items<'_, 'de> {
    type Error = TakeSlowPath;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, TakeSlowPath> {
        let Array {
            min_items, max_items, ..
        } = self.array;
        if self.list.next(self.part.reader, b']')? {
            if max_items.is_some_and(|most| self.list.count > most) {
                return Err(TakeSlowPath);
            }
            let part = CheckedValue {
                reader: self.part.reader,
                shape: self.array.element,
                level: self.level,
                is_recursive: self.part.is_recursive,
            };
            return seed.deserialize(part).map(Some);
        }
        if min_items.is_some_and(|least| self.list.count < least) {
            return Err(TakeSlowPath);
        }
        Ok(None)
    }
}
