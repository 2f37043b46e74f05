//! Applies committed migrations to a live PostgreSQL database.
//!
//! `kit-cli` uses this crate. The crate itself uses `kit-database`, which reads and writes migrations without a
//! connection. The public functions, such as [`apply`] and [`server_version`], block; each runs an asynchronous runtime
//! on the calling thread until it is done.
//!
//! The table `kit_migrations` records applied migrations. It is in the schema in which the migrations create their
//! tables (the first one of the connection's `search_path`), so it needs no more rights than the migrations.
//!
//! Invariants:
//! - Only one run at a time: each run holds an advisory lock, and the wait for the lock has a limit.
//! - A migration and its row in the history are one transaction. A migration that lines such as `-- kit: new transaction`
//!   divide into steps is recorded step by step in `kit_migration_progress`. If a run is killed, the next run continues after
//!   the last recorded step.
//! - Each attempt to lock a table is short and is repeated, because a waiting attempt blocks later queries of the
//!   application.
//! - All checks run before any migration: if an applied migration was edited or is missing, or a destructive one lacks
//!   consent, the database stays unchanged. The checks judge both the statements and `changes.json`.
//! - A dry run writes nothing, not even the history table.
//! - An error never shows the password of the connection string.
//!
//! ```no_run
//! use kit_migrate::{Options, apply};
//!
//! let report = apply("postgres://localhost/app", &[], &Options::default())?;
//! for migration in &report.applied {
//!     println!("{} in {:?}", migration.name, migration.duration);
//! }
//! # Ok::<(), kit_migrate::MigrateError>(())
//! ```

mod adopt;
mod advice;
mod apply;
mod batches;
mod blockers;
mod catalog;
mod concurrent;
mod connect;
mod database_error;
mod destructive;
mod drift;
mod dump;
mod error;
mod event;
mod halves;
mod history;
mod interrupt;
mod lint;
mod lock;
mod migration_run;
mod pooler;
mod printed;
mod reconcile;
mod record;
mod role_blocks;
mod run;
mod scratch;
mod script;
mod split;
mod squash;
mod squash_rows;
mod squash_statements;
mod stand_ins;
mod status;
mod structure;
mod table_names;
mod tls;
mod url;
mod version;

pub use adopt::{ExistingDatabase, baseline};
pub use apply::{Report, apply, apply_watched};
pub use catalog::{Catalog, CatalogObject};
pub use database_error::DatabaseError;
pub use destructive::Loss;
pub use drift::{Difference, Drift, drift};
pub use error::MigrateError;
pub use event::{Applied, Event, Half, Planned};
pub use lint::{Finding, find_risks};
pub use record::{first_unrecorded, record};
pub use run::Options;
pub use scratch::with_scratch_database;
pub use split::{SplitStatement, find_data_loss, split_statements};
pub use squash::{Rows, Squashed, squash};
pub use squash_statements::Unmodelled;
pub use status::{MigrationStatus, State, Status, status};
pub use structure::{structure_checksum, with_structure};
pub use table_names::{TableName, table_names};
pub use version::{ServerVersion, server_version};
