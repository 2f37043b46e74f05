//! Tests of the codecs of clients, which tell them which values of a response JSON cannot
//! represent.

#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests

use kit_test_programs as support;

use kit_emit::{EmitOptions, emit};
use kit_ir::{LiteralValue, Method, RouteSlots, TupleElement, TypeId, TypeKind};
use support::Builder;

/// Returns the client of a program with the response type `Tested`.
fn client(make: impl FnOnce(&mut Builder) -> TypeId) -> String {
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
        openapi: kit_emit::OpenApiVersion::default(),
        client: true,
        replaced: std::collections::BTreeSet::new(),
    };
    emit(&b.program, &support::tree(&b.program), &options)
        .into_iter()
        .find(|artifact| artifact.path == "client/index.ts")
        .unwrap()
        .text
        .to_string()
}

/// Returns the codec of the response type `Tested` (`None` without a codec), and the type of its
/// route.
fn told(make: impl FnOnce(&mut Builder) -> TypeId) -> (Option<String>, String) {
    let client = client(make);
    let line = |start: &str| {
        let line = client.lines().find_map(|line| line.trim().strip_prefix(start))?;
        Some(line.trim_end_matches([',', ';']).to_owned())
    };
    (line("Tested: "), line("\"GET /tested\": ApiRoute<").unwrap())
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
fn types_that_json_can_represent_need_no_codec() {
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
fn codec_locates_dates_and_bigints_at_any_depth() {
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
fn union_of_string_and_scalar_converts_only_strings_in_the_form_of_the_scalar() {
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
fn tells_members_of_a_union_apart_by_the_kinds_of_their_json_values() {
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
fn tells_members_of_a_union_apart_by_a_property_with_literals() {
    assert_eq!(
        codec(|b| {
            let members = [dated(b, "yes"), plain(b, "no")];
            b.union(&members)
        }),
        "[\"by\", \"kind\", { yes: { at: \"$date\" } }]"
    );
}

#[test]
fn codec_of_a_member_is_printed_once_if_its_tag_has_several_literals() {
    let nested = |b: &mut Builder| {
        let mut inner = b.kind(TypeKind::Date);
        for _ in 0..2 {
            let (kind, other) = (b.literals(&["a", "b"]), b.literal("c"));
            let members = [
                vec![b.property("kind", kind), b.property("inner", inner)],
                vec![b.property("kind", other), b.property("inner", inner)],
            ];
            let members = members.map(|properties| b.object(properties));
            inner = b.union(&members);
        }
        inner
    };
    let client = client(nested);
    let types: Vec<_> = client
        .lines()
        .skip_while(|line| line.trim() != "types: {")
        .skip(1)
        .take_while(|line| line.trim() != "},")
        .map(|line| line.trim().trim_end_matches(','))
        .collect();
    let expected = [
        r#"Tested: ["by", "kind", { a: "Tested.1", b: "Tested.1", c: "Tested.1" }]"#,
        r#""Tested.1": { inner: ["by", "kind", { a: "Tested.2", b: "Tested.2", c: "Tested.2" }] }"#,
        r#""Tested.2": { inner: "$date" }"#,
    ];
    assert_eq!(types, expected);
}

#[test]
fn quotes_properties_and_tags_that_are_no_identifiers() {
    assert_eq!(
        codec(|b| {
            let date = b.kind(TypeKind::Date);
            let properties = ["created-at", "__proto__"].map(|name| b.property(name, date));
            b.object(properties.to_vec())
        }),
        "{ \"created-at\": \"$date\", [\"__proto__\"]: \"$date\" }"
    );
    assert_eq!(
        codec(|b| {
            let members = [dated(b, "order-created"), plain(b, "order-paid")];
            b.union(&members)
        }),
        "[\"by\", \"kind\", { \"order-created\": { at: \"$date\" } }]"
    );
}

/// The client looks for the text of a number as JavaScript prints the number.
#[test]
fn tags_that_are_numbers_have_the_text_that_javascript_gives_them() {
    assert_eq!(
        codec(|b| {
            let members = [(1e21, TypeKind::Date), (2.0, TypeKind::String)].map(|(size, kind)| {
                let value = LiteralValue::Number(size);
                let (size, at) = (b.kind(TypeKind::Literal { value }), b.kind(kind));
                let properties = vec![b.property("size", size), b.property("at", at)];
                b.object(properties)
            });
            b.union(&members)
        }),
        "[\"by\", \"size\", { \"1e+21\": { at: \"$date\" } }]"
    );
}

/// Without a cache, each level would double the time.
#[test]
fn deeply_nested_unions_without_a_tag_take_little_time() {
    let found = codec(|b| {
        let mut inner = b.kind(TypeKind::Date);
        for _ in 0..36 {
            let string = b.string();
            let (one, other) = (vec![b.property("n", inner)], vec![b.property("m", string)]);
            let members = [b.object(one), b.object(other)];
            inner = b.union(&members);
        }
        inner
    });
    assert_eq!(found.matches("{ n: ").count(), 36, "{found}");
}

#[test]
fn does_not_tell_members_of_a_union_apart_if_their_codecs_are_equal() {
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
fn clients_get_plain_json_if_no_property_tells_the_members_of_a_union_apart() {
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
