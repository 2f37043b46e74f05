//! Routes whose bodies have one of several formats: in requests, in responses and in replies.

use kit_ir::{
    BodyFormat, DeclarationId, DeclaredEvent, DeclaredReply, Documentation, FilePart, FormatChoice, Method,
    Program, Route, RouteSlots, TypeKind,
};

use crate::Builder;

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/orders.types.ts");
    let (date, title) = (b.kind(TypeKind::Date), b.text(1, 40));
    let count = b.positive(Some(9.0));
    let order = vec![
        b.property("title", title),
        b.property("count", count),
        b.property("due", date),
    ];
    let order = b.interface("Order", order);
    let number = b.kind(TypeKind::Number);
    let string = b.string();
    let received = vec![b.property("type", string), b.property("text", string)];
    let received = b.interface("Received", received);
    let progress = vec![b.property("percent", number)];
    let progress = b.interface("Progress", progress);
    b.file("src/orders.routes.ts");
    let element = b.reference(order);
    let orders = b.kind(TypeKind::Array { element });
    let orders = b.declare("GetReportResponseJson", orders);
    let photo = vec![b.property("title", title)];
    let photo = b.slot("PostPhotosBodyMultipart", photo);
    let routes = [
        with_body(
            &mut b,
            "/orders",
            one_of(vec![
                choice(BodyFormat::Json, Some(order)),
                choice(BodyFormat::Form, Some(order)),
                choice(text(&["text/csv", "text/tab-separated-values"]), None),
                choice(raw("image/*"), None),
            ]),
            Some(received),
        ),
        with_body(
            &mut b,
            "/photos",
            one_of(vec![
                choice(photo_parts(), Some(photo)),
                choice(raw("application/json"), None),
            ]),
            Some(received),
        ),
        report(&mut b, order, orders),
        export(&mut b, order, progress),
        watch(&mut b, progress),
    ];
    for route in routes {
        b.program.routes.push(route);
    }
    b.program
}

fn choice(format: BodyFormat, body: Option<DeclarationId>) -> FormatChoice {
    FormatChoice { format, body }
}

fn one_of(choices: Vec<FormatChoice>) -> BodyFormat {
    BodyFormat::OneOf { choices }
}

fn text(names: &[&str]) -> BodyFormat {
    BodyFormat::Text {
        media_types: names.iter().map(|name| (*name).to_owned()).collect(),
    }
}

fn raw(range: &str) -> BodyFormat {
    BodyFormat::Raw {
        media_types: vec![range.to_owned()],
    }
}

fn photo_parts() -> BodyFormat {
    let file = FilePart {
        name: "photo".to_owned(),
        optional: false,
        many: false,
        streamed: false,
        min_items: None,
        max_items: None,
        max_bytes: Some(1000),
        media_types: Vec::new(),
        documentation: Documentation::default(),
    };
    BodyFormat::Multipart { files: vec![file] }
}

fn with_body(b: &mut Builder, path: &str, format: BodyFormat, response: Option<DeclarationId>) -> Route {
    let slots = RouteSlots {
        response,
        ..RouteSlots::default()
    };
    Route {
        body_format: format,
        ..b.route(Method::Post, path, "OrderRoutes", slots)
    }
}

fn answered(b: &mut Builder, path: &str, format: BodyFormat) -> Route {
    Route {
        response_format: format,
        status: 200,
        ..b.route(Method::Get, path, "OrderRoutes", RouteSlots::default())
    }
}

fn report(b: &mut Builder, order: DeclarationId, orders: DeclarationId) -> Route {
    let pdf = BodyFormat::Bytes {
        media_types: vec!["application/pdf".to_owned()],
        ranges: false,
    };
    let format = one_of(vec![
        choice(BodyFormat::Json, Some(orders)),
        choice(text(&["text/csv"]), None),
        choice(pdf, None),
        choice(BodyFormat::Lines, Some(order)),
    ]);
    answered(b, "/report", format)
}

/// A route whose replies have different formats.
fn export(b: &mut Builder, order: DeclarationId, progress: DeclarationId) -> Route {
    let reply = |status, body, format| DeclaredReply {
        status,
        body,
        format,
        headers: None,
    };
    let order = one_of(vec![
        choice(text(&["text/csv"]), None),
        choice(BodyFormat::Json, Some(order)),
    ]);
    Route {
        replies: vec![
            reply(200, None, order),
            reply(202, Some(progress), BodyFormat::Json),
            reply(204, None, BodyFormat::Json),
        ],
        ..answered(b, "/export", BodyFormat::Json)
    }
}

fn watch(b: &mut Builder, progress: DeclarationId) -> Route {
    let event = DeclaredEvent {
        name: "progress".to_owned(),
        data: Some(progress),
    };
    let events = BodyFormat::Events { events: vec![event] };
    let format = one_of(vec![
        choice(BodyFormat::Json, Some(progress)),
        choice(events, None),
    ]);
    answered(b, "/watch", format)
}
