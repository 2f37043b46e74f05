//! Applies committed migrations to a live PostgreSQL.
//!
//! Where it stands: above `kit-database`, which reads and writes migrations without a connection; below `kit-cli`. The
//! caller sees blocking functions, [`apply`] and [`server_version`]; inside, a runtime lives on the calling thread for as long as it takes.
//!
//! What was applied stands in the table `kit_migrations`, in the schema where the migrations make their tables (the
//! first of the connection's `search_path`): applying needs no right that the migrations do not need themselves.
//!
//! Invariants:
//! - One at a time: an advisory lock is held throughout, and waiting for it is bounded.
//! - A migration and its row in the history are one transaction. One with statements that have to run outside of a
//!   transaction is recorded step by step in `kit_migration_progress`. Whatever dies in between, the next run goes on
//!   from there.
//! - A lock on a table is waited for briefly and again, never for long: whoever waits for one keeps later queries waiting.
//! - Nothing is applied before everything is checked: an applied migration that was edited or is gone, or a destructive
//!   one without consent, leaves the database as it was. The statements themselves are judged, besides `changes.json`.
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

mod apply;
mod catalog;
mod concurrent;
mod connect;
mod cut;
mod destructive;
mod drift;
mod error;
mod event;
mod history;
mod interrupt;
mod lock;
mod one;
mod pooler;
mod script;
mod status;
mod tls;
mod version;

pub use apply::{Applied, Options, Report, apply, apply_watched};
pub use catalog::{Catalog, CatalogColumn, CatalogObject, CatalogTable};
pub use cut::{Cut, cut, judge};
pub use destructive::Loss;
pub use drift::{Difference, Drift, drift};
pub use error::{MigrateError, Refusal};
pub use event::{Event, Planned};
pub use status::{MigrationStatus, State, Status, status};
pub use version::{ServerVersion, server_version};
