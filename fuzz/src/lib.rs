//! Code that several fuzz targets share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has writing to a peer that left be an error. A Rust program and Node see to that themselves; libFuzzer's own `main` does
/// not, and would end without a word.
///
/// # Panics
///
/// Where the system refuses, which it has no reason to.
pub fn ignore_broken_pipes() {
    let noticed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGPIPE, noticed).expect("a handler");
}
