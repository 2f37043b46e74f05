//! Safe types for Node-API and libuv. This is the only module with `unsafe` code.
//!
//! Every call into Node needs an environment, on its thread, while the environment may run JavaScript. [`Env`]
//! guarantees this: only this module creates it, for the duration of a callback, and it cannot leave its thread.
#![allow(unsafe_code)] // the boundary to C; each block states why it is sound

mod callbacks;
mod descriptor;
mod env;
mod memory;
mod module;
mod uv;

pub(crate) use callbacks::{AsyncContext, CallbackScope, CleanupHook, CloseOnExit, Reference};
pub(crate) use descriptor::inherited_listener;
pub(crate) use env::{Env, Error, MAX_KEPT, Value};
pub(crate) use memory::return_free_memory;
pub(crate) use uv::{Watcher, WatcherCallbacks};
