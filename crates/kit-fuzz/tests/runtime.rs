//! Runs the fuzz targets of the Rust runtime with their corpora, and with random inputs from fixed seeds.

mod support;

use support::{guarded, random, replay};

/// Returns random text that consists of the given strings, so that it resembles valid input.
fn near(seed: u64, length: usize, pieces: &[&str]) -> Vec<u8> {
    let mut text = Vec::new();
    for byte in random(seed, length) {
        text.extend_from_slice(pieces[usize::from(byte) % pieces.len()].as_bytes());
    }
    text
}

#[test]
fn runtime_parses_any_json_like_serde_json() {
    assert!(replay("runtime-json", kit_fuzz::runtime::json) >= 10);
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u0000",
        "\\ud83d",
        "0",
        "1",
        "-",
        ".",
        "e",
        "+",
        "true",
        "null",
        " ",
        "\"title\":",
        "\"title\":\"a\",\"children\":[]",
        "\"any\":",
        "\"names\":",
        "é",
        "{\"title\":\"a\",\"children\":[]}",
    ];
    for seed in 0..4000 {
        let bytes = near(seed, 40, &pieces);
        guarded(&format!("seed {seed}"), &bytes, kit_fuzz::runtime::json);
        guarded(
            &format!("seed {seed}"),
            &random(seed, 60),
            kit_fuzz::runtime::json,
        );
    }
}

#[test]
fn header_of_a_client_does_not_change_its_address_behind_proxies() {
    assert!(replay("trust-proxy", kit_fuzz::runtime::trust_proxy) >= 10);
    let pieces = [
        "\"", "\\", ",", ";", "=", "for=", "6.6.6.6", " ", "\t", ":", "[", "]", "a", "%", "_",
    ];
    for seed in 0..4000 {
        let mut bytes = near(seed, 20, &pieces);
        bytes.insert(0, seed.to_le_bytes()[0]);
        guarded(&format!("seed {seed}"), &bytes, kit_fuzz::runtime::trust_proxy);
        guarded(
            &format!("seed {seed}"),
            &random(seed, 60),
            kit_fuzz::runtime::trust_proxy,
        );
    }
}
