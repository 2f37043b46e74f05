//! Jobs, beside one route.

use kit_ir::{Job, Jobs, Method, Program, RouteSlots, TypeKind};

use crate::{Builder, optional};

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/jobs.ts");
    let (text, date, size) = (b.text(1, 200), b.kind(TypeKind::Date), b.kind(TypeKind::BigInt));
    let mut token = optional(b.property("token", text));
    token.tags.sensitive = true;
    let mail = vec![
        b.property("to", text),
        b.property("sentAt", date),
        optional(b.property("size", size)),
        token,
    ];
    let mail = b.interface("Mail", mail);
    let number = b.positive(None);
    let count = vec![b.property("number", number)];
    let count = b.slot("CountJobData", count);
    let entries = vec![
        Job {
            name: "send-mail".to_owned(),
            data: mail,
            span: b.span(),
        },
        Job {
            name: "count".to_owned(),
            data: count,
            span: b.span(),
        },
    ];
    let span = b.span();
    b.program.application.jobs = Some(Jobs { entries, span });
    b.file("src/ping.routes.ts");
    let ping = vec![b.property("text", text)];
    let ping = b.slot("GetPingResponse", ping);
    let slots = RouteSlots {
        response: Some(ping),
        ..RouteSlots::default()
    };
    let route = b.route(Method::Get, "/ping", "PingRoutes", slots);
    b.program.routes.push(route);
    b.program
}
