//! Code that several fuzz targets share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Makes a write to a closed connection an error. Otherwise, the signal SIGPIPE would end the fuzzer: the `main` of libFuzzer
/// does not ignore this signal, as Rust programs and Node do.
///
/// # Panics
///
/// Panics if the system does not accept the handler of the signal.
pub fn ignore_broken_pipes() {
    let noticed = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGPIPE, noticed).expect("a handler");
}
