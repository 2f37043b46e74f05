//! Routes with WebSockets.

use kit_ir::{BodyFormat, Method, Program, Route, RouteSlots, Subprotocols, TypeKind};

use crate::{Builder, optional};

/// Returns the program.
pub fn program() -> Program {
    let mut b = Builder::new("src/chat.types.ts");
    let (text, string, date) = (b.text(1, 500), b.string(), b.kind(TypeKind::Date));
    let new_message = vec![b.property("text", text)];
    let new_message = b.interface("NewMessage", new_message);
    let message = vec![
        b.property("text", string),
        b.property("author", string),
        b.property("sentAt", date),
    ];
    let message = b.interface("Message", message);
    let ping = b.literal("ping");
    let ping = b.declare("Ping", ping);
    b.file("src/chat.routes.ts");
    let params = vec![b.property("id", string)];
    let params = b.slot("WsRoomsByIdParams", params);
    let query = vec![optional(b.property("name", string))];
    let query = b.slot("WsRoomsByIdQuery", query);
    let room = RouteSlots {
        params: Some(params),
        query: Some(query),
        body: Some(new_message),
        response: Some(message),
        ..RouteSlots::default()
    };
    let heartbeat = RouteSlots {
        body: Some(ping),
        response: Some(ping),
        ..RouteSlots::default()
    };
    let list = RouteSlots {
        response: Some(message),
        ..RouteSlots::default()
    };
    let room = socket(&mut b, "/rooms/:id", room);
    let mut versions = socket(&mut b, "/versions", heartbeat.clone());
    versions.subprotocols = Some(Subprotocols {
        names: vec!["ping.v1".to_owned(), "ping.v2".to_owned()],
        optional: false,
    });
    let mut either = socket(&mut b, "/either", heartbeat.clone());
    either.subprotocols = Some(Subprotocols {
        names: vec!["ping.v1".to_owned()],
        optional: true,
    });
    let heartbeat = socket(&mut b, "/heartbeat", heartbeat);
    let mut text = socket(&mut b, "/text", RouteSlots::default());
    (text.body_format, text.response_format) = (messages(true, true), messages(true, false));
    let with_bytes = RouteSlots {
        body: Some(new_message),
        response: Some(message),
        ..RouteSlots::default()
    };
    let mut mixed = socket(&mut b, "/mixed", with_bytes);
    (mixed.body_format, mixed.response_format) = (messages(false, true), messages(false, true));
    let latest = b.route(Method::Get, "/latest", "ChatRoutes", list);
    for route in [room, heartbeat, versions, either, text, mixed, latest] {
        b.program.routes.push(route);
    }
    b.program
}

fn socket(b: &mut Builder, path: &str, slots: RouteSlots) -> Route {
    Route {
        key: format!("WS {path}"),
        status: 101,
        body_format: BodyFormat::JSON_SOCKET,
        response_format: BodyFormat::JSON_SOCKET,
        ..b.route(Method::Get, path, "ChatRoutes", slots)
    }
}

fn messages(text: bool, bytes: bool) -> BodyFormat {
    BodyFormat::Socket { text, bytes }
}
