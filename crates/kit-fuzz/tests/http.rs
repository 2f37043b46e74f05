//! Runs the fuzz targets of the HTTP engine and of WebSockets with random inputs from fixed seeds.

mod support;

use support::{guarded, random};

/// Runs a fuzz target with this number of seeds. `corpus.rs` runs it with its corpus.
fn try_all(name: &str, run: fn(&[u8]), seeds: u64, length: usize) {
    for seed in 0..seeds {
        let bytes = random(seed, length);
        guarded(&format!("seed {seed} of {name}"), &bytes, run);
    }
}

#[test]
fn engine_serves_random_traffic_of_several_clients() {
    try_all("http-traffic", kit_fuzz::http::traffic, 3000, 900);
}

#[test]
fn engine_gives_the_same_result_wherever_a_stream_is_split() {
    try_all("http-splits", kit_fuzz::http::splits, 3000, 400);
}

#[test]
fn guard_gives_the_same_result_for_every_size_of_the_chunks() {
    try_all("http-guard", kit_fuzz::http::guard, 3000, 200);
}

#[test]
fn websocket_gives_the_same_result_for_every_size_of_the_parts() {
    try_all("websocket", kit_fuzz::websocket, 20_000, 300);
}
