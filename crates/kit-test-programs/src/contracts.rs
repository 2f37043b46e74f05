//! Routes with named slots: headers, cookies, several replies, errors with details, names of operations and limits.

use kit_ir::{
    Constraints, Decimal, DeclarationId, DeclaredError, DeclaredReply, DefaultValue, LiteralValue, Method,
    Program, Property, Route, RouteLimits, RouteSlots, TypeKind,
};

use crate::{Builder, described, optional, tagged};

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/orders.types.ts");
    let types = Types::declare(&mut b);
    b.file("src/orders.routes.ts");
    let routes = [
        create_order(&mut b, &types),
        read_order(&mut b, &types),
        cancel_order(&mut b),
        read_session(&mut b, &types),
        change_session(&mut b, &types),
        count_stock(&mut b),
    ];
    for route in routes {
        b.program.routes.push(route);
    }
    b.program
}

/// Types that several routes use.
struct Types {
    tenant: DeclarationId,
    new_order: DeclarationId,
    order: DeclarationId,
    job: DeclarationId,
    sold_out: DeclarationId,
    session: DeclarationId,
    session_headers: DeclarationId,
}

impl Types {
    fn declare(b: &mut Builder) -> Self {
        let (string, date, uuid) = (b.string(), b.kind(TypeKind::Date), b.uuid());
        let name = b.text(3, 20);
        let tenant = b.declare("TenantId", name);
        let (sku, count) = (b.text(1, 40), b.positive(Some(100.0)));
        let number = b.kind(TypeKind::Number);
        let new_order = vec![
            b.property("sku", sku),
            tagged(b.property("count", count), |tags| {
                tags.default = Some(DefaultValue::Literal(LiteralValue::Number(1.0)));
            }),
        ];
        let new_order = b.interface("NewOrder", new_order);
        let order = vec![
            b.property("id", uuid),
            b.property("sku", sku),
            b.property("count", count),
            b.property("orderedAt", date),
        ];
        let order = b.interface("Order", order);
        let job = vec![b.property("job", string)];
        let job = b.interface("Job", job);
        let left = b.constrained(
            TypeKind::Number,
            Constraints {
                integer: true,
                minimum: Decimal::new(0.0),
                ..Constraints::default()
            },
        );
        let sold_out = vec![
            described(b.property("left", left), "Number of pieces that are left."),
            optional(b.property("again", date)),
        ];
        let sold_out = b.interface("SoldOut", sold_out);
        let session = vec![b.property("user", string), b.property("visits", number)];
        let session = b.interface("Session", session);
        let tenant_reference = b.reference(tenant);
        let session_headers = vec![b.property("x-tenant", tenant_reference)];
        let session_headers = b.interface("SessionHeaders", session_headers);
        Self {
            tenant,
            new_order,
            order,
            job,
            sold_out,
            session,
            session_headers,
        }
    }
}

fn failure(code: &str, status: u16, details: Option<DeclarationId>) -> DeclaredError {
    DeclaredError {
        code: code.to_owned(),
        status,
        description: None,
        details,
    }
}

fn reply(status: u16, body: Option<DeclarationId>, headers: Option<DeclarationId>) -> DeclaredReply {
    DeclaredReply {
        status,
        body,
        format: kit_ir::BodyFormat::Json,
        headers,
    }
}

/// Returns a route with replies, as the compiler makes it: the status of the route is the status of the first
/// reply.
fn with_replies(route: Route, replies: Vec<DeclaredReply>) -> Route {
    Route {
        status: replies[0].status,
        replies,
        ..route
    }
}

/// Returns a property whose values are secrets. The compiler marks cookies, `set-cookie` and credentials.
fn secret(property: Property) -> Property {
    tagged(property, |tags| tags.sensitive = true)
}

/// Creates `POST /orders` with every kind of type in its headers and cookies, and three replies.
fn create_order(b: &mut Builder, types: &Types) -> Route {
    let (string, boolean, date) = (b.string(), b.kind(TypeKind::Boolean), b.kind(TypeKind::Date));
    let (number, big, uuid) = (b.kind(TypeKind::Number), b.kind(TypeKind::BigInt), b.uuid());
    let (strings, numbers, retries) = (b.array(string), b.array(number), b.positive(Some(5.0)));
    let one = b.kind(TypeKind::Literal {
        value: LiteralValue::Number(1.0),
    });
    let fast = b.literal("fast");
    let mode = b.union(&[fast, one]);
    let tenant = b.reference(types.tenant);
    let headers = vec![
        described(b.property("x-tenant", tenant), "Customer of the request."),
        optional(secret(b.property("authorization", string))),
        optional(b.property("content-type", string)),
        optional(b.property("idempotency-key", uuid)),
        tagged(b.property("x-retries", retries), |tags| {
            tags.default = Some(DefaultValue::Literal(LiteralValue::Number(2.0)));
        }),
        optional(b.property("x-dry-run", boolean)),
        optional(b.property("x-since", date)),
        optional(b.property("x-total", big)),
        optional(b.property("x-mode", mode)),
        optional(b.property("x-tags", strings)),
        optional(b.property("x-sizes", numbers)),
    ];
    let headers = b.slot("PostOrdersHeaders", headers);
    let (sid, theme) = (b.text(8, 64), b.literals(&["dark", "light"]));
    let cookies = vec![
        secret(b.property("sid", sid)),
        optional(secret(b.property("theme", theme))),
        optional(secret(b.property("visits", retries))),
        optional(secret(b.property("seen", date))),
    ];
    let cookies = b.slot("PostOrdersCookies", cookies);
    let kind = b.union(&[fast, number]);
    let created = vec![
        described(b.property("location", string), "Path of the new order."),
        b.property("etag", string),
        b.property("x-remaining", number),
        b.property("x-expires", date),
        optional(b.property("x-total", big)),
        optional(b.property("x-cached", boolean)),
        optional(b.property("x-kind", kind)),
        optional(b.property("vary", strings)),
        optional(b.property("x-sizes", numbers)),
        optional(secret(b.property("set-cookie", strings))),
    ];
    let created = b.slot("PostOrdersReply201Headers", created);
    let elsewhere = vec![b.property("location", string)];
    let elsewhere = b.slot("PostOrdersReply303Headers", elsewhere);
    let slots = RouteSlots {
        headers: Some(headers),
        cookies: Some(cookies),
        body: Some(types.new_order),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Post, "/orders", "OrderRoutes", slots);
    let route = Route {
        operation: Some("createOrder".to_owned()),
        limits: RouteLimits {
            body_bytes: Some(4096),
            timeout_ms: Some(2000),
            ..RouteLimits::default()
        },
        throws: vec![
            failure("SOLD_OUT", 409, Some(types.sold_out)),
            failure("PAYMENT_FAILED", 402, None),
            failure("ORDER_EXISTS", 409, None),
        ],
        ..route
    };
    let replies = vec![
        reply(201, Some(types.order), Some(created)),
        reply(202, Some(types.job), None),
        reply(303, None, Some(elsewhere)),
    ];
    with_replies(route, replies)
}

/// Creates `GET /orders/:id` with a conditional request.
fn read_order(b: &mut Builder, types: &Types) -> Route {
    let (string, uuid) = (b.string(), b.uuid());
    let params = vec![b.property("id", uuid)];
    let params = b.slot("GetOrdersByIdParams", params);
    let tags = b.array(string);
    let headers = vec![optional(b.property("if-none-match", tags))];
    let headers = b.slot("GetOrdersByIdHeaders", headers);
    let etag = vec![b.property("etag", string)];
    let etag = b.slot("GetOrdersByIdReply200Headers", etag);
    let slots = RouteSlots {
        params: Some(params),
        headers: Some(headers),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Get, "/orders/:id", "OrderRoutes", slots);
    let replies = vec![
        reply(200, Some(types.order), Some(etag)),
        reply(304, None, Some(etag)),
    ];
    with_replies(route, replies)
}

/// Creates `DELETE /orders/:id` with one reply, and with an error that has details.
fn cancel_order(b: &mut Builder) -> Route {
    let uuid = b.uuid();
    let params = vec![b.property("id", uuid)];
    let params = b.slot("DeleteOrdersByIdParams", params);
    let missing = vec![b.property("id", uuid)];
    let missing = b.slot("DeleteOrdersByIdOrderNotFoundDetails", missing);
    let slots = RouteSlots {
        params: Some(params),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Delete, "/orders/:id", "OrderRoutes", slots);
    let route = Route {
        operation: Some("cancelOrder".to_owned()),
        throws: vec![failure("ORDER_NOT_FOUND", 404, Some(missing))],
        ..route
    };
    with_replies(route, vec![reply(204, None, None)])
}

/// Creates `GET /session` with a plain response, and an interface as its headers.
fn read_session(b: &mut Builder, types: &Types) -> Route {
    let sid = b.text(8, 64);
    let cookies = vec![secret(b.property("sid", sid))];
    let cookies = b.slot("GetSessionCookies", cookies);
    let slots = RouteSlots {
        headers: Some(types.session_headers),
        cookies: Some(cookies),
        response: Some(types.session),
        ..RouteSlots::default()
    };
    b.route(Method::Get, "/session", "OrderRoutes", slots)
}

/// Creates `PUT /session`, whose body has the type that `GET /session` has as its headers.
fn change_session(b: &mut Builder, types: &Types) -> Route {
    let slots = RouteSlots {
        body: Some(types.session_headers),
        response: Some(types.session),
        ..RouteSlots::default()
    };
    b.route(Method::Put, "/session", "OrderRoutes", slots)
}

/// Creates `GET /stock`, which uses none of the new slots.
fn count_stock(b: &mut Builder) -> Route {
    let (string, number) = (b.string(), b.kind(TypeKind::Number));
    let query = vec![optional(b.property("sku", string))];
    let query = b.slot("GetStockQuery", query);
    let response = vec![b.property("pieces", number)];
    let response = b.slot("GetStockResponse", response);
    let slots = RouteSlots {
        query: Some(query),
        response: Some(response),
        ..RouteSlots::default()
    };
    b.route(Method::Get, "/stock", "OrderRoutes", slots)
}
