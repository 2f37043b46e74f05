//! Runs a fuzz target with the inputs of its corpus and with random inputs.
#![allow(clippy::disallowed_methods)] // Reason: the corpus consists of files.
#![allow(clippy::unwrap_used)] // Reason: a helper of a test may fail the test.
#![allow(dead_code)] // Reason: each test binary uses some of the functions.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Maximum time for one input. If it takes longer, the test fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs a fuzz target with all inputs of its corpus, and returns their number.
pub(crate) fn replay(name: &str, run: fn(&[u8])) -> usize {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(name);
    let mut paths: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in &paths {
        guarded(&path.display().to_string(), &fs::read(path).unwrap(), run);
    }
    paths.len()
}

/// Returns the names of the files in a directory of `fuzz/`.
pub(crate) fn files(directory: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz")
        .join(directory);
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Runs a fuzz target with one input on a separate thread, so that the test can fail if it never
/// returns.
pub(crate) fn guarded(name: &str, data: &[u8], run: fn(&[u8])) {
    let (sender, receiver) = mpsc::channel();
    let data = data.to_vec();
    let thread = thread::spawn(move || {
        run(&data);
        let _ = sender.send(());
    });
    match receiver.recv_timeout(PATIENCE) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs: {name}"),
        _ => assert!(thread.join().is_ok(), "it panics: {name}"),
    }
}

/// Returns pseudo-random bytes (xorshift). The same seed gives the same bytes on every machine.
pub(crate) fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}
