//! Sends requests to a generated server whose responses contain rows of several tables, and whose handlers the user has not
//! changed.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::Path;

use serde_json::{Value, json};

use crate::served_http::Server;

const NOWHERE: &str = "00000000-0000-4000-8000-000000000000";

pub fn store(program: &Path, database: &str) {
    let server = Server::start(program, database);
    let ada = customers(&server);
    let chair = products(&server);
    tags(&server);
    orders(&server, &ada, &chair);
    categories(&server);
    pages(&server);
}

/// Tests surveys, which a third table connects with languages by an enum, and questions that refer to each other.
pub fn surveys(program: &Path, database: &str) {
    let server = Server::start(program, database);
    for (code, name) in [("de", "German"), ("en", "English")] {
        created(&server, "/languages", json!({ "code": code, "name": name }));
    }
    let body = |title: &str, languages: Value| {
        json!({
            "title": title, "samples": [], "languages": languages, "visits": [], "pictures": [],
            "questions": [
                { "id": format!("{title}-z"), "language": "en" },
                { "id": format!("{title}-a"), "language": "en", "parentId": format!("{title}-z") },
            ],
        })
    };
    let first = created(&server, "/surveys", body("first", json!(["en", "de"])));
    let second = created(&server, "/surveys", body("second", json!(["en"])));
    assert_eq!(first, json!({ "id": first["id"], "title": "first" }));
    let path = format!("/surveys/{}", first["id"]);
    let expected = json!({ "id": first["id"], "title": "first", "languages": ["de", "en"] });
    assert_eq!(server.get(&path), (200, expected));
    assert_eq!(server.get("/surveys?language=de"), (200, json!([first.clone()])));
    assert_eq!(
        server.get("/surveys?language=en"),
        (200, json!([first.clone(), second]))
    );
    assert_eq!(server.get("/surveys?language=fr").0, 400);
    // The languages replace those of the survey. Without the property, they stay.
    for (change, title, languages) in [
        (json!({ "languages": ["de"] }), "first", json!(["de"])),
        (json!({ "title": "other" }), "other", json!(["de"])),
        (json!({ "languages": [] }), "other", json!([])),
    ] {
        let expected = json!({ "id": first["id"], "title": title, "languages": languages });
        assert_eq!(server.request("PATCH", &path, Some(change)), (200, expected));
    }
    // A language twice: nothing of the survey is stored.
    let twice = server.request("POST", "/surveys", Some(body("third", json!(["de", "de"]))));
    assert_eq!(code(twice), (409, "CONFLICT".to_owned()));
    assert_eq!(server.get("/surveys?language=de"), (200, json!([])));
}

fn created(server: &Server, path: &str, body: Value) -> Value {
    let (status, row) = server.request("POST", path, Some(body));
    assert_eq!(status, 201, "{path}: {row}");
    row
}

fn code((status, body): (u16, Value)) -> (u16, String) {
    (
        status,
        body["error"]["code"].as_str().unwrap_or_default().to_owned(),
    )
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Tests responses that have a part of the properties of a row.
fn customers(server: &Server) -> Value {
    let ada = created(
        server,
        "/customers",
        json!({ "email": "ada@example.com", "name": "Ada" }),
    );
    assert_eq!(ada, json!({ "id": ada["id"], "name": "Ada" }));
    let again = server.request(
        "POST",
        "/customers",
        Some(json!({ "email": "ada@example.com", "name": "B" })),
    );
    assert_eq!(code(again), (409, "EMAIL_TAKEN".to_owned()));
    let path = format!("/customers/{}", text(&ada["id"]));
    assert_eq!(server.get(&path), (200, ada.clone()));
    assert_eq!(server.get("/customers?name=Ada"), (200, json!([ada])));
    assert_eq!(server.get("/customers?name=Bob"), (200, json!([])));
    assert_eq!(server.get(&format!("/customers/{NOWHERE}")).0, 404);
    ada
}

/// Tests a route that changes a row, or inserts the row if it does not exist.
fn tags(server: &Server) {
    let put = |slug: &str, name: &str| {
        server.request("PUT", &format!("/tags/{slug}"), Some(json!({ "name": name })))
    };
    assert_eq!(server.get("/tags/old").0, 404);
    assert_eq!(put("old", "Old"), (201, json!({ "slug": "old", "name": "Old" })));
    assert_eq!(
        put("old", "Older"),
        (200, json!({ "slug": "old", "name": "Older" }))
    );
    assert_eq!(
        server.get("/tags/old"),
        (200, json!({ "slug": "old", "name": "Older" }))
    );
}

/// Tests tags, which a third table connects with products.
fn products(server: &Server) -> Value {
    for (slug, name) in [("red", "Red"), ("new", "New")] {
        created(server, "/tags", json!({ "slug": slug, "name": name }));
    }
    let body = |slug: &str, tags: Value| {
        json!({
            "slug": slug, "name": "Chair", "price": "19.90", "serial": "9007199254740993", "reviewed": [],
            "attributes": { "colour": "red" }, "contents": { "kind": "solid", "fragile": false }, "tags": tags,
        })
    };
    let answer = server.answer(
        "POST",
        "/products",
        &[],
        Some(body("chair", json!(["red", "new"]))),
    );
    let chair: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer.status, 201, "{chair}");
    let path = format!("/products/{}", text(&chair["id"]));
    assert_eq!(answer.header("location"), Some(path.as_str()));
    let mut expected = body("chair", json!(["new", "red"]));
    expected["id"] = chair["id"].clone();
    assert_eq!(chair, expected);
    assert_eq!(server.get(&path), (200, chair.clone()));
    assert_eq!(
        server.get("/named/products/chair"),
        (
            200,
            json!({
                "id": chair["id"], "name": "Chair",
                "tags": [{ "slug": "new", "name": "New" }, { "slug": "red", "name": "Red" }],
            })
        )
    );
    assert_eq!(
        code(server.get("/named/products/bed")),
        (404, "PRODUCT_NOT_FOUND".to_owned())
    );
    // A tag that does not exist: neither the product nor its other tags are stored.
    let refused = server.request("POST", "/products", Some(body("bed", json!(["red", "blue"]))));
    assert_eq!(code(refused), (409, "CONFLICT".to_owned()));
    assert_eq!(server.get("/named/products/bed").0, 404);
    let mut plain = body("table", Value::Null);
    plain.as_object_mut().unwrap().remove("tags");
    assert_eq!(created(server, "/products", plain)["tags"], json!([]));
    let (status, changed) = server.request("PATCH", &path, Some(json!({ "name": "Stool" })));
    assert_eq!(
        (status, &changed["name"], &changed["tags"]),
        (200, &json!("Stool"), &chair["tags"])
    );
    for (tags, expected) in [
        (json!(["new"]), json!(["new"])),
        (json!(["red", "new"]), json!(["new", "red"])),
    ] {
        let (status, changed) = server.request("PATCH", &path, Some(json!({ "tags": tags })));
        assert_eq!((status, &changed["tags"]), (200, &expected));
    }
    let slugs = |query: &str| {
        let (status, page) = server.get(&format!("/products?{query}"));
        let (rows, total) = (page["data"].as_array().unwrap(), &page["pagination"]["total"]);
        assert_eq!((status, total), (200, &json!(rows.len())), "{query}: {page}");
        rows.iter()
            .map(|row| text(&row["slug"]).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(slugs("tag=red"), ["chair"]);
    assert_eq!(slugs("tag=red&slug=table"), [""; 0]);
    assert_eq!(slugs("tag=blue"), [""; 0]);
    assert_eq!(slugs("pageSize=9").len(), 2);
    let gone = format!("/products/{NOWHERE}");
    assert_eq!(
        server.request("PATCH", &gone, Some(json!({ "name": "Stool" }))).0,
        404
    );
    chair
}

/// Tests orders, which are stored and read together with their items.
fn orders(server: &Server, ada: &Value, chair: &Value) {
    let item =
        |line: u32, product: &Value| json!({ "line": line, "productId": product["id"], "quantity": 2 });
    let order = |items: Value| json!({ "customerId": ada["id"], "note": null, "items": items });
    let mut two = order(json!([item(2, chair), item(1, chair)]));
    two["receiverId"] = ada["id"].clone();
    let answer = server.answer("POST", "/orders", &[], Some(two));
    let made: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(answer.status, 201, "{made}");
    let path = format!("/orders/{}", made["id"]);
    assert_eq!(answer.header("location"), Some(path.as_str()));
    let items = json!([item(1, chair), item(2, chair)]);
    assert_eq!(made["items"], items);
    assert_eq!(made["customer"], *ada);
    assert_eq!(made["receiver"]["email"], "ada@example.com");
    let empty = created(server, "/orders", order(json!([])));
    assert_eq!((&empty["items"], &empty["receiver"]), (&json!([]), &Value::Null));
    assert_eq!(server.get(&path), (200, made.clone()));
    assert_eq!(server.get("/orders"), (200, json!([empty, made])));
    let first = server.get("/newest/orders?limit=1").1;
    assert_eq!(first["data"], json!([empty]));
    let next = format!("/newest/orders?limit=1&cursor={}", text(&first["next"]));
    assert_eq!(server.get(&next).1["data"], json!([made]));
    // If an item is refused, the order is not stored.
    let nothing = json!({ "id": NOWHERE });
    let refused = server.request(
        "POST",
        "/orders",
        Some(order(json!([item(1, chair), item(2, &nothing)]))),
    );
    assert_eq!(code(refused), (404, "PRODUCT_NOT_FOUND".to_owned()));
    let refused = server.request(
        "POST",
        "/orders",
        Some(order(json!([item(1, chair), item(1, chair)]))),
    );
    assert_eq!(code(refused), (409, "CONFLICT".to_owned()));
    let mut nobody = order(json!([]));
    nobody["customerId"] = json!(NOWHERE);
    let refused = server.request("POST", "/orders", Some(nobody));
    assert_eq!(code(refused), (404, "CUSTOMER_NOT_FOUND".to_owned()));
    assert_eq!(server.get("/orders").1.as_array().unwrap().len(), 2);
    let (status, changed) = server.request("PUT", &path, Some(json!({ "note": "soon" })));
    assert_eq!(
        (status, &changed["note"], &changed["items"]),
        (200, &json!("soon"), &items)
    );
    // The items of the body replace those of the order, all or none.
    let replaced = json!([item(1, chair), item(3, chair)]);
    let (status, changed) = server.request("PATCH", &path, Some(json!({ "items": replaced })));
    assert_eq!(
        (status, &changed["note"], &changed["items"]),
        (200, &json!("soon"), &replaced)
    );
    for (items, expected) in [
        (
            json!([item(2, chair), item(4, &nothing)]),
            (404, "PRODUCT_NOT_FOUND"),
        ),
        (json!([item(2, chair), item(2, chair)]), (409, "CONFLICT")),
    ] {
        let body = json!({ "note": "late", "items": items });
        let refused = server.request("PATCH", &path, Some(body));
        assert_eq!(code(refused), (expected.0, expected.1.to_owned()));
        assert_eq!(server.get(&path), (200, changed.clone()));
    }
    let nowhere = server.request("PATCH", "/orders/999", Some(json!({ "items": [] })));
    assert_eq!(nowhere.0, 404);
    let line = format!("{path}/items/1");
    let (status, changed) = server.request("PATCH", &line, Some(json!({ "quantity": 5 })));
    assert_eq!((status, &changed["quantity"]), (200, &json!(5)));
    assert_eq!(server.request("DELETE", &path, None), (204, Value::Null));
    assert_eq!(server.request("DELETE", &path, None).0, 404);
    assert_eq!(server.get(&path).0, 404);
}

/// Tests rows that refer to rows of the same table.
fn categories(server: &Server) {
    let top = created(server, "/categories", json!({ "name": "Top" }));
    let below = created(
        server,
        "/categories",
        json!({ "name": "Below", "parentId": top["id"] }),
    );
    let tree = |row: &Value, children: Value| {
        let mut tree = row.clone();
        tree["children"] = children;
        (200, tree)
    };
    let get = |row: &Value| server.get(&format!("/categories/{}", row["id"]));
    assert_eq!(get(&top), tree(&top, json!([below])));
    assert_eq!(get(&below), tree(&below, json!([])));
}

/// Tests the number of all rows beside pages with and without rows.
fn pages(server: &Server) {
    for (query, rows, total) in [
        ("", 2, 2),
        ("?pageSize=1", 1, 2),
        ("?pageSize=1&page=2", 1, 2),
        ("?page=9", 0, 2),
        ("?slug=chair", 1, 1),
        ("?slug=bed", 0, 0),
        ("?reviewed=2026-01-01T00:00:00.000Z", 0, 0),
        // PostgreSQL has no year 0.
        ("?reviewed=0000-01-01T00:00:00.000Z", 0, 0),
    ] {
        let (status, page) = server.get(&format!("/products{query}"));
        assert_eq!(status, 200, "{query}: {page}");
        let found = (
            page["data"].as_array().unwrap().len(),
            &page["pagination"]["total"],
        );
        assert_eq!(found, (rows, &json!(total)), "{query}");
    }
}
