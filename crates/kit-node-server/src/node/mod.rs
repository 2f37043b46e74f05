//! Node-API and libuv behind safe types. This module is the one place with `unsafe`.
//!
//! Every call into Node needs an environment, on its thread, while it may run JavaScript. [`Env`] stands for that: it is
//! made only here, for the length of a callback, and cannot leave its thread.
#![allow(unsafe_code)] // the boundary to C; each block says why it holds

mod callbacks;
mod descriptor;
mod env;
mod module;
mod uv;

pub(crate) use callbacks::{AsyncContext, CallbackScope, Ends, Hook, Reference};
pub(crate) use descriptor::inherited_listener;
pub(crate) use env::{Env, Error, Value};
pub(crate) use module::Export;
pub(crate) use uv::{Target, Watcher};
