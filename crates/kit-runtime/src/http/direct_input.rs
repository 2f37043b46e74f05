//! Fast path for path parameters and queries: decodes them directly into their types if every value is valid and no key
//! is repeated. All other input takes the slow path: [`crate::coerce::coerce_params`], [`crate::coerce::coerce_query`]
//! and [`crate::check::explain`].
//!
//! Invariant: if the fast path returns a value, the slow path returns the same value.

use std::borrow::Cow;

use serde::de::value::Error;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::Contract;
use crate::check::{explain, fits_scalar};
use crate::coerce::{QueryValue, coerce, decode_query_component};
use crate::json::Json;
use crate::shape::{Object, Property, Shape};

/// Maximum number of properties of a type on this fast path, because `seen` has one bit for each.
const MAX_PROPERTIES: usize = 64;

/// Decodes percent-decoded path parameters. `names` and `values` have the order of the path.
pub(super) fn read_params<'n, T: Contract>(
    names: impl Iterator<Item = &'n str>,
    values: &[String],
) -> Option<T> {
    let pairs = names.zip(values);
    read(pairs.map(|(name, value)| (Cow::Borrowed(name), Encoding::None(value))))
}

/// Decodes a query (without its `?`).
pub(super) fn read_query<T: Contract>(query: &str) -> Option<T> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    read(pairs.map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode_query_component(key), Encoding::Query(value))
    }))
}

/// A string of a path parameter or a query. The variant tells if the string is still percent-encoded. Strings
/// of undeclared keys stay encoded.
#[derive(Clone, Copy)]
enum Encoding<'a> {
    None(&'a str),
    Query(&'a str),
}

fn read<'a, T: Contract>(pairs: impl Iterator<Item = (Cow<'a, str>, Encoding<'a>)>) -> Option<T> {
    let Shape::Object(object) = T::shape().resolve() else {
        return None;
    };
    if !object.index.is_empty() || object.properties.len() > MAX_PROPERTIES {
        return None;
    }
    let mut members = Members {
        object,
        pairs,
        seen: 0,
        value: None,
    };
    T::deserialize(&mut members).ok()
}

struct Members<I> {
    object: &'static Object,
    pairs: I,
    /// One bit for each declared property, by its index; set if the property was present.
    seen: u64,
    value: Option<Json>,
}

impl<I> Members<I> {
    fn is_complete(&self) -> bool {
        let mut properties = self.object.properties.iter().enumerate();
        properties.all(|(at, property)| property.optional || self.seen & (1 << at) != 0)
    }
}

/// Converts the string of a property to its value. Returns an error if the value does not fit the shape of
/// the property.
fn value(property: &'static Property, text: Encoding<'_>) -> Result<Json, Error> {
    let text = match text {
        Encoding::None(text) => Cow::Borrowed(text),
        Encoding::Query(text) => decode_query_component(text),
    };
    let value = coerce(&property.shape, QueryValue::One(text.into_owned()));
    let fits = if value.is_container() {
        explain(&property.shape, &value).is_empty()
    } else {
        fits_scalar(&property.shape, &value)
    };
    if fits {
        Ok(value)
    } else {
        Err(Error::custom("it does not fit"))
    }
}

impl<'de, 'a, I: Iterator<Item = (Cow<'a, str>, Encoding<'a>)>> Deserializer<'de> for &mut Members<I> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, 'a, I: Iterator<Item = (Cow<'a, str>, Encoding<'a>)>> MapAccess<'de> for Members<I> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        for (key, text) in self.pairs.by_ref() {
            let properties = self.object.properties;
            let Some(at) = properties.iter().position(|property| property.key == key) else {
                continue;
            };
            // A repeated key is a list, which only the slow path decodes.
            if self.seen & (1 << at) != 0 {
                return Err(Error::custom("the key is repeated"));
            }
            self.seen |= 1 << at;
            self.value = Some(value(&properties[at], text)?);
            return seed.deserialize(properties[at].key.into_deserializer()).map(Some);
        }
        if self.is_complete() {
            Ok(None)
        } else {
            Err(Error::custom("something is missing"))
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self
            .value
            .take()
            .ok_or_else(|| Error::custom("there is no value"))?;
        seed.deserialize(&value)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::{read_params, read_query};
    use crate::Contract;
    use crate::check::explain;
    use crate::coerce::{coerce_params, coerce_query};
    use crate::json::{from_json, to_text};
    use crate::shape::{Property, Shape};

    #[derive(Deserialize, Serialize)]
    struct Parts {
        id: String,
        #[serde(default, with = "crate::optional", skip_serializing_if = "Option::is_none")]
        page: Option<i64>,
        #[serde(default, with = "crate::optional", skip_serializing_if = "Option::is_none")]
        tags: Option<Vec<String>>,
    }

    impl Contract for Parts {
        const NAME: &'static str = "Parts";

        fn shape() -> &'static Shape {
            const SHAPE: Shape = Shape::object(
                "Parts",
                &[
                    Property::required("id", Shape::TEXT.min_length(1)),
                    Property::optional("page", Shape::INTEGER.minimum(1.0)),
                    Property::optional("tags", Shape::array(&Shape::TEXT)),
                ],
            );
            &SHAPE
        }
    }

    #[test]
    fn decodes_queries_with_the_same_result_as_the_slow_path() {
        let read = |query| {
            let json = coerce_query(Parts::shape(), query);
            let is_right = explain(Parts::shape(), &json).is_empty();
            is_right.then(|| to_text(&from_json::<Parts>(&json).unwrap()).unwrap())
        };
        for (query, expected) in [
            ("id=a", Some(r#"{"id":"a"}"#)),
            ("page=2&unknown=1&id=a+b%21", Some(r#"{"id":"a b!","page":2}"#)),
            ("&&id=%E0%A4%A&", Some(r#"{"id":"%E0%A4%A"}"#)),
            ("id=a&tags=x", Some(r#"{"id":"a","tags":["x"]}"#)),
            ("id=", None),
            ("", None),
            ("id=a&page=0", None),
            ("id=a&page=two", None),
            ("id=a&id=b", None),
        ] {
            let direct = read_query::<Parts>(query).map(|parts| to_text(&parts).unwrap());
            assert_eq!(direct.as_deref(), expected, "{query}");
            assert_eq!(read(query), direct, "{query}");
        }
        // A list with several values is valid, but only the slow path decodes it.
        assert!(read_query::<Parts>("id=a&tags=x&tags=y").is_none() && read("id=a&tags=x&tags=y").is_some());
    }

    #[test]
    fn decodes_path_parameters_with_the_same_result_as_the_slow_path() {
        for (names, values, expected) in [
            (vec!["id"], vec!["1"], Some(r#"{"id":"1"}"#)),
            (vec!["page", "id"], vec!["3", "x"], Some(r#"{"id":"x","page":3}"#)),
            (vec!["page"], vec!["3"], None),
            (vec!["id"], vec![""], None),
        ] {
            let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
            let direct = read_params::<Parts>(names.iter().copied(), &values);
            let direct = direct.map(|parts| to_text(&parts).unwrap());
            assert_eq!(direct.as_deref(), expected, "{names:?} {values:?}");
            let json = coerce_params(Parts::shape(), &names, &values);
            assert_eq!(explain(Parts::shape(), &json).is_empty(), expected.is_some());
            if let Some(expected) = expected {
                assert_eq!(to_text(&from_json::<Parts>(&json).unwrap()).unwrap(), expected);
            }
        }
    }
}
