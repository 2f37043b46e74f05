//! Tests of the codecs that tell clients which values of a response have no JSON type.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use kit_emit::{EmitOptions, emit};
use kit_ir::{Method, RouteSlots, TupleElement, TypeId, TypeKind};
use support::Builder;

/// Returns the codec of the response type `Tested`, if there is one, and the type of its route.
fn told(make: impl FnOnce(&mut Builder) -> TypeId) -> (Option<String>, String) {
    let mut b = Builder::new("src/app.types.ts");
    let made = make(&mut b);
    let tested = b.declare("Tested", made);
    let slots = RouteSlots {
        response: Some(tested),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Get, "/tested", "Routes", slots);
    b.program.routes.push(route);
    let options = EmitOptions {
        generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
        output_dir_to_root: "..".to_owned(),
        title: "client".to_owned(),
        tests: None,
        version: "1.0.0".to_owned(),
        about: kit_emit::ApiInfo::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
    };
    let artifacts = emit(&b.program, &support::tree(&b.program), &options);
    let client = artifacts
        .iter()
        .find(|artifact| artifact.path == "client/index.ts")
        .unwrap();
    let line = |start: &str| {
        let line = client
            .text
            .lines()
            .find_map(|line| line.trim().strip_prefix(start))?;
        Some(line.trim_end_matches([',', ';']).to_owned())
    };
    (line("Tested: "), line("\"GET /tested\": Route<").unwrap())
}

fn codec(make: impl FnOnce(&mut Builder) -> TypeId) -> String {
    let (codec, route) = told(make);
    assert_eq!(route, "{}, Types.Tested>");
    codec.unwrap_or_default()
}

/// Asserts that clients get plain JSON, and that the type of the route says so.
fn assert_plain(make: impl FnOnce(&mut Builder) -> TypeId) {
    assert_eq!(told(make), (None, "{}, Wire<Types.Tested>>".to_owned()));
}

fn dated(b: &mut Builder, tag: &str) -> TypeId {
    let (kind, date) = (b.literal(tag), b.kind(TypeKind::Date));
    let properties = vec![b.property("kind", kind), b.property("at", date)];
    b.object(properties)
}

fn plain(b: &mut Builder, tag: &str) -> TypeId {
    let (kind, string) = (b.literal(tag), b.string());
    let properties = vec![b.property("kind", kind), b.property("at", string)];
    b.object(properties)
}

#[test]
fn json_types_need_no_codec() {
    assert_eq!(
        codec(|b| {
            let string = b.string();
            b.array(string)
        }),
        ""
    );
    assert_eq!(codec(|b| b.kind(TypeKind::Unknown)), "");
}

#[test]
fn finds_scalars_at_any_depth() {
    assert_eq!(codec(|b| b.kind(TypeKind::Bytes)), "\"$bytes\"");
    assert_eq!(
        codec(|b| {
            let date = b.kind(TypeKind::Date);
            let dates = b.array(date);
            b.record(dates)
        }),
        "[\"rest\", {}, [\"each\", \"$date\"]]"
    );
    assert_eq!(
        codec(|b| {
            let (date, string) = (b.kind(TypeKind::Date), b.string());
            let element = |r#type, rest| TupleElement {
                r#type,
                optional: false,
                rest,
                label: None,
            };
            b.kind(TypeKind::Tuple {
                elements: vec![element(string, false), element(date, true)],
            })
        }),
        "[\"tuple\", [null], \"$date\"]"
    );
}

#[test]
fn union_of_string_and_scalar_converts_only_matching_strings() {
    let with = |kind| {
        codec(|b| {
            let (one, string) = (b.kind(kind), b.string());
            b.union(&[one, string])
        })
    };
    assert_eq!(with(TypeKind::Date), "\"$date?\"");
    assert_eq!(with(TypeKind::BigInt), "\"$bigint?\"");
    assert_eq!(with(TypeKind::Null), "");
    assert_eq!(
        codec(|b| {
            let (date, null) = (b.kind(TypeKind::Date), b.kind(TypeKind::Null));
            b.union(&[date, null])
        }),
        "\"$date\""
    );
    assert_plain(|b| {
        let (date, big) = (b.kind(TypeKind::Date), b.kind(TypeKind::BigInt));
        b.union(&[date, big])
    });
}

#[test]
fn kinds_of_json_values_tell_members_apart() {
    assert_eq!(
        codec(|b| {
            let date = b.kind(TypeKind::Date);
            let (dates, object) = (b.array(date), dated(b, "one"));
            b.union(&[date, dates, object])
        }),
        "[\"all\", \"$date\", [\"each\", \"$date\"], { at: \"$date\" }]"
    );
}

#[test]
fn property_with_literals_tells_members_apart() {
    assert_eq!(
        codec(|b| {
            let members = [dated(b, "yes"), plain(b, "no")];
            b.union(&members)
        }),
        "[\"by\", \"kind\", { yes: { at: \"$date\" } }]"
    );
}

#[test]
fn members_with_equal_codecs_need_no_distinction() {
    assert_eq!(
        codec(|b| {
            let (date, number) = (b.kind(TypeKind::Date), b.kind(TypeKind::Number));
            let one = vec![b.property("at", date), b.property("a", number)];
            let other = vec![b.property("at", date), b.property("b", date)];
            let members = [b.object(one), b.object(other)];
            b.union(&members)
        }),
        "{ at: \"$date\", b: \"$date\" }"
    );
}

#[test]
fn members_that_no_property_tells_apart_are_plain_json() {
    assert_plain(|b| {
        let (date, string) = (b.kind(TypeKind::Date), b.string());
        let (one, other) = (vec![b.property("at", date)], vec![b.property("at", string)]);
        let members = [b.object(one), b.object(other)];
        b.union(&members)
    });
    assert_plain(|b| {
        let (date, unknown) = (b.kind(TypeKind::Date), b.kind(TypeKind::Unknown));
        b.union(&[date, unknown])
    });
}
