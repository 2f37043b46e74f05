//! Tests of diagnostics for enum types.

mod support;

use kit_diagnostics::codes;
use kit_ir::StoredAs;

use support::{check, tagged};

/// Returns a property that is stored in an enum type.
fn in_enum(name: &str, r#type: kit_ir::TypeId, enum_type: &str) -> kit_ir::Property {
    tagged(name, r#type, |tags| {
        tags.stored_as = Some(StoredAs::Enum);
        tags.enum_type = Some(enum_type.into());
    })
}

#[test]
fn refuses_an_enum_type_whose_name_another_type_has() {
    for (name, message) in [
        ("tags", "a table has this name"),
        ("numeric", "a type of PostgreSQL has this name"),
        ("order", "PostgreSQL would need quotes around this name"),
        ("State", "PostgreSQL would need quotes around this name"),
    ] {
        check(
            |builder| {
                let state = builder.one_of(&["open", "shut"]);
                builder.with_id("Tag", "tags", vec![in_enum("state", state, name)]);
            },
            codes::UNUSABLE_NAME,
            message,
        );
    }
    check(
        |builder| {
            let one = builder.one_of(&["open", "shut"]);
            let other = builder.one_of(&["open", "closed"]);
            let properties = vec![in_enum("state", one, "state"), in_enum("other", other, "state")];
            builder.with_id("Tag", "tags", properties);
        },
        codes::UNUSABLE_NAME,
        "`Tag.other` cannot be stored in the enum type `state`: the enum type of `Tag.state` has this name and other values",
    );
}

#[test]
fn refuses_a_value_that_is_too_long_for_an_enum_type() {
    let long = "x".repeat(64);
    check(
        |builder| {
            let state = builder.one_of(&["open", &long]);
            builder.with_id("Tag", "tags", vec![in_enum("state", state, "state")]);
        },
        codes::UNSUPPORTED_COLUMN,
        "is longer than the 63 bytes of a value of an enum type",
    );
}
