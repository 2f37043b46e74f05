//! New projects: what is in one, as a function from options to files.
//!
//! Where it stands: below `kit-cli`, which asks for the options, and knows nothing of the compiler. It touches no disk: files
//! are (path, text) pairs, and `kit-build` writes them.
//!
//! Invariants:
//! - Same options, same files, in the same order.
//! - A project works as it is: `tests/scaffold` makes each one, checks its types, and runs some.
//!
//! ```
//! use kit_scaffold::{Adapter, Options, ProjectName, Server, project};
//!
//! let options = Options {
//!     name: ProjectName::parse("shelf").unwrap(),
//!     server: Server::Native,
//!     database: Adapter::Drizzle,
//!     timestamp: "20261121090000".to_owned(),
//!     archives: None,
//! };
//! assert_eq!(project(&options)[0].path, "package.json");
//! ```

mod addition;
mod entity;
mod manifest;
mod name;
mod options;
mod project;
mod words;

pub use addition::{Addition, Kind, addition};
pub use entity::{Entity, EntityOptions, entity, interface_name, looks_plural};
pub use name::{NameError, ProjectName};
pub use options::{Adapter, Archives, Options, Server};
pub use project::{File, project};
