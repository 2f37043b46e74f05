//! Decodes generated types that serde's attributes cannot express: tuples with optional or repeated elements, and
//! objects whose undeclared keys go to several maps.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::de::{DeserializeOwned, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::json::{Json, from_json};

/// Items of a JSON array that are decoded one after another as the elements of a tuple. `E` is the error type of the
/// deserializer.
#[derive(Debug)]
pub struct Items<E> {
    items: VecDeque<Json>,
    error: PhantomData<E>,
}

impl<E: Error> Items<E> {
    /// Reads all items of an array.
    ///
    /// # Errors
    ///
    /// If the value is not an array.
    pub fn read<'de, D: Deserializer<'de, Error = E>>(deserializer: D) -> Result<Self, E> {
        Ok(Self {
            items: VecDeque::deserialize(deserializer)?,
            error: PhantomData,
        })
    }

    /// Decodes the next item.
    ///
    /// # Errors
    ///
    /// If there is no further item, or if the item does not have the type.
    pub fn required<T: DeserializeOwned>(&mut self) -> Result<T, E> {
        let item = self.items.pop_front();
        let item = item.ok_or_else(|| E::custom("the list is too short"))?;
        from_json(&item).map_err(E::custom)
    }

    /// Decodes the next item. Returns `None` if there is no further item.
    ///
    /// # Errors
    ///
    /// If the item does not have the type.
    pub fn optional<T: DeserializeOwned>(&mut self) -> Result<Option<T>, E> {
        if self.items.is_empty() {
            Ok(None)
        } else {
            self.required().map(Some)
        }
    }

    /// Decodes the items of the repeated element `...T[]` of a tuple. The last `after` items remain for the elements
    /// after the repeated element.
    ///
    /// # Errors
    ///
    /// If an item does not have the type.
    pub fn rest<T: DeserializeOwned>(&mut self, after: usize) -> Result<Vec<T>, E> {
        let count = self.items.len().saturating_sub(after);
        (0..count).map(|_| self.required()).collect()
    }
}

/// Decodes the properties of an object whose keys satisfy `accepts`. Skips all other properties.
///
/// # Errors
///
/// If the value is not an object, or if an accepted property does not have the type.
pub fn members<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    deserializer: D,
    accepts: impl Fn(&str) -> bool,
) -> Result<IndexMap<String, V>, D::Error> {
    deserializer.deserialize_map(Members {
        accepts,
        value: PhantomData,
    })
}

struct Members<F, V> {
    accepts: F,
    value: PhantomData<V>,
}

impl<'de, F: Fn(&str) -> bool, V: Deserialize<'de>> Visitor<'de> for Members<F, V> {
    type Value = IndexMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut members = IndexMap::new();
        while let Some(key) = access.next_key::<String>()? {
            if (self.accepts)(&key) {
                members.insert(key, access.next_value()?);
            } else {
                access.next_value::<IgnoredAny>()?;
            }
        }
        Ok(members)
    }
}
