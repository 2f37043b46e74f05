//! Language server of kit: mistakes, rules, routes and renames in an editor, by the Language Server Protocol.
//!
//! Place in the workspace: `kit-cli` runs the server as `kit lsp`, and passes bytes and analyses through [`Connection`]. This
//! crate calls `kit-build`, as `kit build` does, but with the unsaved texts of the editor, and writes no files.
//!
//! The server answers only what TypeScript's language server does not know: mistakes with a code of kit, the rules of types
//! and routes, and the connections between contracts, handlers, clients and doc tags.
//!
//! Invariants:
//! - The server has one thread and handles messages in their order. A request sees all edits before it.
//! - No message ends the server, except `exit` and bytes that are no messages.
//! - The server never writes files. It runs TypeScript only for saved text, and answers while TypeScript runs.
//!
//! ```
//! use std::cell::RefCell;
//! use std::future::ready;
//! use std::path::Path;
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use kit_build::{FileSystem, Rerun, Session};
//! use kit_language_server::{Analyzed, Connection, ConnectionFuture, End, Failed, Input, serve};
//!
//! /// An editor that sends some messages and then closes the stream.
//! struct Editor {
//!     parts: RefCell<Vec<Input>>,
//!     sent: RefCell<String>,
//! }
//!
//! impl Connection for Editor {
//!     fn read(&self, _wait: Duration) -> ConnectionFuture<'_, Input> {
//!         Box::pin(ready(self.parts.borrow_mut().pop().unwrap_or(Input::End)))
//!     }
//!
//!     fn end_with(&self, _process: u32) -> ConnectionFuture<'_, ()> {
//!         Box::pin(ready(()))
//!     }
//!
//!     fn write(&self, text: &str) -> bool {
//!         self.sent.borrow_mut().push_str(text);
//!         true
//!     }
//!
//!     fn analyze<'a>(
//!         &'a self,
//!         _root: &'a Path,
//!         _files: Arc<dyn FileSystem>,
//!         _rerun: Rerun,
//!         _session: &'a mut Session,
//!     ) -> ConnectionFuture<'a, Result<Analyzed, Failed>> {
//!         Box::pin(ready(Err(Failed::Message("this example has no project".to_owned()))))
//!     }
//! }
//!
//! # async fn run() {
//! let exit = b"Content-Length: 17\r\n\r\n{\"method\":\"exit\"}".to_vec();
//! let editor = Editor { parts: RefCell::new(vec![Input::Bytes(exit)]), sent: RefCell::default() };
//! // The editor has not asked the server to shut down.
//! assert_eq!(serve(&editor).await, End::Abrupt);
//! # }
//! # let mut run = std::pin::pin!(run());
//! # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! # assert!(run.as_mut().poll(&mut context).is_ready());
//! ```

mod actions;
mod answers;
mod capabilities;
mod connection;
mod definition;
mod documents;
mod frames;
mod hover;
mod lines;
mod overlay;
mod projects;
mod protocol;
mod published;
mod rename;
mod server;
mod state;
mod symbols;
mod tags;
mod uri;
mod view;

pub use connection::{Analyzed, Connection, ConnectionFuture, Failed, Input};
pub use server::{End, serve};
