//! Unions of every kind, and types that contain themselves.

use kit_ir::{LiteralValue, TupleElement, TypeId, TypeKind};

use crate::{Builder, optional};

pub(super) fn unions(b: &mut Builder) {
    let (string, number, date) = (b.string(), b.kind(TypeKind::Number), b.kind(TypeKind::Date));
    let (null, boolean, big) = (
        b.kind(TypeKind::Null),
        b.kind(TypeKind::Boolean),
        b.kind(TypeKind::BigInt),
    );
    let mut members = Vec::new();
    for name in ["circle", "square"] {
        let kind = b.literal(name);
        let size = if name == "circle" { "radius" } else { "side" };
        let properties = vec![b.property("kind", kind), b.property(size, number)];
        members.push(b.object(properties));
    }
    let circle = b.declare("Circle", members[0]);
    let circle = b.reference(circle);
    let shape = b.union(&[circle, members[1]]);
    let shape = b.declare("Figure", shape);
    let narrow = vec![b.property("a", string)];
    let wide = vec![b.property("a", string), b.property("b", date)];
    let (narrow, wide) = (b.object(narrow), b.object(wide));
    let status = b.literals(&["active", "suspended", "deleted"]);
    let many: Vec<String> = (0..12).map(|index| format!("choice{index}")).collect();
    let many = b.literals(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let name = b.text(1, 5);
    let figure = b.reference(shape);
    let entries = [
        ("figure", figure),
        ("status", status),
        ("many", many),
        ("nullableText", b.union(&[name, null])),
        ("nullableDate", b.union(&[date, null])),
        ("textOrDate", b.union(&[string, date])),
        ("numberOrFlag", b.union(&[number, boolean])),
        ("bigOrText", b.union(&[string, big])),
        ("overlapping", b.union(&[narrow, wide])),
        ("anything", b.union(&[null, figure, number, narrow])),
    ];
    let list = b.array(string);
    let one_or_many = b.union(&[string, list]);
    let mut properties: Vec<_> = entries
        .into_iter()
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    properties.push(optional(b.property("oneOrMany", one_or_many)));
    b.interface("Unions", properties);
}

fn tuple(b: &mut Builder, types: &[TypeId]) -> TypeId {
    let elements = types.iter().map(|id| TupleElement {
        r#type: *id,
        optional: false,
        rest: false,
        label: None,
    });
    let elements = elements.collect();
    b.kind(TypeKind::Tuple { elements })
}

/// Declares a union for each way to distinguish members.
pub(super) fn choices(b: &mut Builder) {
    let (string, number, date) = (b.string(), b.kind(TypeKind::Number), b.kind(TypeKind::Date));
    let (bytes, boolean, never) = (
        b.kind(TypeKind::Bytes),
        b.kind(TypeKind::Boolean),
        b.kind(TypeKind::Never),
    );
    let object = |b: &mut Builder, properties: &[(&str, TypeId)]| {
        let properties = properties
            .iter()
            .map(|(name, id)| {
                let property = b.property(name.trim_end_matches('?'), *id);
                if name.ends_with('?') {
                    optional(property)
                } else {
                    property
                }
            })
            .collect();
        b.object(properties)
    };
    let literal = |b: &mut Builder, value: bool| {
        let value = LiteralValue::Boolean(value);
        b.kind(TypeKind::Literal { value })
    };
    let (yes, no) = (literal(b, true), literal(b, false));
    let (x, y) = (b.literal("x"), b.literal("y"));
    let left = object(b, &[("a", string), ("left?", number)]);
    let right = object(b, &[("a", string), ("right?", date)]);
    let wide = object(b, &[("a", string), ("b", number)]);
    let narrow = object(b, &[("a", string)]);
    let text_value = object(b, &[("value", string)]);
    let number_value = object(b, &[("value", number), ("at?", date)]);
    let result = [
        object(b, &[("ok", yes), ("data", date)]),
        object(b, &[("ok", no), ("error", string)]),
    ];
    let quadrants = [(x, x), (x, y), (y, x), (y, y)]
        .map(|(first, second)| object(b, &[("first", first), ("second", second), ("at?", date)]));
    let versions = [
        object(b, &[("version?", never), ("old", date)]),
        object(b, &[("version", x), ("new", date)]),
    ];
    let (pair, triple) = (tuple(b, &[date, number]), tuple(b, &[date, number, number]));
    let dates = b.array(date);
    let impossible = object(b, &[("a", string), ("gone", never)]);
    let flags = b.array(boolean);
    let text_or_date = b.union(&[string, date]);
    let nested = [object(b, &[("in", narrow)]), object(b, &[("in", wide)])];
    let entries = [
        ("eitherSide", b.union(&[left, right])),
        ("looseFirst", b.union(&[narrow, wide])),
        ("looseLast", b.union(&[wide, narrow])),
        ("byType", b.union(&[text_value, number_value])),
        ("result", b.union(&result)),
        ("quadrant", b.union(&quadrants)),
        ("versioned", b.union(&versions)),
        ("tuples", b.union(&[pair, triple])),
        ("lists", b.union(&[dates, flags])),
        ("texts", b.array(text_or_date)),
        ("bytesOrText", b.union(&[string, bytes])),
        ("possible", b.union(&[impossible, wide])),
        ("nested", b.union(&nested)),
    ];
    let properties = entries
        .into_iter()
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    b.interface("Choices", properties);
}

pub(super) fn recursive(b: &mut Builder) {
    let string = b.string();
    // A type that refers to itself needs the id of its declaration, so it replaces this placeholder
    // afterwards.
    let placeholder = b.kind(TypeKind::Unknown);
    let tree = b.declare("Tree", placeholder);
    let reference = b.reference(tree);
    let children = b.array(reference);
    let date = b.kind(TypeKind::Date);
    let properties = vec![
        b.property("name", string),
        optional(b.property("at", date)),
        b.property("children", children),
    ];
    let object = b.object(properties);
    b.program.declarations[tree].r#type = object;

    let placeholder = b.kind(TypeKind::Unknown);
    let json = b.declare("Json", placeholder);
    let reference = b.reference(json);
    let list = b.array(reference);
    let record = b.record(reference);
    let scalars = [
        TypeKind::Null,
        TypeKind::Boolean,
        TypeKind::Number,
        TypeKind::String,
    ]
    .map(|kind| b.kind(kind));
    let union = b.union(&[&scalars[..], &[list, record]].concat());
    b.program.declarations[json].r#type = union;

    // Two types that refer to each other.
    let placeholder = b.kind(TypeKind::Unknown);
    let (person, team) = (b.declare("Person", placeholder), b.declare("Team", placeholder));
    let (to_team, to_person) = (b.reference(team), b.reference(person));
    let members = b.array(to_person);
    let properties = vec![b.property("name", string), optional(b.property("team", to_team))];
    b.program.declarations[person].r#type = b.object(properties);
    let properties = vec![b.property("members", members)];
    b.program.declarations[team].r#type = b.object(properties);

    // The members overlap. A naive check would check each level twice, which takes exponential
    // time.
    let placeholder = b.kind(TypeKind::Unknown);
    let entangled = b.declare("Entangled", placeholder);
    let reference = b.reference(entangled);
    let number = b.kind(TypeKind::Number);
    let one = vec![b.property("next", reference)];
    let two = vec![
        b.property("next", reference),
        optional(b.property("extra", number)),
    ];
    let (one, two) = (b.object(one), b.object(two));
    b.program.declarations[entangled].r#type = b.union(&[one, two, number]);
}
