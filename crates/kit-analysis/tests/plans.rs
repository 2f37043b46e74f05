//! Tests of the plans that choose a member of a union.

#![allow(clippy::unwrap_used)] // a helper of a test may fail the test

mod support;

use kit_analysis::{Candidates, Decision, DiscriminantValue, UnionPlan, disjoint, members};
use kit_ir::{LiteralValue, Program, TypeId, TypeKind};
use support::{declare, object, program, record, text, tuple, union};

fn scalars(program: &mut Program) -> (TypeId, TypeId, TypeId) {
    (
        program.add_type(TypeKind::String),
        program.add_type(TypeKind::Number),
        program.add_type(TypeKind::Date),
    )
}

/// Returns a decision as a short text: `kind{"a":0 "b":[1 2] else -}`. In brackets are candidates, separated
/// by `|` if they are disjoint.
fn short(decision: &Decision) -> String {
    match decision {
        Decision::NoMember => "-".to_owned(),
        Decision::Member(member) => member.to_string(),
        Decision::Candidates(Candidates { members, disjoint }) => {
            let between = if *disjoint { "|" } else { " " };
            let members: Vec<_> = members.iter().map(ToString::to_string).collect();
            format!("[{}]", members.join(between))
        }
        Decision::Switch(switch) => {
            let cases: Vec<_> = switch
                .cases
                .iter()
                .map(|case| {
                    let tags: Vec<_> = case.values.iter().map(tag).collect();
                    format!("{}:{}", tags.join(","), short(&case.decision))
                })
                .collect();
            format!(
                "{}{{{} else {}}}",
                switch.property,
                cases.join(" "),
                short(&switch.otherwise)
            )
        }
    }
}

fn tag(tag: &DiscriminantValue) -> String {
    match tag {
        DiscriminantValue::Absent => "absent".to_owned(),
        DiscriminantValue::Null => "null".to_owned(),
        DiscriminantValue::Literal(LiteralValue::String(text)) => text.clone(),
        DiscriminantValue::Literal(LiteralValue::Boolean(value)) => value.to_string(),
        DiscriminantValue::Literal(other) => format!("{other:?}"),
    }
}

#[test]
fn one_property_can_distinguish_all_members() {
    let mut p = program();
    let (string, number, _) = scalars(&mut p);
    let (a, b) = (text(&mut p, "a"), text(&mut p, "b"));
    let c = text(&mut p, "c");
    let both = union(&mut p, &[a, b]);
    let members = [
        object(&mut p, &[("size", number), ("kind", both)]),
        object(&mut p, &[("kind", c), ("size", string)]),
    ];
    let plan = UnionPlan::new(&p, &members);
    assert_eq!(short(&plan.objects), "kind{a,b:0 c:1 else -}");
    let found = plan.discriminator().unwrap();
    assert_eq!(found.property, "kind");
    let cases: Vec<_> = found
        .cases
        .iter()
        .map(|(text, member)| (text.as_str(), *member))
        .collect();
    assert_eq!(cases, [("a", 0), ("b", 0), ("c", 1)]);
}

#[test]
fn two_properties_together_can_distinguish_members() {
    let mut p = program();
    let (a, b) = (text(&mut p, "a"), text(&mut p, "b"));
    let members = [(a, a), (a, b), (b, a), (b, b)].map(|(x, y)| object(&mut p, &[("x", x), ("y", y)]));
    let plan = UnionPlan::new(&p, &members);
    assert_eq!(
        short(&plan.objects),
        "x{a:y{a:0 b:1 else -} b:y{a:2 b:3 else -} else -}"
    );
    assert_eq!(plan.discriminants(), ["x", "y"]);
    assert!(plan.discriminator().is_none());
}

#[test]
fn union_members_are_distinguished_by_null_by_booleans_and_by_a_missing_property() {
    let mut p = program();
    let (string, ..) = scalars(&mut p);
    let (null, never) = (p.add_type(TypeKind::Null), p.add_type(TypeKind::Never));
    let members = [
        object(&mut p, &[("error", null), ("data", string)]),
        object(&mut p, &[("error", string)]),
    ];
    // The values of a string cannot be listed, so no property distinguishes the members; the `null` makes them disjoint.
    assert_eq!(short(&UnionPlan::new(&p, &members).objects), "[0|1]");
    let yes = p.add_type(TypeKind::Literal {
        value: LiteralValue::Boolean(true),
    });
    let no = p.add_type(TypeKind::Literal {
        value: LiteralValue::Boolean(false),
    });
    let members = [
        object(&mut p, &[("ok", yes), ("data", string)]),
        object(&mut p, &[("ok", no)]),
    ];
    assert_eq!(
        short(&UnionPlan::new(&p, &members).objects),
        "ok{true:0 false:1 else -}"
    );
    let v2 = text(&mut p, "2");
    let members = [
        object(&mut p, &[("version?", never), ("data", string)]),
        object(&mut p, &[("version", v2)]),
    ];
    assert_eq!(
        short(&UnionPlan::new(&p, &members).objects),
        "version{absent:0 2:1 else -}"
    );
}

#[test]
fn keeps_all_members_as_candidates_if_no_property_distinguishes_them() {
    let mut p = program();
    let (string, number, date) = scalars(&mut p);
    let (a, b) = (text(&mut p, "a"), text(&mut p, "b"));
    let list = p.add_type(TypeKind::Array { element: string });
    let pair = tuple(&mut p, &[number, number]);
    let triple = tuple(&mut p, &[number, number, number]);
    let members = [
        object(&mut p, &[("kind", a)]),
        object(&mut p, &[("kind", b)]),
        object(&mut p, &[("other", number)]),
        string,
        list,
        date,
        pair,
        triple,
    ];
    let plan = UnionPlan::new(&p, &members);
    assert_eq!(short(&plan.objects), "kind{a:[0 2] b:[1 2] else 2}");
    assert_eq!(plan.scalars, [5, 3]);
    assert_eq!(short(&plan.arrays), "[4|6|7]");
    assert!(disjoint(&p, pair, triple));
    assert!(disjoint(&p, list, pair), "a pair has items that are not strings");
    let numbers = p.add_type(TypeKind::Array { element: number });
    assert!(!disjoint(&p, list, numbers), "`[]` is both");
}

#[test]
fn flattens_nested_unions_and_removes_impossible_members() {
    let mut p = program();
    let (string, number, _) = scalars(&mut p);
    let never = p.add_type(TypeKind::Never);
    let impossible = object(&mut p, &[("a", string), ("b", never)]);
    let possible = object(&mut p, &[("a", string), ("b?", never)]);
    let inner = union(&mut p, &[number, impossible]);
    let named = declare(&mut p, "Inner", inner);
    let reference = p.add_type(TypeKind::Reference { declaration: named });
    let found = members(&p, &[reference, possible, string, number]);
    let types: Vec<_> = found.iter().map(|member| member.r#type).collect();
    assert_eq!(types, [number, possible, string]);
    assert_eq!(found[0].containing_unions, [named]);
    assert!(found[1].containing_unions.is_empty());
}

#[test]
fn accepts_a_union_that_is_its_own_member() {
    let mut p = program();
    let placeholder = p.add_type(TypeKind::Unknown);
    let odd = declare(&mut p, "Odd", placeholder);
    let reference = p.add_type(TypeKind::Reference { declaration: odd });
    let string = p.add_type(TypeKind::String);
    p.declarations[odd].r#type = union(&mut p, &[reference, string]);
    let TypeKind::Union { members: declared } = &p.types[p.declarations[odd].r#type].kind else {
        unreachable!()
    };
    let found = members(&p, declared);
    assert!(found.iter().all(|member| member.r#type == string), "{found:?}");
}

#[test]
fn objects_are_disjoint_if_the_types_of_a_property_are_disjoint() {
    let mut p = program();
    let (string, number, date) = scalars(&mut p);
    let big = p.add_type(TypeKind::BigInt);
    let of = |p: &mut Program, id: TypeId| object(p, &[("v", id)]);
    let (texts, numbers) = (of(&mut p, string), of(&mut p, number));
    let (dates, bigs) = (of(&mut p, date), of(&mut p, big));
    assert!(disjoint(&p, texts, numbers));
    assert!(disjoint(&p, dates, bigs), "digits are not a date");
    assert!(!disjoint(&p, texts, dates), "a date is a text");
    assert!(!disjoint(&p, numbers, bigs), "an integer number is a bigint");
    let other = object(&mut p, &[("w", number)]);
    assert!(!disjoint(&p, texts, other), "an object may have both");
    let dictionary = record(&mut p, number);
    assert!(disjoint(&p, texts, dictionary));
    let optional = object(&mut p, &[("v?", number)]);
    assert!(disjoint(&p, texts, optional), "one of them requires it");
}
