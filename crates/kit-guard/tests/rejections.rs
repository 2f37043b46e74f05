//! The list of all rejections has every rejection in the sources.

#![allow(clippy::disallowed_methods)] // Reason: the test reads the sources of the crate.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use kit_guard::REJECTIONS;

/// Returns the first string literal of a text.
fn first_literal(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('"')?;
    rest.split_once('"').map(|(literal, _)| literal)
}

#[test]
fn list_contains_every_rejection_message_of_the_source_code() {
    let mut messages = BTreeSet::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("rejections.rs") {
            continue;
        }
        let source = fs::read_to_string(path).unwrap();
        for constructor in ["Rejection::bad_request(", "Rejection::not_implemented("] {
            messages.extend(
                source
                    .split(constructor)
                    .skip(1)
                    .filter_map(first_literal)
                    .map(str::to_owned),
            );
        }
    }
    assert!(messages.len() > 20, "{messages:?}");
    let listed: BTreeSet<_> = REJECTIONS.iter().map(|rejection| rejection.message).collect();
    for message in &messages {
        assert!(
            listed.contains(message.as_str()),
            "the list has no rejection {message:?}"
        );
    }
}

#[test]
fn lists_each_rejection_only_once() {
    let all: BTreeSet<_> = REJECTIONS.iter().map(|one| (one.status, one.message)).collect();
    assert_eq!(all.len(), REJECTIONS.len());
}
