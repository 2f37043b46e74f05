//! Routes with every kind of params, query, body and response.

use kit_ir::{DeclarationOrigin, LiteralValue, Method, RouteSlots, TypeKind};

use crate::{Builder, optional};

pub(super) fn routes(b: &mut Builder) {
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
    let open = b.record(string);
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
