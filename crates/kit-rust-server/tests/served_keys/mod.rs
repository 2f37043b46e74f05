//! Sends requests with keys of various types to a generated server whose handlers the user has not changed.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::Path;

use serde_json::{Value, json};

use crate::served_http::Server;

/// Tests a key of the type `bigint` that the database generates.
pub fn bigint(program: &Path, database: &str) {
    let server = Server::start(program, database);
    let visit = server.create("/visits", json!({ "page": "/home" }));
    assert_eq!(visit, json!({ "id": "1", "page": "/home" }));
    let second = server.create("/visits", json!({ "page": "/about" }));
    assert_eq!(second["id"], json!("2"));
    assert_eq!(server.get("/visits"), (200, json!([visit, second])));
    assert_eq!(server.get("/visits/1"), (200, visit));
    let changed = json!({ "id": "2", "page": "/contact" });
    let body = json!({ "page": "/contact" });
    assert_eq!(
        server.request("PUT", "/visits/2", Some(body)),
        (200, changed.clone())
    );
    assert_eq!(server.request("DELETE", "/visits/1", None), (204, Value::Null));
    assert_eq!(server.get("/visits"), (200, json!([changed])));
    let body = json!({ "page": "/" });
    for (method, body) in [("GET", None), ("PUT", Some(body)), ("DELETE", None)] {
        let status = |id: &str| server.error_of(method, &format!("/visits/{id}"), body.clone()).0;
        assert_eq!((status("1"), status("99")), (404, 404), "{method}");
        // This number is too large for a `bigint` column. The path parameter of `PUT` has no rules, so it is
        // accepted, and no row has this key.
        let beyond = if method == "PUT" { 404 } else { 400 };
        for id in ["9223372036854775808", "-9223372036854775809"] {
            assert_eq!(status(id), beyond, "{method} {id}");
        }
    }
}

/// Tests a key of the type `string` in a UUID column.
pub fn uuid(program: &Path, database: &str) {
    let server = Server::start(program, database);
    let token = server.create("/tokens", json!({ "name": "first" }));
    let id = token["id"].as_str().unwrap();
    for path in ["/tokens", "/typed/tokens"] {
        assert_eq!(
            server.get(&format!("{path}/{id}")),
            (200, token.clone()),
            "{path}"
        );
    }
    let missing = "00000000-0000-4000-8000-000000000000";
    for (method, body) in [
        ("GET", None),
        ("PUT", Some(json!({ "name": "second" }))),
        ("DELETE", None),
    ] {
        let error_of = |path: &str| server.error_of(method, path, body.clone());
        let not_found = (404, "NOT_FOUND".to_owned(), "Token not found".to_owned());
        for other in [missing, "abc", "1", &id[1..], &format!("{id}0")] {
            assert_eq!(
                error_of(&format!("/tokens/{other}")),
                not_found,
                "{method} {other}"
            );
        }
        let (status, code, _) = error_of(&format!("/typed/tokens/{missing}"));
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{method}");
        for other in ["abc", "1", &id[1..], &format!("{id}0")] {
            let (status, code, _) = error_of(&format!("/typed/tokens/{other}"));
            assert_eq!(
                (status, code.as_str()),
                (400, "VALIDATION_ERROR"),
                "{method} {other}"
            );
        }
    }
    // No request changed or deleted the row.
    assert_eq!(server.get(&format!("/tokens/{id}")), (200, token.clone()));
    // A table of another schema refers to the row.
    let other = server.create("/tokens", json!({ "name": "used" }));
    let used = other["id"].as_str().unwrap();
    let made = server.create("/uses", json!({ "tokenId": used }));
    assert_eq!(server.get(&format!("/uses?tokenId={used}")), (200, json!([made])));
    assert_eq!(server.get(&format!("/uses?tokenId={id}")), (200, json!([])));
    let refused = server.error_of("DELETE", &format!("/tokens/{used}"), None);
    let in_use = (409, "CONFLICT".to_owned(), "It is in use by uses".to_owned());
    assert_eq!(refused, in_use);
    let body = json!({ "tokenId": missing });
    assert!((400..500).contains(&server.error_of("POST", "/uses", Some(body)).0));
}
