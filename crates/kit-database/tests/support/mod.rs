//! Reference entities, in the form in which the compiler passes them to this crate.
#![allow(dead_code, unreachable_pub)] // each test file uses a part

use kit_database::Schema;
use kit_diagnostics::Code;
use kit_ir::{
    Constraints, Declaration, DeclarationOrigin, DefaultValue, Documentation, Entity, Format, GeneratedKind,
    LiteralValue, ObjectType, Program, Property, PropertyTags, ReferenceTarget, ReferentialAction,
    ReferentialActions, SourceFile, SourceId, Span, Type, TypeId, TypeKind,
};

pub fn span() -> Span {
    Span {
        source: SourceId(0),
        start: 10,
        end: 14,
        line: 2,
        column: 3,
    }
}

pub struct Builder {
    pub program: Program,
}

impl Builder {
    pub fn new() -> Self {
        let mut program = Program::default();
        program.sources.push(SourceFile {
            path: "src/notes.types.ts".into(),
        });
        Self { program }
    }

    pub fn kind(&mut self, kind: TypeKind) -> TypeId {
        self.program.add_type(kind)
    }

    pub fn constrained(&mut self, kind: TypeKind, constraints: Constraints) -> TypeId {
        self.program.add_type(Type {
            kind,
            constraints,
            calls_to_json: false,
        })
    }

    pub fn string(&mut self, max: u64) -> TypeId {
        self.constrained(
            TypeKind::String,
            Constraints {
                max_length: Some(max),
                ..Constraints::default()
            },
        )
    }

    pub fn one_of(&mut self, values: &[&str]) -> TypeId {
        let members = values
            .iter()
            .map(|value| {
                self.kind(TypeKind::Literal {
                    value: LiteralValue::String((*value).into()),
                })
            })
            .collect();
        self.kind(TypeKind::Union { members })
    }

    pub fn nullable(&mut self, inner: TypeId) -> TypeId {
        let null = self.kind(TypeKind::Null);
        self.kind(TypeKind::Union {
            members: vec![inner, null],
        })
    }

    pub fn entity(&mut self, name: &str, table: &str, properties: Vec<Property>) {
        let r#type = self.kind(TypeKind::Object(ObjectType {
            properties,
            index: Vec::new(),
        }));
        let declaration = self.program.declarations.push(Declaration {
            name: name.into(),
            r#type,
            origin: DeclarationOrigin::Named { export: name.into() },
            documentation: Documentation::default(),
            span: span(),
        });
        self.program.entities.push(Entity {
            declaration,
            table: table.into(),
            renamed_from: None,
            indexes: Vec::new(),
            uniques: Vec::new(),
            checks: Vec::new(),
            references: Vec::new(),
            tenant: None,
            owner: None,
        });
    }

    /// Adds an entity with an id and further properties.
    pub fn with_id(&mut self, name: &str, table: &str, more: Vec<Property>) {
        let mut properties = vec![self.id()];
        properties.extend(more);
        self.entity(name, table, properties);
    }

    pub fn id(&mut self) -> Property {
        let uuid = self.constrained(
            TypeKind::String,
            Constraints {
                format: Some(Format::Uuid),
                ..Constraints::default()
            },
        );
        tagged("id", uuid, |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Uuid);
        })
    }

    pub fn times(&mut self) -> [Property; 2] {
        let date = self.kind(TypeKind::Date);
        let made = |tags: &mut PropertyTags| tags.generated = Some(GeneratedKind::Now);
        [
            tagged("createdAt", date, made),
            tagged("updatedAt", date, |tags| {
                made(tags);
                tags.on_update_now = true;
            }),
        ]
    }
}

pub fn property(name: &str, r#type: TypeId) -> Property {
    tagged(name, r#type, |_| {})
}

pub fn tagged(name: &str, r#type: TypeId, tag: impl FnOnce(&mut PropertyTags)) -> Property {
    let mut tags = PropertyTags::default();
    tag(&mut tags);
    Property {
        name: name.into(),
        r#type,
        optional: false,
        documentation: Documentation::default(),
        tags,
        span: span(),
    }
}

/// Returns the entities Note, User and Todo of the specification.
pub fn reference_program() -> Program {
    let mut builder = Builder::new();
    notes(&mut builder, true);
    users(&mut builder);
    todos(&mut builder);
    builder.program
}

pub fn notes(builder: &mut Builder, archived: bool) {
    let (title, content, author) = (builder.string(200), builder.string(10_000), builder.string(100));
    let boolean = builder.kind(TypeKind::Boolean);
    let mut more = vec![
        property("title", title),
        property("content", content),
        property("authorId", author),
    ];
    if archived {
        more.push(tagged("archived", boolean, |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::Boolean(false)));
        }));
    }
    more.extend(builder.times());
    builder.with_id("Note", "notes", more);
}

pub fn users(builder: &mut Builder) {
    let email = builder.constrained(
        TypeKind::String,
        Constraints {
            max_length: Some(255),
            format: Some(Format::Email),
            ..Constraints::default()
        },
    );
    let (display, status) = (
        builder.string(100),
        builder.one_of(&["active", "suspended", "deleted"]),
    );
    let mut more = vec![
        tagged("email", email, |tags| tags.unique = true),
        property("displayName", display),
        tagged("status", status, |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::String("active".into())));
        }),
    ];
    more.extend(builder.times());
    builder.with_id("User", "users", more);
}

pub fn todos(builder: &mut Builder) {
    let (title, string, boolean) = (
        builder.string(200),
        builder.kind(TypeKind::String),
        builder.kind(TypeKind::Boolean),
    );
    let mut more = vec![
        property("title", title),
        property("completed", boolean),
        tagged("userId", string, |tags| {
            tags.references = Some(ReferenceTarget {
                entity: "User".into(),
                property: "id".into(),
                actions: ReferentialActions {
                    on_delete: ReferentialAction::Cascade,
                    ..ReferentialActions::default()
                },
            });
            tags.index = true;
        }),
    ];
    more.extend(builder.times());
    builder.with_id("Todo", "todos", more);
}

/// Adds an entity with every kind of column, and with names that need quotes.
pub fn mixed(builder: &mut Builder) {
    let integer = builder.constrained(
        TypeKind::Number,
        Constraints {
            integer: true,
            ..Constraints::default()
        },
    );
    let wide = builder.constrained(
        TypeKind::Number,
        Constraints {
            integer: true,
            maximum: kit_ir::Decimal::new(9e12),
            ..Constraints::default()
        },
    );
    let (number, big, text) = (
        builder.kind(TypeKind::Number),
        builder.kind(TypeKind::BigInt),
        builder.kind(TypeKind::String),
    );
    let tags_type = builder.kind(TypeKind::Array { element: text });
    let nullable_date = builder.kind(TypeKind::Date);
    let nullable_date = builder.nullable(nullable_date);
    let level = {
        let members = [1.0, 2.0]
            .map(|value| {
                builder.kind(TypeKind::Literal {
                    value: LiteralValue::Number(value),
                })
            })
            .to_vec();
        builder.kind(TypeKind::Union { members })
    };
    let key = tagged("key", integer, |tags| {
        tags.id = true;
        tags.generated = Some(GeneratedKind::Unspecified);
    });
    let bytes = builder.kind(TypeKind::Bytes);
    let mut sealed = property("seal", bytes);
    sealed.optional = true;
    sealed.documentation.description = Some("The sender's seal,\nas */ bytes.".into());
    let mut optional = property("note`s \"${x}\"", text);
    optional.optional = true;
    builder.entity(
        "Order",
        "order",
        vec![
            key,
            property("user", text),
            property("size", wide),
            tagged("weight", number, |tags| {
                tags.default = Some(DefaultValue::Literal(LiteralValue::Number(1.5)));
            }),
            property("balance", big),
            tagged("tags", tags_type, |tags| {
                tags.default = Some(DefaultValue::Json("[\"it's\",\"`\"]".into()));
            }),
            property("shippedAt", nullable_date),
            property("level", level),
            sealed,
            optional,
            tagged("parent", integer, |tags| {
                tags.no_index = true;
                tags.references = Some(ReferenceTarget {
                    entity: "Order".into(),
                    property: "key".into(),
                    actions: ReferentialActions::default(),
                });
            }),
        ],
    );
}

/// Adds entities in two schemas. Two of their tables have the same name.
pub fn billing(builder: &mut Builder) {
    let (name, number, uuid) = (
        builder.string(80),
        builder.string(20),
        builder.kind(TypeKind::String),
    );
    let key = builder.kind(TypeKind::BigInt);
    let state = builder.one_of(&["open", "paid"]);
    let refers = |name: &str, r#type, entity: &str| {
        tagged(name, r#type, |tags| {
            tags.index = true;
            tags.references = Some(ReferenceTarget {
                entity: entity.into(),
                property: "id".into(),
                actions: ReferentialActions::default(),
            });
        })
    };
    let counted = || {
        tagged("id", key, |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Unspecified);
        })
    };
    let unique = || tagged("number", number, |tags| tags.unique = true);
    let (customer, bill, parent) = (
        refers("customerId", uuid, "Customer"),
        refers("invoiceId", key, "Invoice"),
        refers("parentId", key, "Invoice"),
    );
    builder.with_id("Customer", "customers", vec![property("name", name)]);
    builder.entity(
        "Invoice",
        "billing.invoices",
        vec![counted(), customer, unique(), property("state", state)],
    );
    builder.entity("Draft", "invoices", vec![counted(), bill, unique()]);
    builder.entity("Group", "Billing.order", vec![counted(), parent]);
}

/// Adds an entity with whole numbers, with and without bounds, and without a `bigint`.
pub fn counters(builder: &mut Builder) {
    let mut whole = |minimum, maximum| {
        builder.constrained(
            TypeKind::Number,
            Constraints {
                integer: true,
                minimum,
                maximum,
                ..Constraints::default()
            },
        )
    };
    let limit = kit_ir::Decimal::new;
    let (any, positive, small) = (
        whole(None, None),
        whole(limit(0.0), None),
        whole(limit(0.0), limit(100.0)),
    );
    let id = tagged("id", any, |tags| {
        tags.id = true;
        tags.generated = Some(GeneratedKind::Unspecified);
    });
    let total = tagged("total", positive, |tags| {
        tags.default = Some(DefaultValue::Literal(LiteralValue::Number(0.0)));
    });
    let mut lowest = property("lowest", any);
    lowest.optional = true;
    builder.entity(
        "Counter",
        "counters",
        vec![id, total, property("percent", small), lowest],
    );
}

/// Asserts that the entities have one mistake, with the given code and message.
pub fn check(add: impl FnOnce(&mut Builder), code: Code, message: &str) {
    let mut builder = Builder::new();
    add(&mut builder);
    let (_, diagnostics) = Schema::from_program(&builder.program);
    assert_eq!(diagnostics.len(), 1, "{diagnostics:#?}");
    let diagnostic = diagnostics.iter().next().expect("one diagnostic");
    assert_eq!(diagnostic.code, code);
    assert!(diagnostic.message.contains(message), "{}", diagnostic.message);
    assert!(diagnostic.help.is_some());
    let place = diagnostic.primary().expect("a place");
    assert_eq!(
        (place.path.as_str(), place.line, place.column),
        ("src/notes.types.ts", 2, 3)
    );
}
