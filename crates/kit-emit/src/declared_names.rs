//! Names of the types of a program, and names that generated modules export for them.

use rustc_hash::FxHashSet;

/// Names of a program's types.
#[derive(Debug, Default)]
pub(crate) struct DeclaredNames(pub(crate) FxHashSet<String>);

impl DeclaredNames {
    /// Creates the set from a list of names.
    #[cfg(test)]
    pub(crate) fn of(names: &[&str]) -> Self {
        Self(names.iter().map(|name| (*name).to_owned()).collect())
    }

    /// Returns true if a generated module exports this name.
    pub(crate) fn has_export(&self, name: &str) -> bool {
        let functions = EXPORT_PREFIXES.iter().filter_map(|verb| name.strip_prefix(verb));
        let constants = EXPORT_SUFFIXES.iter().filter_map(|noun| name.strip_suffix(noun));
        let union = name
            .trim_end_matches(|char: char| char.is_ascii_digit())
            .strip_suffix("Union");
        functions
            .chain(constants)
            .chain(union)
            .any(|declared| self.0.contains(declared))
    }

    /// Returns true if no two generated modules export the same name. Example of a collision: `isFooShape` is the check of a
    /// type `FooShape` and also the shape of a type `isFoo`.
    pub(crate) fn are_distinct(&self) -> bool {
        self.0.iter().all(|name| {
            let rest = EXPORT_PREFIXES.iter().find_map(|verb| name.strip_prefix(verb));
            rest.is_none_or(|rest| {
                let union = format!("{rest}Union");
                EXPORT_SUFFIXES
                    .iter()
                    .all(|noun| !self.0.contains(&format!("{rest}{noun}")))
                    && !self.0.iter().any(|other| {
                        let number = other.strip_prefix(&union);
                        number.is_some_and(|number| number.chars().all(|char| char.is_ascii_digit()))
                    })
            })
        })
    }
}

/// Text before the name of a type in exported functions, as in `isNote`.
const EXPORT_PREFIXES: [&str; 3] = ["is", "decode", "write"];
/// Text after the name of a type in exported constants, as in `NoteShape`. Another suffix is `Union` with an optional number.
const EXPORT_SUFFIXES: [&str; 5] = ["Shape", "Validator", "Serializer", "Coercer", "HeaderWriter"];
