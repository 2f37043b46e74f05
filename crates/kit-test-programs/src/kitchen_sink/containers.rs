//! Arrays, tuples and objects, some with unusual property names.

use kit_ir::{Constraints, Format, IndexKey, TemplatePart, TupleElement, TypeId, TypeKind};

use crate::{Builder, optional};

fn element(r#type: TypeId) -> TupleElement {
    TupleElement {
        r#type,
        optional: false,
        rest: false,
        label: None,
    }
}

pub(super) fn containers(b: &mut Builder) {
    let (string, number, date) = (b.string(), b.kind(TypeKind::Number), b.kind(TypeKind::Date));
    let (short, bounded_text) = (b.text(1, 3), b.text(1, 5));
    let text_or_date = b.union(&[date, string]);
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
    let record = b.record(date);
    let known = optional(b.property("known", number));
    let mixed = b.indexed(vec![known], vec![(IndexKey::String, string)]);
    let code = b.string();
    let header = IndexKey::Template {
        parts: vec![
            TemplatePart::Text("x-".to_owned()),
            TemplatePart::Placeholder(code),
        ],
    };
    let size = b.property("x-size", short);
    // There is no `[key: string]`, so a key that is not a number and does not start with `x-` is
    // dropped.
    let keyed = b.indexed(
        vec![size],
        vec![(IndexKey::Number, date), (header.clone(), bounded_text)],
    );
    // The index signatures overlap. A value must match each one that accepts its key, and is decoded
    // as the narrowest type.
    let layered = b.indexed(
        Vec::new(),
        vec![
            (IndexKey::String, text_or_date),
            (header.clone(), bounded_text),
            (IndexKey::Number, date),
        ],
    );
    // The name `Size` breaks the rules of both index signatures. They do not apply to declared
    // properties.
    let declared = optional(b.property("Size", string));
    let short_key = Constraints {
        max_length: Some(5),
        ..Constraints::default()
    };
    let word_key = Constraints {
        min_length: Some(2),
        pattern: Some("^[a-z-]+$".to_owned()),
        ..Constraints::default()
    };
    let ruled = b.ruled(
        vec![declared],
        vec![(IndexKey::String, word_key, number), (header, short_key, number)],
    );
    let mail_key = Constraints {
        format: Some(Format::Email),
        ..Constraints::default()
    };
    let by_mail = b.ruled(Vec::new(), vec![(IndexKey::String, mail_key, date)]);
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
        ("keyed", keyed),
        ("layered", layered),
        ("ruled", ruled),
        ("byMail", by_mail),
    ];
    let properties = all
        .into_iter()
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    b.interface("Containers", properties);
    b.declare("Matrix", objects);
}

pub(super) fn odd_names(b: &mut Builder) {
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
