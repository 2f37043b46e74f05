//! Bodies that are not JSON: forms, multipart bodies, text, bytes, lines and events. `packages/core/src/bodies` implements
//! the same in TypeScript.

mod choice;
pub(super) mod chunks;
mod content;
mod events;
mod file_part;
mod lines;
mod multipart;
mod part_failure;
mod request;
mod request_chunks;
mod request_lines;
mod uploads;

pub use choice::Choice;
pub use content::{Content, ContentSender};
pub use events::{Event, EventData, EventSender, Events};
pub use file_part::{File, FilePart};
pub use lines::{LineSender, Lines};
pub use multipart::Files;
pub use request_chunks::RequestChunks;
pub use request_lines::RequestLines;
pub use uploads::{Upload, Uploads};
