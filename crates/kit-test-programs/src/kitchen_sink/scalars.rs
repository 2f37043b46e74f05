//! Numbers, strings and other scalars, with all of their constraints.

use kit_ir::{Constraints, Decimal, Format, LiteralValue, Property, TemplatePart, TypeId, TypeKind};

use crate::{Builder, optional, tagged};

fn number(b: &mut Builder, kind: TypeKind, edit: impl FnOnce(&mut Constraints)) -> TypeId {
    let mut constraints = Constraints::default();
    edit(&mut constraints);
    b.constrained(kind, constraints)
}

pub(super) fn scalars(b: &mut Builder) {
    let kinds = [
        ("unknown", TypeKind::Unknown),
        ("nothing", TypeKind::Null),
        ("flag", TypeKind::Boolean),
        ("number", TypeKind::Number),
        ("string", TypeKind::String),
        ("big", TypeKind::BigInt),
        ("date", TypeKind::Date),
        ("bytes", TypeKind::Bytes),
    ];
    let mut properties: Vec<Property> = Vec::new();
    for (name, kind) in kinds {
        let id = b.kind(kind);
        properties.push(b.property(name, id));
    }
    let literals = [
        (
            "text",
            LiteralValue::String("it's \"quoted\"\n\u{2028}`${x}`".to_owned()),
        ),
        ("seven", LiteralValue::Number(7.0)),
        ("yes", LiteralValue::Boolean(true)),
        ("huge", LiteralValue::BigInt("12345678901234567890".to_owned())),
    ];
    for (name, value) in literals {
        let id = b.kind(TypeKind::Literal { value });
        properties.push(b.property(name, id));
    }
    let never = b.kind(TypeKind::Never);
    properties.push(optional(b.property("never", never)));
    b.interface("Scalars", properties);

    let decimal = Decimal::new;
    let bounded = [
        number(b, TypeKind::Number, |c| {
            (c.minimum, c.maximum) = (decimal(-1.5), decimal(1.5));
        }),
        number(b, TypeKind::Number, |c| {
            (c.exclusive_minimum, c.exclusive_maximum) = (decimal(0.0), decimal(1.0));
        }),
        number(b, TypeKind::Number, |c| c.multiple_of = decimal(0.01)),
        number(b, TypeKind::Number, |c| c.integer = true),
        number(b, TypeKind::BigInt, |c| {
            (c.minimum, c.multiple_of) = (decimal(10.0), decimal(5.0));
        }),
        number(b, TypeKind::BigInt, |c| *c = Constraints::bigint_column()),
    ];
    let names = ["inclusive", "exclusive", "cents", "whole", "bigFives", "stored"];
    let properties = names
        .iter()
        .zip(bounded)
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    b.interface("Numbers", properties);
}

pub(super) fn strings(b: &mut Builder) {
    let mut properties = Vec::new();
    for format in Format::ALL {
        let constraints = Constraints {
            format: Some(format),
            ..Constraints::default()
        };
        let id = b.constrained(TypeKind::String, constraints);
        properties.push(optional(b.property(format.name(), id)));
    }
    let short = b.text(2, 3);
    properties.push(optional(b.property("short", short)));
    let least = b.constrained(
        TypeKind::String,
        Constraints {
            min_length: Some(3),
            ..Constraints::default()
        },
    );
    properties.push(optional(b.property("least", least)));
    let pattern = b.constrained(
        TypeKind::String,
        Constraints {
            pattern: Some(r"^[a-z]\/\p{Lu}+$".to_owned()),
            ..Constraints::default()
        },
    );
    properties.push(optional(b.property("pattern", pattern)));
    let (string, number) = (b.string(), b.kind(TypeKind::Number));
    let choice = b.literals(&["a.b", "c"]);
    let template = b.kind(TypeKind::Template {
        parts: vec![
            TemplatePart::Text("v".to_owned()),
            TemplatePart::Placeholder(number),
            TemplatePart::Text("-".to_owned()),
            TemplatePart::Placeholder(choice),
            TemplatePart::Text(":".to_owned()),
            TemplatePart::Placeholder(string),
        ],
    });
    properties.push(optional(b.property("template", template)));
    let ruled = b.constrained(
        TypeKind::Template {
            parts: vec![
                TemplatePart::Placeholder(string),
                TemplatePart::Text("@".to_owned()),
                TemplatePart::Placeholder(string),
                TemplatePart::Text(".".to_owned()),
                TemplatePart::Placeholder(string),
            ],
        },
        Constraints {
            max_length: Some(11),
            pattern: Some("^[^ ]+$".to_owned()),
            ..Constraints::default()
        },
    );
    properties.push(optional(b.property("ruledTemplate", ruled)));
    let secret = b.text(8, 72);
    properties.push(optional(tagged(b.property("secret", secret), |tags| {
        tags.sensitive = true;
    })));
    b.interface("Strings", properties);

    // The codec exports functions such as `isEmail`. The generated functions of these types have
    // the same names.
    let email = b.constrained(
        TypeKind::String,
        Constraints {
            format: Some(Format::Email),
            ..Constraints::default()
        },
    );
    b.declare("Email", email);
    let date = b.kind(TypeKind::Date);
    let at = b.property("at", date);
    b.interface("Date", vec![at]);
}
