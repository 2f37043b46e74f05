//! Ids, and the lists (arenas) that they index. Each list has its own type of id, so code that uses a
//! `TypeId` as a `RouteId` does not compile.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("an arena holds fewer than 2^32 items"))
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> usize {
                id.0 as usize
            }
        }
    )*};
}

ids! {
    /// Id of a [`Type`](crate::Type) in [`Program::types`](crate::Program::types).
    TypeId,
    /// Id of a [`Declaration`](crate::Declaration) in [`Program::declarations`](crate::Program::declarations).
    DeclarationId,
    /// Id of an [`Entity`](crate::Entity) in [`Program::entities`](crate::Program::entities).
    EntityId,
    /// Id of a [`Route`](crate::Route) in [`Program::routes`](crate::Program::routes).
    RouteId,
    /// Id of a [`SourceFile`](crate::SourceFile) in [`Program::sources`](crate::Program::sources).
    SourceId,
}

/// A list that is indexed by its own type of id. Items are added but never removed, so ids stay valid.
///
/// A copy of the list shares its items, until one of the lists changes an item. A session keeps each compiled program for the
/// next compilation, and a copy of all types of a large program would take longer than the compilation of an edit.
#[derive(Debug, Clone, PartialEq)]
pub struct Arena<I, T> {
    items: Vec<Arc<T>>,
    id: PhantomData<fn(I) -> I>,
}

impl<I, T: Serialize> Serialize for Arena<I, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.items.iter().map(AsRef::as_ref))
    }
}

impl<'de, I, T: Deserialize<'de>> Deserialize<'de> for Arena<I, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items = Vec::<T>::deserialize(deserializer)?;
        Ok(Self {
            items: items.into_iter().map(Arc::new).collect(),
            id: PhantomData,
        })
    }
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I: From<usize> + Copy, T> Arena<I, T>
where
    usize: From<I>,
{
    /// Adds an item and returns its id.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// let id = names.push("Note");
    /// assert_eq!(names[id], "Note");
    /// ```
    pub fn push(&mut self, item: T) -> I {
        let id = I::from(self.items.len());
        self.items.push(Arc::new(item));
        id
    }

    /// Returns the number of items.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// names.push("Note");
    /// assert_eq!(names.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the arena has no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the items, in order.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// names.push("Note");
    /// let again: Arena<TypeId, &str> = names.into_shared().into_iter().collect();
    /// assert_eq!(again[TypeId(0)], "Note");
    /// ```
    pub fn into_shared(self) -> Vec<Arc<T>> {
        self.items
    }

    /// Returns true if both lists have equal items. Compares only items that the lists do not share.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// names.push("Note");
    /// assert!(names.is_equal(&names.clone()));
    /// assert!(!names.is_equal(&Arena::default()));
    /// ```
    pub fn is_equal(&self, other: &Self) -> bool
    where
        T: PartialEq,
    {
        let mut pairs = self.items.iter().zip(&other.items);
        self.items.len() == other.items.len()
            && pairs.all(|(one, other)| Arc::ptr_eq(one, other) || one == other)
    }

    /// Returns the item with the given id. Returns `None` if there is no such item, for example in a
    /// serialized program that was edited by hand.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// let id = names.push("Note");
    /// assert_eq!(names.get(id), Some(&"Note"));
    /// assert_eq!(names.get(TypeId(7)), None);
    /// ```
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(usize::from(id)).map(AsRef::as_ref)
    }

    /// Returns an iterator over all items, in order.
    pub fn iter(&self) -> Items<'_, T> {
        self.items.iter().map(AsRef::as_ref)
    }

    /// Returns an iterator over all items with their ids, in order.
    ///
    /// ```
    /// use kit_ir::{Arena, TypeId};
    ///
    /// let mut names: Arena<TypeId, &str> = Arena::default();
    /// names.push("Note");
    /// names.push("User");
    /// assert_eq!(names.iter_ids().last(), Some((TypeId(1), &"User")));
    /// ```
    pub fn iter_ids(&self) -> impl Iterator<Item = (I, &T)> {
        self.items
            .iter()
            .enumerate()
            .map(|(index, item)| (I::from(index), item.as_ref()))
    }
}

impl<I, T> Index<I> for Arena<I, T>
where
    usize: From<I>,
{
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.items[usize::from(id)]
    }
}

impl<I, T: Clone> IndexMut<I> for Arena<I, T>
where
    usize: From<I>,
{
    fn index_mut(&mut self, id: I) -> &mut T {
        Arc::make_mut(&mut self.items[usize::from(id)])
    }
}

impl<I, T> FromIterator<Arc<T>> for Arena<I, T> {
    fn from_iter<S: IntoIterator<Item = Arc<T>>>(items: S) -> Self {
        Self {
            items: items.into_iter().collect(),
            id: PhantomData,
        }
    }
}

/// Iterator over the items of an [`Arena`].
pub type Items<'a, T> = std::iter::Map<std::slice::Iter<'a, Arc<T>>, fn(&'a Arc<T>) -> &'a T>;

impl<'a, I, T> IntoIterator for &'a Arena<I, T> {
    type Item = &'a T;
    type IntoIter = Items<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter().map(AsRef::as_ref)
    }
}
