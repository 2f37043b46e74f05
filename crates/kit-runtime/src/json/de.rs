//! Decodes parsed JSON into Rust types.

use std::fmt;

use indexmap::IndexMap;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::Json;

/// Error for JSON that does not fit a type. The error cannot occur if the JSON was checked against the shape of
/// the type.
type Error = serde::de::value::Error;

/// Decodes parsed JSON into a type.
///
/// ```
/// use kit_runtime::json::{from_json, parse};
///
/// let numbers: Vec<f64> = from_json(&parse("[1, 2]").unwrap()).unwrap();
/// assert_eq!(numbers, [1.0, 2.0]);
/// ```
///
/// # Errors
///
/// If the JSON does not fit the type.
pub fn from_json<T: DeserializeOwned>(json: &Json) -> Result<T, Error> {
    T::deserialize(json)
}

impl<'de> Deserializer<'de> for &Json {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(value) => visitor.visit_bool(*value),
            Json::Number(number) => match whole(*number) {
                Some(whole) => visitor.visit_i64(whole),
                None => visitor.visit_f64(*number),
            },
            Json::String(text) => visitor.visit_str(text),
            Json::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter())),
            // The property `__proto__` is harmless in Rust, but it is dropped as in kit's TypeScript runtime.
            Json::Object(members) => visitor.visit_map(MapDeserializer::new(
                members
                    .iter()
                    .filter(|(key, _)| *key != "__proto__")
                    .map(|(key, value)| (key.as_str(), value)),
            )),
            Json::TooDeep => Err(Error::custom("nested too deeply")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Number(number) => visitor.visit_f64(*number),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Json::Object(members) => visitor.visit_map(MapDeserializer::new(
                members.iter().map(|(key, value)| (key.as_str(), value)),
            )),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Json::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// Skips the value of an undeclared property without decoding it.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
    }
}

/// Converts a double to an integer. Returns `None` if the double has a fraction or is beyond 2^53 - 1.
pub(super) fn whole(number: f64) -> Option<i64> {
    const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
    #[allow(clippy::cast_possible_truncation)] // Reason: the result is used only within the exact range.
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE).then_some(number as i64)
}

impl IntoDeserializer<'_, Error> for &Json {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Decodes any JSON. Used by types whose variant depends on the value, such as unions, which decode the value
/// as [`Json`] first.
impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Deserialize::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    #[allow(clippy::cast_precision_loss)] // Reason: a JSON number is a double.
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[allow(clippy::cast_precision_loss)] // Reason: a JSON number is a double.
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members = IndexMap::new();
        while let Some((key, value)) = access.next_entry()? {
            members.insert(key, value);
        }
        Ok(Json::Object(members))
    }
}
