//! Writes files with which an application runs in production: Kubernetes manifests, a compose file and systemd units.
//!
//! This crate is used by `kit-cli`. It does no I/O: [`Deployment::new`] reads the settings of the application from the IR,
//! and [`files`] returns pairs of path and text.
//!
//! Invariants:
//! - Equal input gives equal files, in the same order.
//! - No file contains the value of a secret, only its name.
//! - The first line of each file has a checksum of the rest, so that [`state`] recognizes a file that a person changed.
//!
//! ```
//! use kit_deploy::{Choices, Deployment, Format, NodeProgram, Project, Runtime, files};
//! use kit_ir::Program;
//!
//! let project = Project {
//!     name: "shop",
//!     version: "1.2.0",
//!     runtime: Runtime::Node(NodeProgram {
//!         program: "src/main.ts".to_owned(),
//!         options: vec!["--enable-source-maps".to_owned()],
//!         ..NodeProgram::default()
//!     }),
//!     worker: None,
//!     has_migrations: false,
//!     read_variables: &[],
//! };
//! let deployment = Deployment::new(&Program::default(), &project, &Choices::default());
//! let files = files(&deployment, &[Format::Systemd]);
//! assert_eq!(files[0].path, "systemd/shop.service");
//! assert!(files[0].text.contains("\nExecStart=/usr/bin/node --enable-source-maps src/main.ts\n"));
//! ```

mod choices;
mod client_certificates;
mod compose;
mod deployment;
mod file;
mod kubernetes;
mod mark;
mod name;
mod options;
mod pod;
mod ports;
mod program;
mod systemd;
mod tls;
mod variable;
mod yaml;

pub use choices::{Choices, ClientCertificates};
pub use deployment::{Deployment, Health, Processes, Project, Runtime};
pub use file::{File, Format, files};
pub use mark::{State, state};
pub use ports::PortConflict;
pub use program::{NodeProgram, ScriptVariable};
pub use variable::{ReadVariable, Variable, VariableSource};
