//! Creates new projects: a function from options to files.
//!
//! This crate is used by `kit-cli`, which prompts the user for the options. It does not depend on the compiler and does no
//! I/O: files are pairs of path and text, and `kit-build` writes them.
//!
//! Invariants:
//! - Equal options give equal files, in the same order.
//! - A new project works unchanged: `tests/scaffold` creates every kind of project, checks its types, and
//!   runs some of the projects.
//!
//! ```
//! use kit_scaffold::{Adapter, Options, PackageManager, ProjectName, Server, Template, project};
//!
//! let options = Options {
//!     name: ProjectName::parse("shelf").unwrap(),
//!     template: Template::Api,
//!     server: Server::Native,
//!     database: Adapter::Drizzle,
//!     manager: PackageManager::Npm,
//!     timestamp: "20261121090000".to_owned(),
//!     archives: None,
//! };
//! assert_eq!(project(&options)[0].path, "package.json");
//! ```

mod addition;
mod entity;
mod file;
mod manifest;
mod name;
mod options;
mod package_manager;
mod packages;
mod project;
mod template;
mod words;

pub use addition::{Addition, Kind, addition};
pub use entity::{Entity, EntityOptions, entity, interface_name, looks_plural};
pub use file::File;
pub use name::{NameError, ProjectName};
pub use options::{Archives, Options};
pub use package_manager::PackageManager;
pub use packages::{Adapter, Server};
pub use project::project;
pub use template::Template;
