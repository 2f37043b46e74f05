//! A large application for benchmarks, with a given number of entities and their usual types and routes.

use kit_ir::{
    DeclarationId, DeclarationOrigin, DefaultValue, Entity, GeneratedKind, LiteralValue, Method, Program,
    Property, RouteSlots, TypeKind,
};

use super::{Builder, described, optional, tagged};

/// Number of named types for each entity, without the types of its contracts: the entity, its page, and types
/// that refer to it.
const DETAILS: usize = 11;

/// Returns a program with 22 types and five routes per entity; 60 entities give 1,320 types and 300 routes.
pub fn program(entities: usize) -> Program {
    let mut b = Builder::new("src/app.ts");
    let mut before = None;
    for number in 0..entities {
        before = Some(entity(&mut b, number, before));
    }
    b.program
}

/// Adds an entity with its types and routes. The entity refers to the entity `before`, so that its document
/// includes types of another file.
fn entity(b: &mut Builder, number: usize, before: Option<DeclarationId>) -> DeclarationId {
    let name = format!("Thing{number}");
    b.file(&format!("src/things/thing{number}.types.ts"));
    let properties = columns(b);
    let entity = b.interface(&name, properties.clone());
    b.program.declarations[entity].documentation.description = Some("A thing that users keep.".to_owned());
    b.program.entities.push(Entity {
        declaration: entity,
        table: format!("thing{number}s"),
        renamed_from: None,
        indexes: Vec::new(),
        uniques: Vec::new(),
        references: Vec::new(),
        checks: Vec::new(),
        tenant: None,
        owner: None,
    });
    let create = b.interface(&format!("Create{name}Input"), properties[1..6].to_vec());
    let changes = properties[1..6].iter().cloned().map(optional).collect();
    let update = b.interface(&format!("Update{name}Input"), changes);
    let status = b.literals(&["active", "suspended", "deleted"]);
    let status = b.declare(&format!("{name}Status"), status);
    let (details, page) = (details(b, &name, entity, status, before), page(b, &name, entity));
    routes(b, number, [create, update, details, page, entity]);
    entity
}

fn columns(b: &mut Builder) -> Vec<Property> {
    let (string, boolean, date) = (b.string(), b.kind(TypeKind::Boolean), b.kind(TypeKind::Date));
    let (title, content, count) = (b.text(1, 200), b.text(0, 10_000), b.positive(Some(1000.0)));
    let labels = b.array(title);
    let now = |property: Property| tagged(property, |tags| tags.generated = Some(GeneratedKind::Now));
    vec![
        tagged(b.property("id", string), |tags| {
            tags.id = true;
            tags.generated = Some(GeneratedKind::Uuid);
        }),
        described(b.property("title", title), "What it is about."),
        b.property("content", content),
        b.property("count", count),
        b.property("labels", labels),
        tagged(b.property("archived", boolean), |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::Boolean(false)));
        }),
        now(b.property("createdAt", date)),
        now(b.property("updatedAt", date)),
    ]
}

/// Adds a chain of types, in which each type contains the previous one. Returns the last type.
fn details(
    b: &mut Builder,
    name: &str,
    entity: DeclarationId,
    status: DeclarationId,
    before: Option<DeclarationId>,
) -> DeclarationId {
    let mut inner = before.unwrap_or(entity);
    for step in 0..DETAILS {
        let (to_inner, to_status, null) = (b.reference(inner), b.reference(status), b.kind(TypeKind::Null));
        let (several, maybe) = (b.array(to_inner), b.union(&[to_inner, null]));
        let (kind, value) = (b.literal("plain"), b.text(1, 80));
        let plain = vec![b.property("kind", kind), b.property("value", value)];
        let (kind, value) = (b.literal("dated"), b.kind(TypeKind::Date));
        let dated = vec![b.property("kind", kind), b.property("value", value)];
        let (plain, dated) = (b.object(plain), b.object(dated));
        let content = b.union(&[plain, dated]);
        let properties = vec![
            b.property("status", to_status),
            b.property("several", several),
            optional(b.property("maybe", maybe)),
            b.property("content", content),
        ];
        inner = b.interface(&format!("{name}Detail{step}"), properties);
    }
    inner
}

fn page(b: &mut Builder, name: &str, entity: DeclarationId) -> DeclarationId {
    let (entity, number) = (b.reference(entity), b.kind(TypeKind::Number));
    let data = b.array(entity);
    let fields = ["total", "page", "pageSize", "totalPages"].map(|name| b.property(name, number));
    let pagination = b.object(fields.to_vec());
    let properties = vec![b.property("data", data), b.property("pagination", pagination)];
    let page = b.object(properties);
    let origin = DeclarationOrigin::Instance {
        expression: format!("PaginatedResponse<{name}>"),
    };
    b.declare_as(&format!("PaginatedResponseOf{name}"), page, origin)
}

fn routes(b: &mut Builder, number: usize, [create, update, details, page, entity]: [DeclarationId; 5]) {
    b.file(&format!("src/things/thing{number}.routes.ts"));
    let (string, position) = (b.string(), b.positive(None));
    let slot = |verb: &str, part: &str| format!("{verb}Thing{number}s{part}");
    let query = ["page", "pageSize"].map(|name| optional(b.property(name, position)));
    let query = b.slot(&slot("Get", "Query"), query.to_vec());
    let to_create = b.reference(create);
    let body = vec![b.property("thing", to_create)];
    let body = b.slot(&slot("Post", "Body"), body);
    let to_update = b.reference(update);
    let changes = vec![b.property("thing", to_update)];
    let changes = b.slot(&slot("Put", "Body"), changes);
    let mut params = |verb| {
        let id = b.property("id", string);
        b.slot(&slot(verb, "ByIdParams"), vec![id])
    };
    let (get, put, delete) = (params("Get"), params("Put"), params("Delete"));
    let (all, one) = (format!("/thing{number}s"), format!("/thing{number}s/:id"));
    let slots = |params, query, body, response| RouteSlots {
        params,
        query,
        body,
        response,
        ..RouteSlots::default()
    };
    let routes = [
        (Method::Get, &all, slots(None, Some(query), None, Some(page))),
        (Method::Post, &all, slots(None, None, Some(body), Some(entity))),
        (Method::Get, &one, slots(Some(get), None, None, Some(details))),
        (
            Method::Put,
            &one,
            slots(Some(put), None, Some(changes), Some(entity)),
        ),
        (Method::Delete, &one, slots(Some(delete), None, None, None)),
    ];
    let group = format!("Thing{number}Routes");
    for (method, path, slots) in routes {
        let route = b.route(method, path, &group, slots);
        b.program.routes.push(route);
    }
}
