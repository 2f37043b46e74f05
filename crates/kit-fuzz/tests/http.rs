//! The HTTP engine with random input of fixed seeds, on every run of the tests.

mod support;

use support::{guarded, random};

/// Runs a target with as many seeds. `corpus.rs` runs it with its corpus.
fn try_all(name: &str, run: fn(&[u8]), seeds: u64, length: usize) {
    for seed in 0..seeds {
        let bytes = random(seed, length);
        guarded(&format!("seed {seed} of {name}"), &bytes, run);
    }
}

#[test]
fn traffic_of_several_clients() {
    try_all("http-traffic", kit_fuzz::http::traffic, 3000, 900);
}

#[test]
fn streams_in_pieces() {
    try_all("http-pieces", kit_fuzz::http::pieces, 3000, 400);
}

#[test]
fn any_bytes_before_the_guard() {
    try_all("http-guard", kit_fuzz::http::guard, 3000, 200);
}
