//! Routes with wrappers: middleware that runs around the handler and may answer.

use kit_ir::{
    DeclarationId, DeclaredError, DeclaredReply, Method, MiddlewareKind, MiddlewareSource, Program, Route,
    RouteSlots, RouteWrapper, TypeKind,
};

use crate::{Builder, optional};

/// Middleware in the order of execution: name, priority, and true for a wrapper.
const MIDDLEWARE: [(&str, f64, bool); 4] = [
    ("timed", -10.0, true),
    ("tagged", 0.0, false),
    ("cached", 10.0, true),
    ("limited", 20.0, true),
];

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/reports.types.ts");
    let (string, number, boolean) = (b.string(), b.kind(TypeKind::Number), b.kind(TypeKind::Boolean));
    let report = vec![b.property("id", number), b.property("isTimed", boolean)];
    let report = b.interface("Report", report);
    let new_report = vec![b.property("title", string)];
    let new_report = b.interface("NewReport", new_report);
    let queued = vec![b.property("position", number)];
    let queued = b.interface("Queued", queued);
    let limit = vec![b.property("limit", number)];
    let limit = b.interface("Limit", limit);
    b.file("src/app.ts");
    let etag = vec![b.property("etag", string)];
    let etag = b.slot("CachedReply304Headers", etag);
    let retry = vec![b.property("retry-after", number)];
    let retry = b.slot("CachedReply202Headers", retry);
    let cached = vec![
        reply(304, None, Some(etag)),
        reply(202, Some(queued), Some(retry)),
    ];
    for (name, priority, is_wrapper) in MIDDLEWARE {
        let span = b.span();
        b.program.application.middleware.push(MiddlewareSource {
            name: name.to_owned(),
            priority,
            kind: MiddlewareKind::Route,
            security: Vec::new(),
            added_context: Vec::new(),
            is_wrapper,
            span,
        });
    }
    b.file("src/reports.routes.ts");
    let params = vec![b.property("id", number)];
    let params = b.slot("GetReportsByIdParams", params);
    let query = vec![optional(b.property("pages", number))];
    let query = b.slot("GetReportsByIdQuery", query);
    let read = RouteSlots {
        params: Some(params),
        query: Some(query),
        response: Some(report),
        ..RouteSlots::default()
    };
    let read = b.route(Method::Get, "/reports/:id", "ReportRoutes", read);
    let location = vec![b.property("location", string)];
    let location = b.slot("PostReportsReply201Headers", location);
    let create = RouteSlots {
        body: Some(new_report),
        ..RouteSlots::default()
    };
    let create = b.route(Method::Post, "/reports", "ReportRoutes", create);
    let create = Route {
        status: 201,
        replies: vec![reply(201, Some(report), Some(location))],
        ..create
    };
    let plain = vec![b.property("free", boolean)];
    let plain = b.slot("GetPlainResponse", plain);
    let plain = RouteSlots {
        response: Some(plain),
        ..RouteSlots::default()
    };
    let plain = b.route(Method::Get, "/plain", "ReportRoutes", plain);
    for route in [
        wrapped(read, &cached, limit),
        wrapped(create, &cached, limit),
        plain,
    ] {
        b.program.routes.push(route);
    }
    b.program
}

fn wrapped(route: Route, cached: &[DeclaredReply], limit: DeclarationId) -> Route {
    let wrapper = |name: &str, replies: &[DeclaredReply], errors: &[&str]| RouteWrapper {
        name: name.to_owned(),
        replies: replies.to_vec(),
        errors: errors.iter().map(|code| (*code).to_owned()).collect(),
    };
    Route {
        middleware: MIDDLEWARE.map(|(name, _, _)| name.to_owned()).to_vec(),
        wrappers: vec![
            wrapper("timed", &[], &[]),
            wrapper("cached", cached, &[]),
            wrapper("limited", &[], &["LIMITED"]),
        ],
        throws: vec![DeclaredError {
            code: "LIMITED".to_owned(),
            status: 429,
            description: None,
            details: Some(limit),
        }],
        ..route
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
