//! Creates database tables from entities, schema files for query builders, and migrations from one schema to the next.
//!
//! `kit-build` and `kit-cli` use this crate. It is in the same layer as `kit-emit`. All functions are pure: they read
//! the IR and strings from the caller, and open no file or connection (`kit-migrate` opens connections).
//!
//! Data flow: [`Schema::from_program`] turns entities into tables. [`drizzle::emit`], [`kysely::emit`] and
//! [`raw::emit`] write schema files. [`plan`] compares the committed [`Snapshot`] with the schema.
//! [`Migration::create`] turns the [`Plan`] into a directory that the user commits, and [`draft`] turns it into the
//! files of `.kit/migrations/`.
//!
//! Invariants:
//! - Order comes from the source: tables are in the order of entities, columns in the order of properties. Equal input
//!   gives equal bytes.
//! - A name in SQL is quoted if PostgreSQL requires quotes, so every name of an entity or property is usable.
//! - A change that kit cannot make safely, or cannot write yet, is a [`Problem`] with advice for the user. kit never
//!   writes a statement that is only nearly correct.
//! - A change that loses values for good (`DROP TABLE`, `DROP COLUMN`) is marked by [`Change::is_destructive`].
//!
//! ```
//! use kit_database::{Migration, Schema, Snapshot, plan};
//!
//! let program = kit_ir::Program::default();
//! let (schema, diagnostics) = Schema::from_program(&program);
//! assert!(diagnostics.is_empty());
//! let plan = plan(None, &schema).unwrap();
//! assert!(plan.is_empty());
//! # let _ = (Snapshot::of(&schema), std::any::type_name::<Migration>());
//! ```

mod adopted;
mod branches;
mod change;
mod column_type;
mod creation;
mod definitions;
mod diff;
mod draft;
pub mod drizzle;
mod expand;
mod expansion;
mod foreign;
pub mod kysely;
mod migration;
mod model;
mod names;
mod online;
mod pulled;
mod qualified;
pub mod raw;
mod relations;
mod renames_from;
mod replaced;
mod rows;
mod snapshot;
pub mod sql;
mod squashed;
mod step;
mod tables;
mod tags;
mod timestamps;
mod type_names;
mod typescript;

pub use branches::{Latest, committed, latest};
pub use change::Change;
pub use creation::{Creation, stored_type};
pub use diff::{Plan, PlanError, Problem, plan};
pub use draft::{draft, draft_of, draft_of_problems};
pub use expand::{Using, expand};
pub use expansion::{Expansion, UndoCheck};
pub use foreign::{ForeignObject, ObjectKind};
pub use migration::{Migration, MigrationError};
pub use model::{
    Check, Column, ColumnDefault, ColumnSource, ColumnType, Counts, ElementType, Elements, ForeignKey, Index,
    Range, Rule, Schema, Table, TypeName, Unique, ValueType,
};
pub use names::{HISTORY_TABLES, TRIGGER_PREFIX};
pub use online::ColumnCopy;
pub use pulled::{LeftOut, Pulled, PulledEntity, on_one_line, pulled};
pub use qualified::{local_name, qualified, schema_of};
pub use replaced::Replaced;
pub use snapshot::{Snapshot, SnapshotError, schemas_of};
pub use squashed::{replaced_but_present, squash_problems};
pub use step::{Alternative, ChangeClass, PlannedChange, Risk};
pub use tags::{RenameTag, rename_tags};

/// A file to write. The function that returns the file documents its base directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Path relative to the base directory, with `/` as the separator.
    pub path: String,
    /// Content of the file.
    pub text: String,
}
