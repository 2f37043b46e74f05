//! Tests of WebSockets: routes with the key `WS …` and the slot `socket`.

use crate::support::{check, check_mistakes};

const HEAD: &str =
    "import type { Bytes, Form, Json, Route, RouteContract, Socket, Text } from \"@kit/types\";\n";

fn routes(text: &str) -> String {
    format!("{HEAD}{}", crate::support::dedent(text))
}

#[test]
fn reads_the_messages_of_both_sides() {
    let source = routes(
        r#"
        interface NewMessage { text: string }
        interface Message extends NewMessage { author: string }
        export interface ChatRoutes {
          "WS /rooms/:id": Route<{
            params: { id: string };
            query: { name?: string };
            socket: Socket<{ in: NewMessage; out: Message }>;
          }>;
          "WS /numbers": Route<{ socket: Socket<{ in: number; out: { sum: number } | "end" }> }>;
        }
        "#,
    );
    check(
        &[("src/a.routes.ts", &source)],
        r#"
        type NewMessage = {
          text: string;
        }
        type Message = {
          text: string;
          author: string;
        }
        type WsRoomsByIdParams = {
          id: string;
        }
        type WsRoomsByIdQuery = {
          name?: string;
        }
        type WsNumbersIn = number
        type WsNumbersOut = { sum: number } | "end"
        route WS /rooms/:id 101 params: WsRoomsByIdParams query: WsRoomsByIdQuery body: NewMessage response: Message body as Socket response as Socket
        route WS /numbers 101 body: WsNumbersIn response: WsNumbersOut body as Socket response as Socket
        "#,
    );
}

#[test]
fn refuses_contracts_that_do_not_describe_a_websocket() {
    let source = routes(
        r#"
        type Messages = Socket<{ in: string; out: string }>;
        export interface ChatRoutes {
          "WS /a": Route<{ response: string }>;
          "GET /b": Route<{ socket: Messages }>;
          "WS /c": Route<{ socket: Messages; body: string; response: string }>;
          "WS /d": Route<{ socket: string }>;
          "WS /e": Route<{ socket: Socket<{ in: string }> }>;
          "WS /f": Route<{ socket: Socket<{ in: string; out?: string; other: string }> }>;
          /** @status 200 */
          "WS /g": Route<{ socket: Messages }>;
          "WS /h": RouteContract<void, void, string, string>;
          "POST /i": Route<{ body: { messages: Messages } }>;
          "WSS /j": Route<{ socket: Messages }>;
        }
        "#,
    );
    check_mistakes(
        &[("src/a.routes.ts", &source)],
        r#"
        src/a.routes.ts:14:3 KIT1401 kit does not support the method `WSS`
          help: did you mean `WS /j`?
        src/a.routes.ts:4:3 KIT1417 `WS /a` accepts a WebSocket, but its contract has no slot `socket`
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        src/a.routes.ts:5:21 KIT1417 `GET /b` has the slot `socket`, which only WebSockets have
          help: write `"WS /b"` as the key of the route
        src/a.routes.ts:6:38 KIT1417 `WS /c` accepts a WebSocket, so it cannot have the slot `body`
          help: remove the slot `body`; the messages are in the slot `socket`
        src/a.routes.ts:6:52 KIT1417 `WS /c` accepts a WebSocket, so it cannot have the slot `response`
          help: remove the slot `response`; the messages are in the slot `socket`
        src/a.routes.ts:7:20 KIT1417 the slot `socket` of `WS /d` must be a `Socket`, not `string`
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        src/a.routes.ts:8:28 KIT1417 the messages of `WS /e` have no `out`, which the server sends
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        src/a.routes.ts:9:49 KIT1417 the messages `out` of `WS /f` are optional
          help: remove the `?` after `out`
        src/a.routes.ts:9:63 KIT1417 the messages of `WS /f` have `other`, but a WebSocket has only `in`, `out` and `protocols`
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        src/a.routes.ts:11:3 KIT1417 `WS /g` accepts a WebSocket, so its status is 101
          help: remove the tag `@status`
        src/a.routes.ts:12:3 KIT1417 `WS /h` accepts a WebSocket, but its contract has no slot `socket`
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        src/a.routes.ts:13:40 KIT1417 `Socket<…>` is not a type of values
          help: write `Socket` only as the slot `socket` of a contract: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        "#,
    );
}

#[test]
fn reads_messages_that_are_text_or_bytes() {
    let source = routes(
        r#"
        interface Command { name: string }
        type Chunk = Bytes;
        export interface EchoRoutes {
          "WS /text": Route<{ socket: Socket<{ in: Text; out: Text }> }>;
          "WS /bytes": Route<{ socket: Socket<{ in: Chunk; out: Bytes }> }>;
          "WS /both": Route<{ socket: Socket<{ in: Text | Bytes; out: Text | Chunk }> }>;
          "WS /commands": Route<{ socket: Socket<{ in: Command | Bytes; out: Json<number | "end"> | Bytes }> }>;
          "WS /json": Route<{ socket: Socket<{ in: Json<Command>; out: Command }> }>;
        }
        "#,
    );
    check(
        &[("src/a.routes.ts", &source)],
        r#"
        type Command = {
          name: string;
        }
        type WsCommandsOut = number | "end"
        route WS /text 101 body as Socket Text response as Socket Text
        route WS /bytes 101 body as Socket Bytes response as Socket Bytes
        route WS /both 101 body as Socket Text Bytes response as Socket Text Bytes
        route WS /commands 101 body: Command response: WsCommandsOut body as Socket Bytes response as Socket Bytes
        route WS /json 101 body: Command response: Command body as Socket response as Socket
        "#,
    );
}

#[test]
fn refuses_messages_whose_kinds_cannot_be_told_apart() {
    let source = routes(
        r#"
        export interface EchoRoutes {
          "WS /a": Route<{ socket: Socket<{ in: Text | { name: string }; out: Bytes }> }>;
          "WS /b": Route<{ socket: Socket<{ in: Bytes; out: Bytes | Uint8Array }> }>;
          "WS /c": Route<{ socket: Socket<{ in: Bytes<"image/png">; out: Bytes }> }>;
          "WS /d": Route<{ socket: Socket<{ in: Form<{ name: string }>; out: Bytes }> }>;
        }
        "#,
    );
    check_mistakes(
        &[("src/a.routes.ts", &source)],
        r"
        src/a.routes.ts:3:41 KIT1417 the messages `in` of `WS /a` are JSON and plain text, and both are text messages
          help: remove `Text` and add its texts to the type of the JSON messages, or remove the JSON messages
        src/a.routes.ts:4:53 KIT1417 the messages `out` of `WS /b` are `Bytes` and also JSON with a `Uint8Array`
          help: remove `Uint8Array`: the messages `Bytes` are `Uint8Array` for the handler
        src/a.routes.ts:5:41 KIT1417 the messages `in` of `WS /c` have a media type, but a WebSocket sends none
          help: write `Bytes` without a media type
        src/a.routes.ts:6:41 KIT1417 the messages `in` of `WS /d` cannot be `Form`
          help: a message can be a type of values, which is JSON, or `Text` or `Bytes`
        ",
    );
}

#[test]
fn reads_the_subprotocols_of_a_websocket() {
    let source = routes(
        r#"
        type Version = "chat.v1" | "chat.v2";
        export interface ChatRoutes {
          "WS /a": Route<{ socket: Socket<{ in: string; out: string; protocols: Version }> }>;
          "WS /b": Route<{ socket: Socket<{ in: string; out: string; protocols?: "soap" }> }>;
        }
        "#,
    );
    check(
        &[("src/a.routes.ts", &source)],
        r"
        type WsAIn = string
        type WsAOut = string
        type WsBIn = string
        type WsBOut = string
        route WS /a 101 body: WsAIn response: WsAOut body as Socket response as Socket protocols chat.v1 chat.v2
        route WS /b 101 body: WsBIn response: WsBOut body as Socket response as Socket protocols? soap
        ",
    );
}

#[test]
fn refuses_subprotocols_that_are_not_names() {
    let source = routes(
        r#"
        export interface ChatRoutes {
          "WS /a": Route<{ socket: Socket<{ in: string; out: string; protocols: string }> }>;
          "WS /b": Route<{ socket: Socket<{ in: string; out: string; protocols: "a" | 1 }> }>;
          "WS /c": Route<{ socket: Socket<{ in: string; out: string; protocols: "chat v1" }> }>;
          "WS /d": Route<{ socket: Socket<{ in: string; out: string; protocols: "" }> }>;
          "WS /e": Route<{ socket: Socket<{ in: string; out: string; protocols: never }> }>;
          "WS /f": Route<{ socket: Socket<{ in: string; out: string; protocol: "a" }> }>;
        }
        "#,
    );
    check_mistakes(
        &[("src/a.routes.ts", &source)],
        r#"
        src/a.routes.ts:3:62 KIT1417 `string` in `protocols` of `WS /a` is not the name of a subprotocol
          help: write the names as strings: `protocols: "chat.v1" | "chat.v2"`
        src/a.routes.ts:4:62 KIT1417 `1` in `protocols` of `WS /b` is not the name of a subprotocol
          help: write the names as strings: `protocols: "chat.v1" | "chat.v2"`
        src/a.routes.ts:5:62 KIT1417 "chat v1" in `protocols` of `WS /c` is not the name of a subprotocol
          help: use letters, digits and the characters !#$%&'*+-.^_`|~ (a token of RFC 9110)
        src/a.routes.ts:6:62 KIT1417 "" in `protocols` of `WS /d` is not the name of a subprotocol
          help: use letters, digits and the characters !#$%&'*+-.^_`|~ (a token of RFC 9110)
        src/a.routes.ts:7:62 KIT1417 `protocols` of `WS /e` has 0 subprotocols
          help: write 1 to 100 names: `protocols: "chat.v1" | "chat.v2"`
        src/a.routes.ts:8:62 KIT1417 the messages of `WS /f` have `protocol`, but a WebSocket has only `in`, `out` and `protocols`
          help: name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`
        "#,
    );
}
