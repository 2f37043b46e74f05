//! Every kind of type, every constraint, every odd name.

use kit_ir::{
    Constraints, Decimal, DeclarationOrigin, DefaultValue, Documentation, Entity, Format, GeneratedKind,
    LiteralValue, Method, ObjectType, Program, Property, RouteSlots, TemplatePart, TupleElement, TypeId,
    TypeKind,
};

use super::{Builder, described, optional, tagged};

pub fn program() -> Program {
    let mut b = Builder::new("src/sink.types.ts");
    scalars(&mut b);
    strings(&mut b);
    containers(&mut b);
    odd_names(&mut b);
    unions(&mut b);
    recursive(&mut b);
    defaults(&mut b);
    entity(&mut b);
    routes(&mut b);
    b.program
}

fn number(b: &mut Builder, kind: TypeKind, edit: impl FnOnce(&mut Constraints)) -> TypeId {
    let mut constraints = Constraints::default();
    edit(&mut constraints);
    b.constrained(kind, constraints)
}

fn scalars(b: &mut Builder) {
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
    ];
    let names = ["inclusive", "exclusive", "cents", "whole", "bigFives"];
    let properties = names
        .iter()
        .zip(bounded)
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    b.interface("Numbers", properties);
}

fn strings(b: &mut Builder) {
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
            TemplatePart::Hole(number),
            TemplatePart::Text("-".to_owned()),
            TemplatePart::Hole(choice),
            TemplatePart::Text(":".to_owned()),
            TemplatePart::Hole(string),
        ],
    });
    properties.push(optional(b.property("template", template)));
    let secret = b.text(8, 72);
    properties.push(optional(tagged(b.property("secret", secret), |tags| {
        tags.sensitive = true;
    })));
    b.interface("Strings", properties);

    // Names that the codec uses too.
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

fn element(r#type: TypeId) -> TupleElement {
    TupleElement {
        r#type,
        optional: false,
        rest: false,
        label: None,
    }
}

fn containers(b: &mut Builder) {
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

fn odd_names(b: &mut Builder) {
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

fn unions(b: &mut Builder) {
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

fn recursive(b: &mut Builder) {
    let string = b.string();
    // The declaration comes first, so that its type can refer to it.
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
    let record = b.kind(TypeKind::Object(ObjectType {
        properties: Vec::new(),
        index: Some(reference),
    }));
    let scalars = [
        TypeKind::Null,
        TypeKind::Boolean,
        TypeKind::Number,
        TypeKind::String,
    ]
    .map(|kind| b.kind(kind));
    let union = b.union(&[&scalars[..], &[list, record]].concat());
    b.program.declarations[json].r#type = union;

    // Two that need each other.
    let placeholder = b.kind(TypeKind::Unknown);
    let (person, team) = (b.declare("Person", placeholder), b.declare("Team", placeholder));
    let (to_team, to_person) = (b.reference(team), b.reference(person));
    let members = b.array(to_person);
    let properties = vec![b.property("name", string), optional(b.property("team", to_team))];
    b.program.declarations[person].r#type = b.object(properties);
    let properties = vec![b.property("members", members)];
    b.program.declarations[team].r#type = b.object(properties);

    // Members overlap, so a check could try each level twice.
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

fn defaults(b: &mut Builder) {
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

fn entity(b: &mut Builder) {
    let text = b.constrained(
        TypeKind::String,
        Constraints {
            format: Some(Format::Email),
            max_length: Some(255),
            ..Constraints::default()
        },
    );
    let (string, status) = (b.string(), b.literals(&["active", "suspended", "deleted"]));
    let id = b.property("id", string);
    let email = b.property("email", text);
    let mut status = b.property("status", status);
    status.documentation = Documentation {
        description: Some("Where the account is in its life.\n\nIt never ends with */ a comment.".to_owned()),
        deprecated: Some("use `state`".to_owned()),
        examples: vec!["\"active\"".to_owned()],
    };
    let properties = vec![
        tagged(id, |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Uuid);
        }),
        described(tagged(email, |tags| tags.unique = true), "Where mail goes."),
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
    });
}

fn routes(b: &mut Builder) {
    b.file("src/sink.routes.ts");
    let (string, number, boolean, date) = (
        b.string(),
        b.kind(TypeKind::Number),
        b.kind(TypeKind::Boolean),
        b.kind(TypeKind::Date),
    );
    let big = b.kind(TypeKind::BigInt);
    let sides = [
        LiteralValue::Number(1.0),
        LiteralValue::Number(2.0),
        LiteralValue::String("all".to_owned()),
    ];
    let sides: Vec<_> = sides
        .into_iter()
        .map(|value| b.kind(TypeKind::Literal { value }))
        .collect();
    let sides = b.union(&sides);
    let (numbers, texts) = (b.array(number), b.array(string));
    let entries = [
        ("limit", number),
        ("deep", boolean),
        ("since", date),
        ("big", big),
        ("sides", sides),
        ("ids", numbers),
        ("tags", texts),
        ("q", string),
        ("__proto__", string),
    ];
    let query = entries
        .into_iter()
        .map(|(name, id)| optional(b.property(name, id)))
        .collect();
    let query = b.slot("GetSearchQuery", query);
    let open = b.kind(TypeKind::Object(ObjectType {
        properties: Vec::new(),
        index: Some(string),
    }));
    let open = b.declare_as("GetOpenQuery", open, DeclarationOrigin::Slot);
    let pair = vec![b.property("a", number), b.property("b", string)];
    let pair = b.interface("Pair", pair);
    let rest = vec![b.property("path", string)];
    let rest = b.slot("GetFilesByPathParams", rest);
    let find = |b: &Builder, name: &str| b.program.declaration(name).map(|(id, _)| id);
    let (account, figure, defaults) = (find(b, "UserAccount"), find(b, "Figure"), find(b, "Defaults"));
    let slots = RouteSlots::default;
    let list = [
        (
            Method::Get,
            "/search",
            RouteSlots {
                query: Some(query),
                response: figure,
                ..slots()
            },
        ),
        (
            Method::Get,
            "/open",
            RouteSlots {
                query: Some(open),
                ..slots()
            },
        ),
        (
            Method::Get,
            "/pairs/:a/:b",
            RouteSlots {
                params: Some(pair),
                ..slots()
            },
        ),
        (
            Method::Delete,
            "/swapped/:b/:a",
            RouteSlots {
                params: Some(pair),
                ..slots()
            },
        ),
        (
            Method::Get,
            "/files/*path",
            RouteSlots {
                params: Some(rest),
                ..slots()
            },
        ),
        (
            Method::Post,
            "/accounts",
            RouteSlots {
                body: account,
                response: account,
                ..slots()
            },
        ),
        (
            Method::Put,
            "/defaults",
            RouteSlots {
                body: defaults,
                response: defaults,
                ..slots()
            },
        ),
    ];
    for (method, path, slots) in list {
        let route = b.route(method, path, "SinkRoutes", slots);
        b.program.routes.push(route);
    }
}
