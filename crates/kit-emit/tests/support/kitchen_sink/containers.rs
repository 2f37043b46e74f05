//! Arrays, tuples and objects, and the odd names that their properties can have.

use kit_ir::{Constraints, ObjectType, TupleElement, TypeId, TypeKind};

use crate::support::{Builder, optional};

fn element(r#type: TypeId) -> TupleElement {
    TupleElement {
        r#type,
        optional: false,
        rest: false,
        label: None,
    }
}

pub fn containers(b: &mut Builder) {
    let (string, number, date) = (b.string(), b.kind(TypeKind::Number), b.kind(TypeKind::Date));
    let plain = b.array(string);
    let dates = b.array(date);
    let bounded = b.constrained(
        TypeKind::Array { element: number },
        Constraints {
            min_items: Some(1),
            max_items: Some(3),
            unique_items: true,
            ..Constraints::default()
        },
    );
    let inner = vec![b.property("quantity", number), b.property("at", date)];
    let inner = b.object(inner);
    let objects = b.array(inner);
    let pair = b.kind(TypeKind::Tuple {
        elements: vec![element(string), element(date)],
    });
    let open = b.kind(TypeKind::Tuple {
        elements: vec![
            TupleElement {
                label: Some("first".to_owned()),
                ..element(string)
            },
            TupleElement {
                optional: true,
                label: Some("second".to_owned()),
                ..element(number)
            },
        ],
    });
    let spread = b.kind(TypeKind::Tuple {
        elements: vec![
            element(string),
            TupleElement {
                rest: true,
                ..element(date)
            },
            element(number),
        ],
    });
    let empty = b.object(Vec::new());
    let record = b.kind(TypeKind::Object(ObjectType {
        properties: Vec::new(),
        index: Some(date),
    }));
    let known = optional(b.property("known", number));
    let mixed = b.kind(TypeKind::Object(ObjectType {
        properties: vec![known],
        index: Some(string),
    }));
    let all = [
        ("plain", plain),
        ("dates", dates),
        ("bounded", bounded),
        ("items", objects),
        ("pair", pair),
        ("open", open),
        ("spread", spread),
        ("empty", empty),
        ("record", record),
        ("mixed", mixed),
    ];
    let properties = all
        .into_iter()
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    b.interface("Containers", properties);
    b.declare("Matrix", objects);
}

pub fn odd_names(b: &mut Builder) {
    let string = b.string();
    let names = [
        "constructor",
        "toString",
        "__proto__",
        "a-b",
        "with \"quotes\"",
        "line\nbreak\u{2028}",
        "`${tick}`",
        "class",
        "value",
        "isOddNames",
        "",
        "ünïcode",
        "1",
    ];
    let required = names.map(|name| b.property(name, string));
    b.interface("OddNames", required.to_vec());
    b.interface("OddOptional", required.map(optional).to_vec());
}
