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
fn header_that_a_client_sends_does_not_change_the_client_address_behind_proxies() {
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

#[test]
fn multipart_body_has_the_same_parts_after_it_is_parsed_and_written() {
    assert!(replay("multipart", kit_fuzz::runtime::multipart) >= 10);
    let pieces = [
        "--b",
        "\r\n--b",
        "\r\n--b--",
        "\r\n--b\r\ncontent-disposition: form-data; name=a\r\n\r\n",
        "\r\n--b\r\ncontent-disposition: form-data; name=a; filename=\"b\"\r\ncontent-type: a/b\r\n\r\n",
        "\r\n",
        "\r",
        "\n",
        "--",
        "b",
        " ",
        "\t",
        "content-length: 1\r\n",
        "\"",
        ";",
    ];
    let types = [
        "multipart/form-data; boundary=b\n",
        "multipart/form-data; boundary=\"-b\"\n",
        "multipart/form-data; boundary=\"b\\b\"\n",
    ];
    for seed in 0..4000 {
        for content_type in types {
            for (end, length) in [("", 12), ("\r\n--b--", 6), ("\r\n--b--\r\n", 3)] {
                let mut bytes = content_type.as_bytes().to_vec();
                bytes.extend_from_slice(b"--b\r\ncontent-disposition: form-data; name=a\r\n\r\n");
                bytes.extend(near(seed, length, &pieces));
                bytes.extend_from_slice(end.as_bytes());
                guarded(&format!("seed {seed}"), &bytes, kit_fuzz::runtime::multipart);
            }
        }
        let any = random(seed, 60);
        guarded(&format!("seed {seed}"), &any, kit_fuzz::runtime::multipart);
    }
}
