//! Tables of entities, the schema files of query builders, and the migrations that bring a database from one to the next.
//!
//! Where it stands: beside `kit-emit`, below `kit-build` and `kit-cli`. Everything is a pure function of the IR and of
//! texts that the caller read; nothing here opens a file or a connection (`kit-migrate` does the latter).
//!
//! The way: [`Schema::from_program`] makes tables of entities; [`drizzle::emit`], [`kysely::emit`] and [`raw::emit`] write schema files; [`plan`] compares
//! the committed [`Snapshot`] with the schema; [`Migration::create`] turns the [`Plan`] into a committed directory and
//! [`draft`] into the pending files of `.kit/`.
//!
//! Invariants:
//! - Order comes from the source: tables as entities, columns as properties. Equal input gives equal bytes.
//! - A name in SQL is quoted where PostgreSQL needs it, so that no entity or property is an unspeakable one.
//! - A change that cannot be made safely or cannot be written yet is a [`Problem`] that says what to do; there is never
//!   a statement that is only nearly right.
//! - What is lost for good (`DROP TABLE`, `DROP COLUMN`) is marked [`Change::is_destructive`].
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

mod branches;
mod change;
mod diff;
mod draft;
pub mod drizzle;
mod former;
pub mod kysely;
mod migration;
mod model;
mod names;
pub mod raw;
mod rows;
mod snapshot;
pub mod sql;
mod step;
mod tables;
mod tags;
mod times;
mod typescript;

pub use branches::{Latest, committed, latest};
pub use change::Change;
pub use diff::{Plan, PlanError, Problem, plan};
pub use draft::{draft, refused};
pub use migration::{Migration, MigrationError};
pub use model::{
    Check, Column, ColumnDefault, ColumnSource, ColumnType, Counts, ForeignKey, Index, Range, Rule, Schema,
    Table, Unique, ValueType,
};
pub use snapshot::{Snapshot, SnapshotError};
pub use step::{Alternative, Class, Step};
pub use tags::{RenameTag, rename_tags};

/// A file to write: its path relative to the directory named by the function that returns it, with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// Where.
    pub path: String,
    /// What.
    pub text: String,
}
