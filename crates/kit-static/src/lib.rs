//! Static files: which file belongs to a request, and the response with the file. For the native server and for generated
//! Rust servers, which contain a copy of the sources. The counterpart for other servers is
//! `packages/core/src/request/static-files.ts`; both pass `conformance/static.json`.
//!
//! [`answer`] and [`FileReader::read`] block while they read files, so servers call them on a thread that may wait.
//!
//! The crate also evaluates the preconditions of requests ([`evaluate`]), opens the files of downloads ([`FileBelow`]), and selects
//! the parts of bodies that responses have ([`select`]).

mod accept;
mod answer;
mod download;
mod find;
mod http_date;
mod media_types;
mod open;
mod path;
mod preconditions;
mod range;
mod reader;
mod request;
mod selection;
mod site;
mod validators;

pub use accept::accepts_gzip;
pub use answer::{Answer, FileBody, FileResponse, answer, covers};
pub use download::FileBelow;
pub use preconditions::{CurrentVersion, Outcome, evaluate};
pub use range::ByteRange;
pub use reader::FileReader;
pub use request::FileRequest;
pub use selection::{Selection, select};
pub use site::Site;
pub use validators::Validators;
