//! Tests of contracts with named slots: headers, cookies, replies and failures.
//!
//! tidy: long because each case is a program and its errors

use crate::support::{check, check_mistakes, output};

const HEAD: &str = "import type { Failure, Reply, Route, RouteContract as RC } from \"@kit/types\";\n";

fn routes(text: &str) -> String {
    format!("{HEAD}{}", crate::support::dedent(text))
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    check_mistakes(&[("src/a.routes.ts", &routes(text))], expected);
}

#[test]
fn named_slots_become_declarations_named_after_the_route() {
    check(
        &[(
            "src/a.routes.ts",
            &routes(
                r#"
                export interface Order { id: string; amount: number }
                export interface Job { job: string }
                export interface OrderRoutes {
                  /** @operation placeOrder */
                  "POST /orders": Route<{
                    headers: { "x-tenant": string; "idempotency-key"?: string; "x-tags"?: string[] };
                    cookies: { sid: string };
                    body: Order;
                    response: Reply<201, Order, { location: string; etag?: string }> | Reply<202, Job> | Reply<204>;
                    errors: Failure<409, "SOLD_OUT", { left: number }> | Failure<402, "PAYMENT_FAILED">;
                  }>;
                  "GET /orders/:id": Route<{ params: { id: string }; response: Order }>;
                  "GET /ping": Route<{}>;
                }
                "#,
            ),
        )],
        r#"
        type Order = {
          id: string;
          amount: number;
        }
        type Job = {
          job: string;
        }
        type PostOrdersReply201Headers = {
          location: string;
          etag?: string;
        }
        type PostOrdersHeaders = {
          "x-tenant": string;
          "idempotency-key"?: string;
          "x-tags"?: string[];
        }
        type PostOrdersCookies = {
          /* @sensitive */ sid: string;
        }
        type PostOrdersSoldOutDetails = {
          left: number;
        }
        type GetOrdersByIdParams = {
          id: string;
        }
        route POST /orders 201 headers: PostOrdersHeaders cookies: PostOrdersCookies body: Order reply 201 Order headers PostOrdersReply201Headers reply 202 Job reply 204 error 409 SOLD_OUT PostOrdersSoldOutDetails operation placeOrder
        route GET /orders/:id 200 params: GetOrdersByIdParams response: Order
        route GET /ping 204
        "#,
    );
}

#[test]
fn slots_replies_and_failures_may_come_from_aliases_generics_and_namespaces() {
    check(
        &[
            (
                "src/shared.ts",
                r#"
                import type * as kit from "@kit/core";
                export interface Page<T> { items: T[] }
                export interface PageQuery { page?: number }
                export interface Tenant { headers: { "x-tenant": string } }
                export type Paged<T> = kit.Route<Tenant & { query: PageQuery; response: Page<T>; errors: Common | Missing }>;
                export type Common = kit.Failure<429, "SLOW_DOWN">;
                type Missing = kit.Failure<404, `NOT_FOUND`>;
                export type Created<T> = kit.Reply<201, T, { location: string }>;
                const moved = 303;
                export type Moved = kit.Reply<typeof moved, void, { location: string }>;
                "#,
            ),
            (
                "src/a.routes.ts",
                &routes(
                    r#"
                    import type { Common, Created, Moved, Paged } from "./shared.ts";
                    export interface Note { text: string }
                    type Answers = Created<Note> | Moved;
                    export interface NoteRoutes {
                      "GET /notes": Paged<Note>;
                      "POST /notes": Route<{ body: Note; response: Answers; errors: Common }>;
                      "PUT /notes": RC<void, void, Note, Answers | Reply<200, "same">>;
                    }
                    "#,
                ),
            ),
        ],
        r#"
        type Note = {
          text: string;
        }
        type PageQuery = {
          page?: number;
        }
        type GetNotesHeaders = {
          "x-tenant": string;
        }
        type PageOfNote = {
          items: Note[];
        }
        type PostNotesReply201Headers = {
          location: string;
        }
        type PostNotesReply303Headers = {
          location: string;
        }
        type PutNotesReply201Headers = {
          location: string;
        }
        type PutNotesReply303Headers = {
          location: string;
        }
        type PutNotesReply200 = "same"
        route GET /notes 200 query: PageQuery headers: GetNotesHeaders response: PageOfNote
        route POST /notes 201 body: Note reply 201 Note headers PostNotesReply201Headers reply 303 headers PostNotesReply303Headers
        route PUT /notes 201 body: Note reply 201 Note headers PutNotesReply201Headers reply 303 headers PutNotesReply303Headers reply 200 PutNotesReply200
        "#,
    );
}

#[test]
fn lists_the_errors_of_the_slot_before_the_errors_of_the_tags() {
    let text = routes(
        r#"
        export interface NoteRoutes {
          /**
           * @throws GONE 410 It is gone.
           * @throws SOLD_OUT 409 All are sold.
           */
          "GET /notes": Route<{ response: 1; errors: Failure<402, "NO_MONEY"> | Failure<409, "SOLD_OUT", { left: number }> }>;
          "PUT /notes": Route<{ errors: never }>;
        }
        "#,
    );
    let output = output(&[("src/a.routes.ts", &text)]);
    assert_eq!(crate::support::mistakes(&output), "");
    let program = &output.program;
    let errors: Vec<String> = program.routes[0.into()]
        .throws
        .iter()
        .map(|error| {
            let details = error.details.map(|id| program.declarations[id].name.as_str());
            format!(
                "{} {} {:?} {details:?}",
                error.status, error.code, error.description
            )
        })
        .collect();
    assert_eq!(
        errors,
        [
            "402 NO_MONEY None None",
            "409 SOLD_OUT Some(\"All are sold.\") Some(\"GetNotesSoldOutDetails\")",
            "410 GONE Some(\"It is gone.\") None",
        ]
    );
    assert!(program.routes[1.into()].throws.is_empty());
}

#[test]
fn refuses_slots_that_do_not_exist() {
    refused(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{ header: { a: string }; scopes: 1 }>;
          "GET /b": Route<{ query?: { a: string } }>;
          "GET /c": Route<string>;
          "GET /d": Route<Record<string, { a: string }>>;
          "GET /e": Route;
          "GET /f": Reply<200, string>;
          "GET /g": Route<Nope>;
        }
        "#,
        r#"
        src/a.routes.ts:3:21 KIT1410 the contract of `GET /a` has `header`, which is not a slot
          help: did you mean `headers`?
        src/a.routes.ts:3:44 KIT1410 the contract of `GET /a` has `scopes`, which is not a slot
          help: the slots are params, query, headers, cookies, body, response, socket, errors, auth
        src/a.routes.ts:4:21 KIT1410 the slot `query` of `GET /b` is optional
          help: remove the `?` after `query`; only properties in a slot can be optional
        src/a.routes.ts:5:19 KIT1410 the slots of `GET /c` must be an object, not `string`
          help: write an object type with the slots that the route has: `Route<{ body: NewOrder }>`
        src/a.routes.ts:6:19 KIT1410 the contract of `GET /d` has an index signature, which allows any slot
          help: name the slots that the route has
        src/a.routes.ts:7:13 KIT1308 `Route` takes 1 type argument, not 0
          help: write `Route<{ query: Query; body: Body; response: Response }>`
        src/a.routes.ts:8:3 KIT1404 `GET /f` must be a `Route` or a `RouteContract`, not `Reply<200, string>`
          help: write `Route<{ query: Query; body: Body; response: Response }>` with the slots that the route has
        src/a.routes.ts:9:19 KIT1203 the type `Nope` is not declared
          help: declare it, or import it: `import type { Nope } from "./nope.ts"`
        "#,
    );
}

#[test]
fn refuses_replies_that_http_or_the_contract_does_not_allow() {
    refused(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{ response: Reply<number, string> }>;
          "GET /b": Route<{ response: Reply<404, string> | Reply<200> }>;
          "GET /c": Route<{ response: Reply<200 | 201, string> }>;
          "GET /d": Route<{ response: Reply<200, "a"> | Reply<200, "b"> }>;
          "GET /e": Route<{ response: Reply<204, string> | Reply<205, 1> | Reply<304, 1> }>;
          "GET /f": Route<{ response: Reply<200, "a"> | string | undefined }>;
          /** @status 201 */
          "GET /g": Route<{ response: Reply<200> }>;
          "GET /h": Route<{ body: Reply<200>; response: { inner: Reply<200> } }>;
          "GET /i": Route<{ response: Reply<100> | Reply<200.5> }>;
          "GET /j": Route<{ response: Reply<200, void, string> }>;
          "GET /k": Route<{ response: Reply<200, void, { [key: string]: string }> }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:37 KIT1411 `number` is not the status of a reply
          help: write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, "NOT_FOUND">`
        src/a.routes.ts:4:37 KIT1411 `404` is not the status of a reply
          help: write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, "NOT_FOUND">`
        src/a.routes.ts:5:37 KIT1411 `200 | 201` is not the status of a reply
          help: write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, "NOT_FOUND">`
        src/a.routes.ts:6:55 KIT1411 the response of `GET /d` has two replies with the status 200
          help: give each reply its own status, or write one reply whose body is a union
        src/a.routes.ts:7:37 KIT1411 a response with the status 204 cannot have a body, but this reply has a body type
          help: write `void` as the body: `Reply<204, void>`, or choose another status
        src/a.routes.ts:7:58 KIT1411 a response with the status 205 cannot have a body, but this reply has a body type
          help: write `void` as the body: `Reply<205, void>`, or choose another status
        src/a.routes.ts:7:74 KIT1411 a response with the status 304 cannot have a body, but this reply has a body type
          help: write `void` as the body: `Reply<304, void>`, or choose another status
        src/a.routes.ts:8:21 KIT1411 the response of `GET /f` has replies and `string`, which is not a reply
          help: write a reply in place of this type: `Reply<200, string>`
        src/a.routes.ts:8:21 KIT1411 the response of `GET /f` has replies and `undefined`, which is not a reply
          help: write a reply without a body in place of it: `Reply<204>`
        src/a.routes.ts:9:7 KIT1304 `@status` has no effect on a contract whose response has replies
          help: remove the tag: each `Reply<status, Body>` has its status
        src/a.routes.ts:11:27 KIT1411 `Reply<…>` is not a type of values
          help: write replies only as the `response` of a contract: `response: Reply<201, Order> | Reply<202, Job>`
        src/a.routes.ts:11:58 KIT1411 `Reply<…>` is not a type of values
          help: write replies only as the `response` of a contract: `response: Reply<201, Order> | Reply<202, Job>`
        src/a.routes.ts:12:37 KIT1411 `100` is not the status of a reply
          help: write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, "NOT_FOUND">`
        src/a.routes.ts:12:50 KIT1411 `200.5` is not the status of a reply
          help: write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, "NOT_FOUND">`
        src/a.routes.ts:13:3 KIT1407 the headers of the reply 200 of `GET /j` must be an object, not `string`
          help: write an object type, or `void`
        src/a.routes.ts:14:3 KIT1407 the headers of the reply 200 of `GET /k` may have any key
          help: name the headers: `{ "x-tenant": string }`
        "#,
    );
}

#[test]
fn refuses_failures_that_http_or_the_contract_does_not_allow() {
    refused(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{ errors: Failure<303, "ELSEWHERE"> | Failure<number, "ANY"> }>;
          "GET /b": Route<{ errors: Failure<404, "not found"> | Failure<404, string> | Failure<404, "A" | "B"> }>;
          "GET /c": Route<{ errors: Failure<404, "GONE"> | Failure<410, "GONE"> }>;
          "GET /d": Route<{ errors: "GONE" }>;
          /** @throws GONE 404 */
          "GET /e": Route<{ errors: Failure<410, "GONE"> }>;
          "GET /f": Route<{ response: Failure<410, "GONE">; body: { f: Failure<410, "GONE"> } }>;
          "GET /g": Route<{ errors: Failure<410, "GONE", () => void> }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:37 KIT1412 `303` is not the status of a failure
          help: write one number from 400 to 599; other statuses belong into the slot `response`, as `Reply<303, void, { location: string }>`
        src/a.routes.ts:3:65 KIT1412 `number` is not the status of a failure
          help: write one number from 400 to 599; other statuses belong into the slot `response`, as `Reply<303, void, { location: string }>`
        src/a.routes.ts:4:42 KIT1412 `"not found"` is not the code of a failure
          help: write one string of letters, digits and the characters `_`, `-` and `.`, which begins with a letter: `"SOLD_OUT"`
        src/a.routes.ts:4:70 KIT1412 `string` is not the code of a failure
          help: write one string of letters, digits and the characters `_`, `-` and `.`, which begins with a letter: `"SOLD_OUT"`
        src/a.routes.ts:4:93 KIT1412 `"A" | "B"` is not the code of a failure
          help: write one string of letters, digits and the characters `_`, `-` and `.`, which begins with a letter: `"SOLD_OUT"`
        src/a.routes.ts:5:65 KIT1412 the errors of `GET /c` have two failures with the code `GONE`
          help: give each failure its own code, or write one failure whose details are a union
        src/a.routes.ts:6:21 KIT1412 the errors of `GET /d` have `"GONE"`, which is not a failure
          help: write `Failure<404, "NOT_FOUND">`, or a union of failures
        src/a.routes.ts:7:7 KIT1412 `@throws GONE 404` says another status than `Failure<410, "GONE">` in the contract
          help: write `@throws GONE 410`, or give one of the two another code
        src/a.routes.ts:9:31 KIT1412 `Failure<…>` is not a type of values
          help: write failures only as the `errors` of a contract: `errors: Failure<409, "SOLD_OUT">`
        src/a.routes.ts:9:64 KIT1412 `Failure<…>` is not a type of values
          help: write failures only as the `errors` of a contract: `errors: Failure<409, "SOLD_OUT">`
        src/a.routes.ts:10:50 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        "#,
    );
}

#[test]
fn a_type_without_its_methods_is_allowed_in_answers_only() {
    refused(
        r#"
        import type { RouteContract } from "@kit/types";
        /** @dataOnly */
        export class Money {
          #cents = 0;
          constructor(readonly currency: string) {}
          format(): string { return this.currency; }
        }
        interface Order { total: { sum?: Money }[]; }
        export interface MoneyRoutes {
          "GET /a": RouteContract<void, void, void, Money>;
          "POST /b": RouteContract<void, void, Order, void>;
          "POST /c": RouteContract<void, void, Pick<Money, "currency">, void>;
        }
        "#,
        r"
        src/a.routes.ts:12:3 KIT1306 requests of `POST /b` contain `Money`, whose member `#cents` a value that kit reads does not have
          help: declare an interface with the data, without functions and private members
        ",
    );
}

#[test]
fn refuses_names_of_headers_and_cookies_that_a_contract_cannot_declare() {
    refused(
        r#"
        interface Shared { "X-Shared": string }
        export interface NoteRoutes {
          "GET /a": Route<{ headers: { "X-Tenant": string; "x tenant": string; host: string; "sec-fetch-site": string; cookie: string } }>;
          "GET /b": Route<{ cookies: { "s;id": string; "": string; SID: string } }>;
          "GET /c": Route<{ response: Reply<200, void, { Location: string; "content-type": string; "content-length": number; "set-cookie": string[] }> }>;
          "GET /d": Route<{ headers: Shared }>;
          "GET /e": Route<{ headers: Shared }>;
          "GET /f": Route<{ headers: { "content-type": string; authorization: string; accept: string } }>;
        }
        "#,
        r"
        src/a.routes.ts:2:20 KIT1413 the header `X-Shared` is not in lower case
          help: write `x-shared`: the names of headers are case-insensitive, and kit uses lower case
        src/a.routes.ts:4:32 KIT1413 the header `X-Tenant` is not in lower case
          help: write `x-tenant`: the names of headers are case-insensitive, and kit uses lower case
        src/a.routes.ts:4:52 KIT1413 `x tenant` is not a valid name of a header
          help: write letters, digits and the characters ! # $ % & ' * + - . ^ _ ` | ~ only
        src/a.routes.ts:4:72 KIT1413 a contract cannot declare `host`, because the HTTP client sets this header and no caller can choose it
          help: remove the property; a handler or middleware can read the header from `ctx.headers`
        src/a.routes.ts:4:86 KIT1413 a contract cannot declare `sec-fetch-site`, because the HTTP client sets this header and no caller can choose it
          help: remove the property; a handler or middleware can read the header from `ctx.headers`
        src/a.routes.ts:4:112 KIT1413 `cookie` is not a header that a contract declares
          help: declare each cookie in the slot `cookies`: `cookies: { sid: string }`
        src/a.routes.ts:5:32 KIT1413 `s;id` is not a valid name of a cookie
          help: write letters, digits and the characters ! # $ % & ' * + - . ^ _ ` | ~ only
        src/a.routes.ts:5:48 KIT1413 `` is not a valid name of a cookie
          help: write letters, digits and the characters ! # $ % & ' * + - . ^ _ ` | ~ only
        src/a.routes.ts:6:50 KIT1413 the header `Location` is not in lower case
          help: write `location`: the names of headers are case-insensitive, and kit uses lower case
        src/a.routes.ts:6:68 KIT1413 a reply cannot declare `content-type`, because kit sets this header: the body of a reply is JSON
          help: remove the property
        src/a.routes.ts:6:92 KIT1413 a reply cannot declare `content-length`, because the server sets this header
          help: remove the property
        ",
    );
}

#[test]
fn refuses_values_of_headers_and_cookies_that_are_not_text() {
    refused(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{ headers: { a: { b: string }; c: string[]; d: string | null; "last-modified": Date; at: Date } }>;
          "GET /b": Route<{ cookies: { a: string[]; b: number } }>;
          "GET /c": Route<{ response: Reply<200, void, { a: { b: 1 }; c: number[]; expires: Date }> }>;
          "GET /d": Route<{ headers: { [name: string]: string } }>;
          "GET /e": Route<{ cookies: { [name: string]: string } }>;
          "GET /f": Route<{ headers: string }>;
        }
        "#,
        r#"
        src/a.routes.ts:3:32 KIT1407 text cannot be coerced to `{ b: string }`, the type of `a` in the headers of `GET /a`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/a.routes.ts:3:63 KIT1407 text cannot be coerced to `string | null`, the type of `d` in the headers of `GET /a`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/a.routes.ts:3:81 KIT1407 `last-modified` is not a `Date` of kit, which is written in the form of ISO 8601
          help: declare a string: the value looks like `Sun, 06 Nov 1994 08:49:37 GMT`, as `Date.toUTCString()` returns it
        src/a.routes.ts:4:32 KIT1407 text cannot be coerced to `string[]`, the type of `a` in the cookies of `GET /b`
          help: use a string, number, boolean, bigint, `Date` or a union of literals
        src/a.routes.ts:5:50 KIT1407 `{ b: 1 }`, the type of `a` in the headers of the reply 200 of `GET /c`, cannot be written as text
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/a.routes.ts:5:76 KIT1407 `expires` is not a `Date` of kit, which is written in the form of ISO 8601
          help: declare a string: the value looks like `Sun, 06 Nov 1994 08:49:37 GMT`, as `Date.toUTCString()` returns it
        src/a.routes.ts:6:3 KIT1407 the headers of `GET /d` may have any key
          help: name the headers: `{ "x-tenant": string }`
        src/a.routes.ts:7:3 KIT1407 the cookies of `GET /e` may have any key
          help: name the cookies: `{ sid: string }`
        src/a.routes.ts:8:3 KIT1407 the headers of `GET /f` must be an object, not `string`
          help: write an object type, or `void`
        "#,
    );
}

#[test]
fn names_of_operations_are_unique_identifiers() {
    refused(
        r#"
        export interface NoteRoutes {
          /** @operation list-notes */
          "GET /a": RC;
          /** @operation */
          "GET /b": RC;
          /** @operation listNotes */
          "GET /c": RC;
          /** @operation list_notes */
          "GET /d": RC;
          /** @operation listNote */
          "GET /e": RC;
        }
        "#,
        r"
        src/a.routes.ts:3:7 KIT1303 `@operation list-notes` is not valid
          help: write `@operation createNote`
        src/a.routes.ts:5:7 KIT1303 `@operation` needs an argument
          help: write `@operation createNote`
        src/a.routes.ts:10:3 KIT1414 `GET /c` and `GET /d` have the same `@operation list_notes`
          help: give one of the two operations another name
        ",
    );
}

#[test]
fn refuses_operations_with_the_name_of_a_method_that_every_client_has() {
    refused(
        r#"
        export interface NoteRoutes {
          /** @operation get */
          "GET /a": RC;
          /** @operation then */
          "GET /b": RC;
          /** @operation getAll */
          "GET /c": RC;
        }
        "#,
        r"
        src/a.routes.ts:3:7 KIT1303 `@operation get` is not valid
          help: write `@operation createNote`
        src/a.routes.ts:5:7 KIT1303 `@operation then` is not valid
          help: write `@operation createNote`
        ",
    );
}

#[test]
fn cookies_credentials_and_set_cookie_are_sensitive() {
    let text = routes(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{
            headers: { authorization: string; accept?: string };
            cookies: { theme?: "dark" | "light" };
            response: Reply<200, string, { "set-cookie": string[]; etag: string }>;
          }>;
        }
        "#,
    );
    let output = output(&[("src/a.routes.ts", &text)]);
    assert_eq!(crate::support::mistakes(&output), "");
    let program = &output.program;
    let sensitive: Vec<&str> = program
        .types
        .iter()
        .filter_map(|ty| match &ty.kind {
            kit_ir::TypeKind::Object(object) => Some(&object.properties),
            _ => None,
        })
        .flatten()
        .filter(|property| property.tags.sensitive)
        .map(|property| property.name.as_str())
        .collect();
    assert_eq!(sensitive.len(), 3, "{sensitive:?}");
    for name in ["authorization", "theme", "set-cookie"] {
        assert!(sensitive.contains(&name), "{sensitive:?}");
    }
}

#[test]
fn an_object_with_to_json_is_allowed_in_bodies_of_answers_only() {
    refused(
        r#"
        import type { RouteContract } from "@kit/types";
        export class Money {
          #cents = 0;
          toJSON(): string { return String(this.#cents); }
        }
        class Twice { toJSON(): Money { return new Money(); } }
        class Lost { toJSON(): () => void { return () => undefined; } }
        interface Order { total: { sum?: Money }[]; }
        export interface MoneyRoutes {
          "GET /a": RouteContract<void, void, void, Money>;
          "GET /b": RouteContract<void, void, void, Order[]>;
          "POST /c": RouteContract<void, void, Order, void>;
          "POST /d": RouteContract<void, void, ReturnType<Money["toJSON"]>[], void>;
          "GET /e": RouteContract<void, void, void, Twice>;
          "GET /f": RouteContract<void, void, void, Lost>;
          "GET /g": Route<{ response: Reply<200, string, { price: Money }> }>;
        }
        "#,
        r#"
        src/a.routes.ts:4:3 KIT1306 `#cents` is private, and a JSON value cannot have private members
          help: write `@dataOnly` above the class: kit then leaves out its private members and methods
        src/a.routes.ts:8:24 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        src/a.routes.ts:13:3 KIT1306 requests of `POST /c` contain an object with `toJSON` in `Order`, in whose place the handler would receive the result of `toJSON`
          help: declare an interface with the data, without functions and private members
        src/a.routes.ts:17:3 KIT1306 headers of `GET /g` contain an object with `toJSON` in `GetGReply200Headers`, which kit calls only for bodies
          help: declare the header as `ReturnType<X["toJSON"]>`, and call `toJSON` in the handler
        "#,
    );
}
