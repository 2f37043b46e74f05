//! Tests of example values, of results of decoding, and of ambiguous unions.

#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

mod support;

use kit_analysis::{
    AmbiguitySearch, DecodedValue, Fit, Outcome, ambiguities, disjoint, example, fit, read, samples,
};
use kit_ir::{Constraints, Format, IndexKey, IndexSignature, Program, TypeId, TypeKind};
use serde_json::{Value, json};
use support::{Random, declare, object, program, text, union};

#[test]
fn example_that_is_created_for_two_types_is_valid_for_each_type() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut found, mut apart) = (0, 0);
    for _ in 0..4000 {
        let mut p = program();
        let (a, b) = (random.r#type(&mut p, 3), random.r#type(&mut p, 3));
        for full in [false, true] {
            let Some(value) = example(&p, &[a, b], full) else {
                continue;
            };
            found += 1;
            assert_eq!(fit(&p, a, &value), Fit::Yes, "{value}");
            assert_eq!(fit(&p, b, &value), Fit::Yes, "{value}");
            assert!(!disjoint(&p, a, b), "{value} fits both of {p:?}");
        }
        apart += usize::from(disjoint(&p, a, b));
    }
    assert!(
        found > 200 && apart > 1000,
        "{found} examples, {apart} disjoint pairs"
    );
}

#[test]
fn finds_a_valid_example_for_every_random_type() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..2000 {
        let mut p = program();
        let id = random.r#type(&mut p, 3);
        let value = example(&p, &[id], false).unwrap();
        assert_eq!(fit(&p, id, &value), Fit::Yes);
        assert!(read(&p, id, &value).is_some());
    }
}

/// Without a memory of the results, each level would double the time.
#[test]
fn a_nested_value_that_fits_several_members_of_unions_is_checked_and_read_in_little_time() {
    let mut p = program();
    let mut id = p.add_type(TypeKind::Number);
    let string = p.add_type(TypeKind::String);
    let (mut fitting, mut wrong) = (json!(1), json!("a"));
    for _ in 0..60 {
        let small = object(&mut p, &[("next", id)]);
        let large = object(&mut p, &[("next", id), ("more?", string)]);
        id = union(&mut p, &[small, large]);
        fitting = json!({ "next": fitting });
        wrong = json!({ "next": wrong });
    }
    assert_eq!(fit(&p, id, &fitting), Fit::Yes);
    assert_eq!(fit(&p, id, &wrong), Fit::No);
    assert_eq!(keys(&read(&p, id, &fitting).unwrap()), ["next"]);
    assert_eq!(read(&p, id, &wrong), None);
}

/// The value in each report fits both members and gives a different result for each of them.
#[test]
fn reports_a_union_only_if_a_value_is_valid_for_two_of_its_members() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut warnings = 0;
    for _ in 0..2000 {
        let mut p = program();
        let members: Vec<_> = (0..3).map(|_| random.r#type(&mut p, 2)).collect();
        let id = union(&mut p, &members);
        declare(&mut p, "Random", id);
        for found in ambiguities(&p) {
            warnings += 1;
            let as_first = read(&p, found.read_as, &found.witness).unwrap();
            let as_other = read(&p, found.other, &found.witness).unwrap();
            assert_ne!(as_first, as_other);
            match found.outcome {
                Outcome::Dropped => {
                    assert!(
                        as_first.has_keys_missing_in(&as_other) && as_other.has_keys_missing_in(&as_first)
                    );
                }
                Outcome::Converted => {
                    assert!(
                        !as_first.has_keys_missing_in(&as_other) && !as_other.has_keys_missing_in(&as_first)
                    );
                }
            }
        }
    }
    assert!(warnings > 100, "{warnings}");
}

/// A union does not choose a member if another member accepts the same keys and more.
#[test]
fn chooses_the_union_member_that_declares_the_most_keys_of_the_value() {
    let mut random = Random(0x0f0f_1234_4321_f0f1);
    for _ in 0..2000 {
        let mut p = program();
        let members: Vec<_> = (0..2).map(|_| random.r#type(&mut p, 2)).collect();
        let id = union(&mut p, &members);
        let Some(value) = example(&p, &members, true) else {
            continue;
        };
        let chosen = read(&p, id, &value).unwrap();
        for member in members {
            let other = read(&p, member, &value).unwrap();
            assert!(
                chosen.has_keys_missing_in(&other) || !other.has_keys_missing_in(&chosen),
                "{value}"
            );
        }
    }
}

fn keys(read: &DecodedValue) -> Vec<&str> {
    match read {
        DecodedValue::Entries(entries) => entries.iter().map(|(key, _)| key.as_str()).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn order_of_union_members_does_not_change_the_accepted_keys() {
    let mut p = program();
    let (string, number) = (p.add_type(TypeKind::String), p.add_type(TypeKind::Number));
    let narrow = object(&mut p, &[("a", string)]);
    let wide = object(&mut p, &[("a", string), ("b?", number)]);
    let value = json!({ "a": "x", "b": 1, "c": true });
    for members in [[narrow, wide], [wide, narrow]] {
        let id = union(&mut p, &members);
        assert_eq!(keys(&read(&p, id, &value).unwrap()), ["a", "b"]);
    }
}

fn warned(p: &mut Program, members: &[TypeId]) -> Option<Value> {
    let id = union(p, members);
    declare(p, "Tested", id);
    let found = ambiguities(p).into_iter().find(|found| found.r#type == id);
    found.map(|found| found.witness)
}

#[test]
fn reports_a_union_if_the_chosen_member_drops_or_converts_values() {
    let mut p = program();
    let (string, date) = (p.add_type(TypeKind::String), p.add_type(TypeKind::Date));
    let number = p.add_type(TypeKind::Number);
    let (a, b) = (text(&mut p, "a"), text(&mut p, "b"));
    let with = |p: &mut Program, properties: &[(&str, TypeId)]| object(p, properties);
    let left = with(&mut p, &[("a", string)]);
    let right = with(&mut p, &[("b", number)]);
    assert_eq!(warned(&mut p, &[left, right]), Some(json!({ "a": "a", "b": 1 })));
    let both = with(&mut p, &[("a", string), ("b", number)]);
    assert_eq!(warned(&mut p, &[left, both]), None, "the other keeps more");
    let (tagged, other) = (
        with(&mut p, &[("kind", a), ("x", string)]),
        with(&mut p, &[("kind", b), ("y", string)]),
    );
    assert_eq!(warned(&mut p, &[tagged, other]), None);
    let at = with(&mut p, &[("at", date)]);
    let text = with(&mut p, &[("at", string)]);
    assert_eq!(
        warned(&mut p, &[text, at]),
        Some(json!({ "at": "2026-01-31T12:00:00Z" }))
    );
    assert_eq!(warned(&mut p, &[string, number]), None);
}

#[test]
fn accepts_the_valid_samples_and_never_reports_a_broken_sample_as_valid() {
    let mut p = program();
    let date = p.add_type(TypeKind::Date);
    let bytes = p.add_type(TypeKind::Bytes);
    let bigint = p.add_type(TypeKind::BigInt);
    let types = &samples().types;
    let mut all = vec![
        (date, &types.date),
        (bytes, &types.bytes),
        (bigint, &types.bigint),
    ];
    for format in Format::ALL {
        let id = p.add_type(TypeKind::String);
        p.types[id].constraints.format = Some(format);
        all.push((id, samples().of_format(format)));
    }
    for (id, sample) in all {
        assert_eq!(fit(&p, id, &json!(sample.valid)), Fit::Yes, "{}", sample.valid);
        assert!(!sample.broken.is_empty());
        for value in &sample.broken {
            assert_ne!(fit(&p, id, value), Fit::Yes, "{value}");
        }
    }
}

/// Each edit replaces the kind of one type.
#[test]
fn search_after_an_edit_finds_the_unions_that_a_new_search_finds() {
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    let mut different = 0;
    for _ in 0..200 {
        let mut p = program();
        let members: Vec<_> = (0..3).map(|_| random.r#type(&mut p, 2)).collect();
        let id = union(&mut p, &members);
        declare(&mut p, "Random", id);
        for index in 0..p.types.len() {
            let mut search = AmbiguitySearch::default();
            let before = search.ambiguities(&p);
            let mut edited = p.clone();
            edited.types[TypeId::from(index)].kind = if index % 2 == 0 {
                TypeKind::Date
            } else {
                TypeKind::String
            };
            let found = ambiguities(&edited);
            different += usize::from(before != found);
            assert_eq!(search.ambiguities(&edited), found);
            assert_eq!(search.ambiguities(&p), before);
        }
    }
    assert!(different > 50, "{different}");
}

/// An edit of `{ b: U }` to `{ [b: string]: U }` leaves all types and their ids as they are.
#[test]
fn search_after_an_edit_finds_a_union_whose_property_became_an_index_signature() {
    let mut p = program();
    let text = p.add_type(TypeKind::String);
    let first = object(&mut p, &[("a", text)]);
    let second = object(&mut p, &[("c", text)]);
    let inner = union(&mut p, &[first, second]);
    let outer = object(&mut p, &[("b", inner)]);
    declare(&mut p, "Outer", outer);
    let mut search = AmbiguitySearch::default();
    search.ambiguities(&p);
    let mut edited = p.clone();
    let TypeKind::Object(shape) = &mut edited.types[outer].kind else {
        panic!("it is an object");
    };
    shape.properties.clear();
    shape.index.push(IndexSignature {
        key: IndexKey::String,
        rules: Constraints::default(),
        value: inner,
    });
    assert_eq!(search.ambiguities(&edited), ambiguities(&edited));
}
