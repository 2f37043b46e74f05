//! Builds a project: compiles the sources in its directory to the artifacts in `.kit/`.
//!
//! Place in the workspace: this crate calls every phase of the compiler, and the command line calls this crate. It is
//! the only crate of the compiler that reads and writes files. It prints nothing.
//!
//! Sequence: [`find_config_file`] and [`resolve`] read the configuration and fill in defaults. [`build`] expands globs, runs
//! the phases, and writes. A phase runs even if an earlier phase reported errors, so that a build shows all mistakes.
//!
//! Invariants:
//! - A build with an error does not change the output directory.
//! - The same sources give the same bytes. A file contains the time of the build that last changed it, so a second build
//!   changes nothing; `SOURCE_DATE_EPOCH` fixes the time.
//! - A build overwrites and removes only files that a build wrote.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::Arc;
//! use std::time::SystemTime;
//! use kit_build::{BuildRequest, BuildTime, Disk, build, project_root, resolve};
//!
//! # fn main() -> Result<(), kit_build::BuildError> {
//! let root = project_root(Path::new("examples/notes"))?;
//! let resolution = resolve(&root, None)?;
//! let time = BuildTime::new(None, SystemTime::now())?;
//! let request = BuildRequest { root: &root, config: &resolution.config, files: Arc::new(Disk), time: &time };
//! let report = build(&request, &())?;
//! println!("{} routes", report.counts.routes);
//! # Ok(())
//! # }
//! ```

mod analyze;
mod build;
mod build_report;
mod build_request;
mod config;
mod contract_tests;
mod create_directory;
mod database;
mod directories;
mod disk;
mod emit;
mod entities;
mod env_example;
mod error;
mod files;
mod glob_syntax;
mod globs;
mod hooks;
mod imported_validators;
mod inferred;
mod linked_packages;
mod migrations;
mod output;
mod parent_project;
mod plugins;
mod progress;
mod related_tests;
mod routes;
mod session;
mod temporary;
mod time;
mod unions;

pub use analyze::{Analysis, Rerun, analyze, analyze_with};
pub use build::{build, build_with, check, check_with, compile_step, finish};
pub use build_report::{BuildReport, Counts};
pub use build_request::BuildRequest;
pub use config::{
    Adapter, AdapterChoice, AdapterOrigin, CONFIG_FILES, Compiler, Config, ConfigSource, LoadedConfig,
    Plugin, ProjectInfo, Resolution, ResolvedConfig, Tap, TestPackages, TestsConfig, find_config_file,
    resolve,
};
pub use contract_tests::{NoContractTests, contract_tests};
pub use create_directory::{
    TargetState, check_target, create_file, create_tree, entry_names, fill_directory, remove_created,
};
pub use database::PendingChanges;
pub use entities::pull_entities;
pub use error::BuildError;
pub use files::{Disk, project_root, read_text, write_text};
pub use globs::{SourceFiles, find_contract_tests, find_modules, find_sources, find_tests};
pub use hooks::{COMPILE_STEP, HOOKS, Hook};
pub use inferred::{TypeRun, TypeRunState};
pub use kit_emit::{CONTRACTS, written_tags};
pub use kit_typescript::{
    FileSystem, MentionKind, MissingHandler, ProjectModules, Registration, RouteMention, SourceTexts,
    TypeName, add_handlers, default_table, display_path, imports, register, route_mentions, syntax_error,
};
pub use linked_packages::link_packages;
pub use migrations::{
    MIGRATIONS, other_files, read_migrations, remove_migration, write_migration, write_snapshot,
};
pub use output::{FileChanges, Uncompiled, copy_uncompiled};
pub use parent_project::{project_above, project_advice, project_of};
pub use plugins::{
    Attachment, CodeLocation, Mode, NoPlugins, RegisteredTap, TapEvent, TapFuture, TapHost, registered_taps,
};
pub use progress::{Progress, Step};
pub use session::Session;
pub use temporary::TemporaryDirectory;
pub use time::BuildTime;
