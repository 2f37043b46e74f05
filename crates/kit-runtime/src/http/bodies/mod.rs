//! Bodies that are not JSON: forms, multipart bodies, text, bytes, lines and events. `packages/core/src/bodies` implements
//! the same in TypeScript.

mod content;
mod events;
mod lines;
mod multipart;
mod request;
mod request_lines;

pub use events::{Event, EventData, EventSender, Events};
pub use lines::{LineSender, Lines};
pub use multipart::{File, FilePart, Files};
pub use request_lines::RequestLines;
