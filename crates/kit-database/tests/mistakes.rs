//! Tests of diagnostics for mistakes in entities.

mod support;

use kit_database::Schema;
use kit_diagnostics::codes;
use kit_ir::{
    DefaultValue, EntityIndex, EntityReference, GeneratedKind, IndexColumn, IndexMethod, PropertyTags,
    ReferenceTarget, ReferentialAction, ReferentialActions, StoredAs, TypeKind,
};

use support::{Builder, check, property, tagged};

#[test]
fn an_id_that_the_database_cannot_generate_is_one_error_that_names_the_missing_tag() {
    let mut builder = Builder::new();
    let number = builder.kind(TypeKind::Number);
    let id = tagged("id", number, |tags| {
        tags.id = true;
        tags.generated = Some(GeneratedKind::Unspecified);
    });
    builder.entity("Tag", "tags", vec![id]);
    let (_, diagnostics) = Schema::from_program(&builder.program);
    let [diagnostic] = diagnostics.iter().collect::<Vec<_>>()[..] else {
        panic!("{diagnostics:#?}");
    };
    assert_eq!(diagnostic.code, codes::UNSUPPORTED_COLUMN);
    assert!(
        diagnostic
            .help
            .as_deref()
            .is_some_and(|help| help.contains("`@integer`"))
    );
}

#[test]
fn refuses_an_entity_without_an_id() {
    check(
        |builder| {
            let text = builder.string(10);
            builder.entity("Tag", "tags", vec![property("label", text)]);
        },
        codes::MISSING_ID,
        "`Tag` has no `@id`",
    );
}

#[test]
fn refuses_two_entities_with_the_same_table() {
    check(
        |builder| {
            builder.with_id("Tag", "tags", vec![]);
            builder.with_id("Label", "tags", vec![]);
        },
        codes::DUPLICATE_TABLE,
        "`tags`",
    );
}

#[test]
fn refuses_a_date_inside_of_a_json_column() {
    check(
        |builder| {
            let date = builder.kind(TypeKind::Date);
            let dates = builder.kind(TypeKind::Array { element: date });
            builder.with_id("Tag", "tags", vec![property("times", dates)]);
        },
        codes::UNSUPPORTED_COLUMN,
        "`Tag.times` cannot be a column: a `Date` inside",
    );
}

#[test]
fn refuses_arrays_whose_elements_have_no_native_type() {
    let refused = |element: fn(&mut Builder) -> kit_ir::TypeId, message: &str| {
        check(
            |builder| {
                let element = element(builder);
                let array = builder.kind(TypeKind::Array { element });
                let mut labels = property("labels", array);
                labels.tags.stored_as = Some(StoredAs::Array);
                builder.with_id("Tag", "tags", vec![labels]);
            },
            codes::UNSUPPORTED_COLUMN,
            message,
        );
    };
    refused(
        |builder| {
            let (text, null) = (builder.string(10), builder.kind(TypeKind::Null));
            builder.kind(TypeKind::Union {
                members: vec![text, null],
            })
        },
        "`Tag.labels` cannot be a column: its elements may be null",
    );
    refused(
        |builder| {
            let element = builder.string(10);
            builder.kind(TypeKind::Array { element })
        },
        "`Tag.labels` cannot be a column: its elements are stored as `jsonb`",
    );
    refused(
        |builder| builder.kind(TypeKind::Bytes),
        "`Tag.labels` cannot be a column: its elements are stored as `bytea`",
    );
}

#[test]
fn refuses_column_names_that_clash_or_that_postgresql_cannot_store() {
    check(
        |builder| {
            let text = builder.string(10);
            builder.with_id("Tag", "tags", vec![property("aB", text), property("a_b", text)]);
        },
        codes::UNUSABLE_NAME,
        "`aB` and `a_b` would both be the column `a_b`",
    );
    check(
        |builder| {
            let text = builder.string(10);
            builder.with_id("Tag", "tags", vec![property("xmin", text)]);
        },
        codes::UNUSABLE_NAME,
        "hidden column",
    );
    check(
        |builder| {
            let text = builder.string(10);
            // kit truncates a derived name, but refuses a name that the user chose and that is too long.
            let chosen = tagged("a", text, |tags| tags.column = Some("a".repeat(64)));
            builder.with_id("Tag", "tags", vec![chosen, property(&"b".repeat(64), text)]);
        },
        codes::UNUSABLE_NAME,
        "64 bytes",
    );
}

#[test]
fn refuses_a_reference_to_columns_that_do_not_identify_a_single_row() {
    let refer = |entity: &'static str, target: &'static str, on_delete| {
        move |builder: &mut Builder| {
            support::users(builder);
            let text = builder.string(100);
            builder.with_id(
                "Todo",
                "todos",
                vec![tagged("userId", text, |tags| {
                    tags.references = Some(ReferenceTarget {
                        entity: entity.into(),
                        property: target.into(),
                        actions: ReferentialActions {
                            on_delete,
                            ..ReferentialActions::default()
                        },
                    });
                })],
            );
        }
    };
    let code = codes::UNKNOWN_REFERENCE;
    check(
        refer("Usr", "id", ReferentialAction::NoAction),
        code,
        "no entity is named `Usr`",
    );
    check(
        refer("User", "mail", ReferentialAction::NoAction),
        code,
        "not a column of `User`",
    );
    check(
        refer("User", "displayName", ReferentialAction::NoAction),
        code,
        "several",
    );
    check(
        refer("User", "createdAt", ReferentialAction::NoAction),
        code,
        "several",
    );
    check(
        refer("User", "id", ReferentialAction::SetNull),
        code,
        "does not allow null",
    );
}

#[test]
fn refuses_a_reference_by_several_properties_that_postgresql_would_refuse() {
    let refer = |properties: [&'static str; 2], targets: [&'static str; 2], on_delete| {
        move |builder: &mut Builder| {
            let (text, wide, id) = (builder.string(100), builder.string(200), builder.id().r#type);
            builder.with_id(
                "Shop",
                "shops",
                vec![property("name", text), property("city", text)],
            );
            builder.program.entities[0.into()]
                .uniques
                .push(("one_shop".into(), vec!["id".into(), "name".into()]));
            let properties_of_item = vec![
                property("shopId", id),
                property("shop", text),
                property("wide", wide),
            ];
            builder.with_id("Item", "items", properties_of_item);
            let item = &mut builder.program.entities[1.into()];
            item.references.push(EntityReference {
                properties: properties.map(str::to_owned).to_vec(),
                entity: "Shop".into(),
                targets: targets.map(str::to_owned).to_vec(),
                actions: ReferentialActions {
                    on_update: on_delete,
                    ..ReferentialActions::default()
                },
            });
            item.indexes.push(EntityIndex {
                name: "items_of_shop".into(),
                columns: ["shopId", "shop"].map(named).to_vec(),
                ..EntityIndex::default()
            });
        }
    };
    let (code, none) = (codes::UNKNOWN_REFERENCE, ReferentialAction::NoAction);
    for (properties, targets, action, message) in [
        (
            ["shopId", "shop"],
            ["id", "city"],
            none,
            "several rows may have the same value",
        ),
        (
            ["shopId", "shopId"],
            ["id", "name"],
            none,
            "has the same property twice",
        ),
        (
            ["shopId", "owner"],
            ["id", "name"],
            none,
            "not stored in a column of its own",
        ),
        (["shopId", "shop"], ["name", "id"], none, "`varchar(100)`"),
        (
            ["shopId", "shop"],
            ["id", "name"],
            ReferentialAction::SetNull,
            "changes its value",
        ),
    ] {
        check(refer(properties, targets, action), code, message);
    }
    let mut builder = Builder::new();
    refer(["shopId", "wide"], ["id", "name"], none)(&mut builder);
    let (_, diagnostics) = Schema::from_program(&builder.program);
    let first = diagnostics.iter().next().expect("an error");
    assert_eq!(first.help.as_deref(), Some("write `wide: Shop[\"name\"]`"));
}

fn named(property: &str) -> IndexColumn {
    IndexColumn {
        property: property.into(),
        ..IndexColumn::default()
    }
}

#[test]
fn warns_about_foreign_keys_whose_columns_no_index_begins_with() {
    let warnings = |change: &dyn Fn(&mut PropertyTags), index: Option<EntityIndex>| {
        let mut builder = Builder::new();
        support::users(&mut builder);
        let text = builder.string(100);
        let owner = tagged("userId", text, |tags| {
            tags.references = Some(ReferenceTarget {
                entity: "User".into(),
                property: "id".into(),
                actions: ReferentialActions::default(),
            });
            change(tags);
        });
        builder.with_id("Todo", "todos", vec![owner, property("title", text)]);
        builder.program.entities[1.into()].indexes.extend(index);
        let (_, diagnostics) = Schema::from_program(&builder.program);
        assert!(!diagnostics.has_errors(), "{diagnostics:#?}");
        assert!(
            diagnostics
                .iter()
                .all(|warning| warning.code == codes::MISSING_INDEX)
        );
        diagnostics.len()
    };
    let index = |columns: &[&str], condition: Option<&str>| {
        Some(EntityIndex {
            name: "one".into(),
            columns: columns.iter().copied().map(named).collect(),
            condition: condition.map(str::to_owned),
            ..EntityIndex::default()
        })
    };
    let none: &dyn Fn(&mut PropertyTags) = &|_| {};
    assert_eq!(warnings(none, None), 1);
    assert_eq!(warnings(&|tags| tags.index = true, None), 0);
    assert_eq!(warnings(&|tags| tags.unique = true, None), 0);
    assert_eq!(warnings(&|tags| tags.no_index = true, None), 0);
    assert_eq!(warnings(none, index(&["userId", "title"], None)), 0);
    assert_eq!(warnings(none, index(&["title", "userId"], None)), 1);
    assert_eq!(warnings(none, index(&["userId"], Some("user_id IS NOT NULL"))), 0);
    assert_eq!(warnings(none, index(&["userId"], Some("title IS NOT NULL"))), 1);
    let without_reference: &dyn Fn(&mut PropertyTags) = &|tags| {
        tags.references = None;
        tags.no_index = true;
    };
    assert_eq!(warnings(without_reference, None), 1, "the tag has no effect");
}

#[test]
fn refuses_generated_values_and_defaults_that_do_not_fit_the_column() {
    check(
        |builder| {
            let boolean = builder.kind(TypeKind::Boolean);
            builder.with_id(
                "Tag",
                "tags",
                vec![tagged("on", boolean, |tags| {
                    tags.generated = Some(GeneratedKind::Now);
                })],
            );
        },
        codes::UNSUPPORTED_COLUMN,
        "`@generated now`",
    );
    check(
        |builder| {
            let boolean = builder.kind(TypeKind::Boolean);
            builder.with_id(
                "Tag",
                "tags",
                vec![tagged("on", boolean, |tags| {
                    tags.default = Some(DefaultValue::Now);
                })],
            );
        },
        codes::UNSUPPORTED_COLUMN,
        "`@default`",
    );
}

#[test]
fn refuses_an_entity_inside_of_a_json_column() {
    for is_list in [false, true] {
        check(
            |builder| {
                builder.with_id("Label", "labels", vec![]);
                let declaration = builder
                    .program
                    .entities
                    .iter()
                    .next()
                    .expect("an entity")
                    .declaration;
                let mut label = builder.kind(TypeKind::Reference { declaration });
                if is_list {
                    label = builder.kind(TypeKind::Array { element: label });
                }
                builder.with_id("Tag", "tags", vec![property("label", label)]);
            },
            codes::UNSUPPORTED_COLUMN,
            "`Tag.label` cannot be a column: `Label` has a table of its own",
        );
    }
}

#[test]
fn refuses_indexes_that_postgresql_does_not_have() {
    let index = |text: &'static str, change: fn(&mut EntityIndex)| {
        move |builder: &mut Builder| {
            let column = builder.string(10);
            let indexed = tagged(text, column, |tags| {
                let mut index = EntityIndex {
                    columns: vec![IndexColumn::default()],
                    ..EntityIndex::default()
                };
                change(&mut index);
                tags.indexes.push(index);
            });
            builder.with_id("Tag", "tags", vec![indexed]);
        }
    };
    let code = codes::UNSUPPORTED_COLUMN;
    check(
        index("a", |index| index.method = Some(IndexMethod::Gin)),
        code,
        "`varchar(10)` of `a` has no default operator class for `using gin`",
    );
    check(
        index("a", |index| {
            index.method = Some(IndexMethod::Brin);
            index.columns[0].options.descending = true;
        }),
        code,
        "`@index desc using brin` of `Tag`: an index `using brin` has no order",
    );
    check(
        index("a", |index| {
            index.method = Some(IndexMethod::Hash);
            index.unique = true;
        }),
        code,
        "cannot be unique",
    );
    check(
        index("a", |index| index.condition = Some("a > (1".to_owned())),
        code,
        "the SQL condition `a > (1` of `Tag` has a `(` without a `)`",
    );
    check(
        index("a", |index| index.include = vec!["b".to_owned()]),
        codes::UNKNOWN_REFERENCE,
        "`@index include (b)` includes `b`",
    );
}

#[test]
fn refuses_a_check_that_is_more_than_a_condition() {
    check(
        |builder| {
            let text = builder.string(10);
            let checked = tagged("a", text, |tags| {
                tags.checks.push("a > 1); DROP TABLE tags".to_owned());
            });
            builder.with_id("Tag", "tags", vec![checked]);
        },
        codes::UNSUPPORTED_COLUMN,
        "of `Tag.a` has a `)` without a `(`",
    );
}

/// Adds members that refer to the mail addresses of users. The flags tell which of the two columns is `citext`.
fn mails(builder: &mut Builder, of_user: bool, of_member: bool) {
    let text = builder.string(100);
    let stored_as = |tags: &mut PropertyTags, is_citext: bool| {
        tags.stored_as = is_citext.then_some(StoredAs::Citext);
    };
    let mail = tagged("mail", text, |tags| {
        tags.unique = true;
        stored_as(tags, of_user);
    });
    builder.with_id("User", "users", vec![mail]);
    let user = tagged("user", text, |tags| {
        tags.references = Some(ReferenceTarget {
            entity: "User".into(),
            property: "mail".into(),
            actions: ReferentialActions::default(),
        });
        tags.index = true;
        stored_as(tags, of_member);
    });
    builder.with_id("Member", "members", vec![user]);
}

#[test]
fn refuses_a_reference_if_only_one_column_ignores_case() {
    for (of_user, of_member) in [(true, false), (false, true)] {
        check(
            |builder| mails(builder, of_user, of_member),
            codes::UNKNOWN_REFERENCE,
            "stored as `",
        );
    }
    let mut builder = Builder::new();
    mails(&mut builder, true, true);
    let (schema, diagnostics) = Schema::from_program(&builder.program);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}");
    let members = schema.table("members").expect("a table");
    assert_eq!(members.foreign_keys.len(), 1);
}
