//! Types with doc tags: defaults, generated values, an entity.

use kit_ir::{
    Constraints, DefaultValue, Documentation, Entity, Format, GeneratedKind, LiteralValue, TypeKind,
};

use crate::{Builder, described, optional, tagged};

pub(super) fn defaults(b: &mut Builder) {
    let (number, boolean, date, string) = (
        b.kind(TypeKind::Number),
        b.kind(TypeKind::Boolean),
        b.kind(TypeKind::Date),
        b.string(),
    );
    let null = b.kind(TypeKind::Null);
    let (list, nullable, big) = (b.array(date), b.union(&[string, null]), b.kind(TypeKind::BigInt));
    let settings = vec![b.property("dark", boolean)];
    let settings = b.object(settings);
    let literal = DefaultValue::Literal;
    let defaults = [
        ("count", number, literal(LiteralValue::Number(3.0))),
        (
            "since",
            date,
            literal(LiteralValue::String("2020-01-01T00:00:00Z".to_owned())),
        ),
        (
            "big",
            big,
            literal(LiteralValue::BigInt("9007199254740993".to_owned())),
        ),
        ("note", nullable, DefaultValue::Null),
        (
            "dates",
            list,
            DefaultValue::Json("[\"2020-01-01T00:00:00Z\"]".to_owned()),
        ),
        (
            "settings",
            settings,
            DefaultValue::Json("{\"dark\":true}".to_owned()),
        ),
    ];
    let mut properties = vec![b.property("name", string)];
    for (name, id, default) in defaults {
        let property = b.property(name, id);
        properties.push(tagged(property, |tags| tags.default = Some(default)));
    }
    let untouched = optional(b.property("untouched", number));
    properties.push(tagged(untouched, |tags| {
        tags.default = Some(DefaultValue::Literal(LiteralValue::Number(1.0)));
    }));
    let made = b.property("made", string);
    properties.push(tagged(made, |tags| tags.generated = Some(GeneratedKind::Uuid)));
    let last = b.property("last", string);
    properties.push(last);
    b.interface("Defaults", properties);
}

pub(super) fn entity(b: &mut Builder) {
    let text = b.constrained(
        TypeKind::String,
        Constraints {
            format: Some(Format::Email),
            max_length: Some(255),
            ..Constraints::default()
        },
    );
    let (uuid, status) = (b.uuid(), b.literals(&["active", "suspended", "deleted"]));
    let id = b.property("id", uuid);
    let email = b.property("email", text);
    let mut status = b.property("status", status);
    status.documentation = Documentation {
        description: Some("State of the account.\n\nIt never ends with */ a comment.".to_owned()),
        deprecated: Some("use `state`".to_owned()),
        examples: vec!["\"active\"".to_owned()],
    };
    let properties = vec![
        tagged(id, |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Uuid);
        }),
        described(tagged(email, |tags| tags.unique = true), "Address for mail."),
        tagged(status, |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::String("active".to_owned())));
        }),
    ];
    let account = b.interface("UserAccount", properties);
    b.program.entities.push(Entity {
        declaration: account,
        table: "accounts".to_owned(),
        renamed_from: None,
        indexes: Vec::new(),
        uniques: Vec::new(),
        references: Vec::new(),
        checks: Vec::new(),
        tenant: None,
        owner: None,
    });
}
