//! Ids, and the lists (arenas) that they index. Each list has its own type of id, so code that uses a
//! `TypeId` as a `RouteId` does not compile.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arena<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    id: PhantomData<fn(I) -> I>,
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
        self.items.push(item);
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
        self.items.get(usize::from(id))
    }

    /// Returns an iterator over all items, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
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
            .map(|(index, item)| (I::from(index), item))
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

impl<I, T> IndexMut<I> for Arena<I, T>
where
    usize: From<I>,
{
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[usize::from(id)]
    }
}

impl<'a, I, T> IntoIterator for &'a Arena<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
