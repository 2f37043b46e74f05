//! Results of name lookups.

use kit_diagnostics::Diagnostic;
use rustc_hash::FxHashSet;

use super::{DeclId, ModuleId, Value};

/// Declaration that a name refers to.
#[derive(Clone)]
pub(crate) enum Symbol<'a> {
    /// A type of the application or of a package.
    Type(DeclId),
    /// A member of an enum, by its index in the list of `Graph::enum_members`.
    EnumMember(DeclId, usize),
    /// A value: the module that declares it, its name, and the kind of declaration.
    Value(ModuleId, &'a str, Value<'a>),
    /// A namespace, or all exports of a file.
    Namespace(ModuleId),
    /// An export of one of kit's packages. The files of these packages are not read.
    Kit(&'a str),
    /// A name that no module declares: a type of TypeScript itself, or a misspelled name.
    Global,
    /// A name that cannot be resolved, with the error to report.
    Broken(Box<Diagnostic>),
}

/// Kind of declaration that a lookup searches for. One name may be a type, a value and a namespace at the
/// same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Meaning {
    Type,
    Value,
    Namespace,
}

impl Meaning {
    /// Returns the word for a kind of declaration, such as `type`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Value => "value",
            Self::Namespace => "namespace",
        }
    }
}

/// Names that the current lookup has passed. The lookup stops if it meets a name again, because the exports
/// form a cycle.
pub(super) type Visited<'a> = FxHashSet<(ModuleId, &'a str, Meaning)>;
