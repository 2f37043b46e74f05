//! Members of enums, and their cache.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{DeclId, Location};

/// A member of an enum, with its value.
#[derive(Debug, Clone)]
pub(crate) struct EnumMember<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: EnumValue,
    /// Location of the member's name.
    pub(crate) location: Location,
}

/// Value of an enum member.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EnumValue {
    String(String),
    Number(f64),
    /// A string with half of a surrogate pair, which UTF-8 cannot contain.
    HalfPair,
    /// An expression whose value is known only when the program runs. The value counts as a number.
    Computed,
}

/// Cache of the members of enums. An enum that is being evaluated is `None`.
#[derive(Default)]
pub(super) struct Enums<'a> {
    pub(super) members: FxHashMap<DeclId, Option<Arc<[EnumMember<'a>]>>>,
}
