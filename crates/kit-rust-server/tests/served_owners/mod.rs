//! Sends requests of two users to a generated server whose handlers the user has not changed. The rows that a user
//! must not access exist all the time, so a refusal is never caused by a missing row.

// A module of tests has no outside, and writes the files that the server serves.
#![allow(unreachable_pub, clippy::disallowed_methods)]

mod lists;

use std::path::Path;

use serde_json::{Value, json};

use crate::served_http::Server;

/// A client that sends requests as one user.
struct User<'s> {
    server: &'s Server,
    name: &'s str,
}

impl User<'_> {
    fn request(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        self.server.request_as(Some(self.name), method, path, body)
    }

    fn get(&self, path: &str) -> Value {
        let (status, answer) = self.request("GET", path, None);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Sends a POST request that must create a row. Returns the row.
    fn create(&self, path: &str, body: Value) -> Value {
        let (status, row) = self.request("POST", path, Some(body));
        assert_eq!(status, 201, "{path}: {row}");
        row
    }

    /// Sends a request that must fail. Returns the status, the code and the message of the error, without parts that
    /// differ between requests.
    fn error_of(&self, method: &str, path: &str, body: Option<Value>) -> (u16, String, String) {
        let (status, answer) = self.request(method, path, body);
        let text = |name: &str| answer["error"][name].as_str().unwrap_or_default().to_owned();
        (status, text("code"), text("message"))
    }
}

fn error(status: u16, code: &str, message: &str) -> (u16, String, String) {
    (status, code.to_owned(), message.to_owned())
}

fn path(of: &str, row: &Value) -> String {
    format!("{of}/{}", row["id"].as_str().unwrap())
}

const NOWHERE: &str = "00000000-0000-4000-8000-000000000000";

pub fn owners(program: &Path, database: &str) {
    // The application serves files of `dist`.
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("owners");
    std::fs::create_dir_all(directory.join("dist/assets")).unwrap();
    std::fs::write(directory.join("dist/index.html"), "<title>Owners</title>").unwrap();
    let server = Server::start_in(&directory, program, database);
    let user = |name| User {
        server: &server,
        name,
    };
    let (ada, bob) = (user("ada"), user("bob"));
    assert_eq!(server.request_as(None, "GET", "/projects", None).0, 401);
    let project = projects(&ada, &bob);
    let task = tasks(&ada, &bob, &project);
    lists::pages(&user("eve"), &bob);
    lists::orders(&server);
    lists::rows_below(&server);
    references(&ada, &bob, &project, &task);
    settings(&ada, &bob);
    accounts(&server);
    shared(&ada, &bob, &task);
    library(&ada, &bob);
    // Ada's rows are unchanged after all requests of Bob.
    assert_eq!(ada.get(&path("/projects", &project)), project);
    assert_eq!(ada.get(&path("/tasks", &task)), task);
}

fn projects(ada: &User<'_>, bob: &User<'_>) -> Value {
    let project = ada.create("/projects", json!({ "name": "Engine" }));
    assert_eq!(project["ownerId"], "ada");
    let own = bob.create("/projects", json!({ "name": "Bridge" }));
    assert_eq!(own["ownerId"], "bob");
    // A list and its count contain only rows of the user.
    for (user, row) in [(ada, &project), (bob, &own)] {
        let page = user.get("/projects");
        assert_eq!(
            (&page["data"], &page["pagination"]["total"]),
            (&json!([row]), &json!(1))
        );
    }
    // A row of another user gets the same response as a missing row.
    let theirs = path("/projects", &project);
    let nowhere = format!("/projects/{NOWHERE}");
    for (method, body) in [
        ("GET", None),
        ("PATCH", Some(json!({ "name": "Bob's" }))),
        ("DELETE", None),
    ] {
        let refused = bob.error_of(method, &theirs, body.clone());
        assert_eq!(refused.0, 404, "{method}");
        assert_eq!(refused, bob.error_of(method, &nowhere, body), "{method}");
    }
    assert_eq!(ada.get(&theirs), project);
    // The owner can change the row.
    let (status, changed) = ada.request("PATCH", &theirs, Some(json!({ "name": "Engine" })));
    assert_eq!((status, &changed), (200, &project));
    assert_eq!(bob.request("DELETE", &path("/projects", &own), None).0, 204);
    project
}

/// Tests bodies that contain the owner.
fn tasks(ada: &User<'_>, bob: &User<'_>, project: &Value) -> Value {
    let body = |user: &str| json!({ "title": "Draw", "userId": user, "projectId": project["id"] });
    let task = ada.create("/tasks", body("ada"));
    assert_eq!(task["userId"], "ada");
    let not_yours = error(403, "TASK_OF_ANOTHER_USER", "Users make tasks for themselves");
    assert_eq!(bob.error_of("POST", "/tasks", Some(body("ada"))), not_yours);
    let own = path("/tasks", &task);
    assert_eq!(
        ada.error_of("PUT", &own, Some(json!({ "userId": "bob" }))),
        not_yours
    );
    let (status, same) = ada.request("PUT", &own, Some(json!({ "userId": "ada", "title": "Draw" })));
    assert_eq!((status, &same), (200, &task));
    // Bob cannot change Ada's row, neither as himself nor with her name in the body.
    for body in [json!({}), json!({ "userId": "bob" }), json!({ "title": "Bob's" })] {
        assert_eq!(bob.error_of("PUT", &own, Some(body)).0, 404);
    }
    assert_eq!(
        bob.error_of("PUT", &own, Some(json!({ "userId": "ada" }))),
        not_yours
    );
    for query in ["", "?userId=ada", "?done=false"] {
        let page = bob.get(&format!("/tasks{query}"));
        assert_eq!(
            (&page["data"], &page["pagination"]["total"]),
            (&json!([]), &json!(0)),
            "{query}"
        );
    }
    assert_eq!(ada.get("/tasks?userId=ada")["pagination"]["total"], 1);
    let of_project = format!("/projects/{}/tasks", project["id"].as_str().unwrap());
    assert_eq!(ada.get(&of_project), json!([task]));
    assert_eq!(bob.get(&of_project), json!([]));
    task
}

/// Tests references: a row can refer only to rows of the same user. A reference to a row of another user gets the
/// same response as one to a missing row.
fn references(ada: &User<'_>, bob: &User<'_>, project: &Value, task: &Value) {
    let theirs = bob.create("/projects", json!({ "name": "Bridge" }));
    let body = |project: Value, parent: Value| {
        Some(json!({ "title": "Build", "userId": "bob", "projectId": project, "parentId": parent }))
    };
    let no_project = error(404, "PROJECT_NOT_FOUND", "Project not found");
    assert_eq!(
        bob.error_of("POST", "/tasks", body(project["id"].clone(), Value::Null)),
        no_project
    );
    assert_eq!(
        bob.error_of("POST", "/tasks", body(json!(NOWHERE), Value::Null)),
        no_project
    );
    let no_task = bob.error_of("POST", "/tasks", body(theirs["id"].clone(), json!(NOWHERE)));
    assert_eq!(no_task, error(409, "CONFLICT", "Task not found"));
    assert_eq!(
        bob.error_of("POST", "/tasks", body(theirs["id"].clone(), task["id"].clone())),
        no_task
    );
    let own = bob.create("/tasks", body(theirs["id"].clone(), Value::Null).unwrap());
    let at = path("/tasks", &own);
    for (property, row, answer) in [("projectId", project, &no_project), ("parentId", task, &no_task)] {
        assert_eq!(
            &bob.error_of("PUT", &at, Some(json!({ property: row["id"] }))),
            answer
        );
    }
    assert_eq!(bob.get(&at), own);
    let (status, child) = bob.request(
        "PUT",
        &at,
        Some(json!({ "parentId": own["id"], "projectId": theirs["id"] })),
    );
    assert_eq!((status, &child["parentId"]), (200, &own["id"]));
    let (_, orphan) = bob.request("PUT", &at, Some(json!({ "parentId": null })));
    assert_eq!(orphan["parentId"], Value::Null);
    assert_eq!(ada.error_of("DELETE", &at, None).0, 404);
    assert_eq!(bob.request("DELETE", &at, None).0, 204);
}

/// Tests paths that contain the owner.
fn settings(ada: &User<'_>, bob: &User<'_>) {
    let setting = ada.create("/settings/ada", json!({ "name": "colour", "value": "red" }));
    let refused = bob.error_of(
        "POST",
        "/settings/ada",
        Some(json!({ "name": "size", "value": "1" })),
    );
    assert_eq!(
        refused,
        error(403, "FORBIDDEN", "The setting would belong to another user")
    );
    for (method, body) in [
        ("GET", None),
        ("PUT", Some(json!({ "value": "blue" }))),
        ("DELETE", None),
    ] {
        let refused = bob.error_of(method, "/settings/ada/colour", body);
        assert_eq!(refused, error(404, "NOT_FOUND", "Setting not found"), "{method}");
    }
    assert_eq!(ada.get("/settings/ada/colour"), setting);
    // A wrapper around the generated handlers refuses with an error that has details.
    let headers = [("x-user", "ada"), ("x-limited", "1")];
    let limited = ada.server.answer("GET", "/settings/ada/colour", &headers, None);
    let body: Value = serde_json::from_str(&limited.body).unwrap();
    assert_eq!(
        (limited.status, &body["error"]["code"]),
        (429, &json!("TOO_MANY_SETTINGS"))
    );
    assert_eq!(body["error"]["details"], json!({ "seconds": 3 }));
    assert_eq!(ada.request("DELETE", "/settings/ada/colour", None).0, 204);
}

/// Tests owners that are numbers, and owners that are UUIDs in a nullable column.
fn accounts(server: &Server) {
    const TENANT: &str = "11111111-1111-4111-8111-111111111111";
    let user = |name| User { server, name };
    let one = user("1:11111111-1111-4111-8111-111111111111");
    let two = user("2:22222222-2222-4222-8222-222222222222");
    let label = one.create("/labels", json!({ "accountId": 1, "text": "red" }));
    let refused = two.error_of("POST", "/labels", Some(json!({ "accountId": 1, "text": "red" })));
    assert_eq!(
        refused,
        error(403, "FORBIDDEN", "The label would belong to another user")
    );
    assert_eq!(
        (one.get("/labels"), two.get("/labels")),
        (json!([label]), json!([]))
    );
    let blue = one.create("/labels", json!({ "accountId": 1, "text": "blue" }));
    for (path, expected) in [
        ("/labels", json!([label, blue])),
        ("/labels?order=asc", json!([label, blue])),
        ("/labels?order=desc", json!([blue, label])),
        ("/labels/sorted?sort=text", json!([blue, label])),
        ("/labels/sorted?sort=id", json!([label, blue])),
    ] {
        assert_eq!(one.get(path), expected, "{path}");
    }
    assert_eq!(
        two.request("DELETE", &format!("/labels/{}", label["id"]), None).0,
        404
    );
    assert_eq!(
        one.request("DELETE", &format!("/labels/{}", label["id"]), None).0,
        204
    );

    let upload = one.create("/uploads", json!({ "tenantId": TENANT, "name": "a" }));
    let at = format!("/uploads/{}", upload["id"].as_str().unwrap());
    for tenant in [json!(TENANT), Value::Null] {
        let refused = two.error_of(
            "POST",
            "/uploads",
            Some(json!({ "tenantId": tenant, "name": "b" })),
        );
        assert_eq!(refused.0, 403, "{tenant}");
        assert_eq!(
            two.error_of("PUT", &at, Some(json!({ "tenantId": tenant }))).0,
            403,
            "{tenant}"
        );
    }
    // A tenant cannot give its row to another tenant, and cannot remove the owner.
    assert_eq!(one.error_of("PUT", &at, Some(json!({ "tenantId": null }))).0, 403);
    assert_eq!(two.error_of("PUT", &at, Some(json!({ "name": "b" }))).0, 404);
    assert_eq!(
        (one.get("/uploads"), two.get("/uploads")),
        (json!([upload]), json!([]))
    );
    let (status, changed) = one.request("PUT", &at, Some(json!({ "tenantId": TENANT, "name": "c" })));
    assert_eq!((status, &changed["name"]), (200, &json!("c")));
    // A tenant whose id is not a UUID has no rows. The server does not query PostgreSQL for it.
    let odd = user("3:nobody");
    assert_eq!(odd.get("/uploads"), json!([]));
    assert_eq!(odd.error_of("PUT", &at, Some(json!({ "name": "d" }))).0, 404);
}

/// Tests `@owner none`, entities without `@owner`, and routes without middleware.
fn shared(ada: &User<'_>, bob: &User<'_>, task: &Value) {
    let country = ada.create("/countries", json!({ "code": "de", "name": "Germany" }));
    assert_eq!(bob.get("/countries"), json!([country]));
    // A row without an owner may refer only to rows of the user who sends the request.
    let remark = json!({ "text": "Good", "taskId": task["id"] });
    let no_task = error(409, "CONFLICT", "Task not found");
    assert_eq!(bob.error_of("POST", "/remarks", Some(remark.clone())), no_task);
    assert_eq!(ada.create("/remarks", remark.clone())["taskId"], task["id"]);

    let drafts = "put `@owner property = ctx.name` or `@owner none` on `Draft`";
    let project = "rows of `Project` belong to `ctx.user.id`, which no middleware of the route adds";
    let of_task = "rows of `Task` belong to `ctx.user.id`, which no middleware of the route adds";
    for (method, at, body, reason) in [
        ("POST", "/drafts", Some(json!({ "text": "a" })), drafts),
        ("GET", "/drafts", None, drafts),
        ("GET", &format!("/drafts/{NOWHERE}"), None, drafts),
        ("GET", &format!("/open/projects/{NOWHERE}"), None, project),
        ("POST", "/open/remarks", Some(remark), of_task),
    ] {
        let route = at.replace(NOWHERE, ":id");
        let expected = format!("kit cannot generate the handler of `{method} {route}`: {reason}");
        assert_eq!(
            bob.error_of(method, at, body),
            error(501, "NOT_IMPLEMENTED", &expected)
        );
    }
    // The entity has no `@owner` and the route has no middleware, so every user can access the rows.
    assert_eq!(bob.get("/open/drafts"), json!([]));
}

/// Tests references with several columns, and lists that filter by the elements of arrays.
fn library(ada: &User<'_>, bob: &User<'_>) {
    for (user, room) in [(ada, "cellar"), (bob, "attic")] {
        user.create(
            "/shelves",
            json!({ "room": room, "number": 1, "userId": user.name }),
        );
    }
    let body = |room: &str, shelf: i32| {
        json!({
            "title": "Notes", "userId": "ada", "room": room, "shelf": shelf,
            "tags": ["old", "red"], "pages": ["7", "9007199254740993"]
        })
    };
    let no_shelf = error(409, "CONFLICT", "Shelf not found");
    for (room, shelf) in [("attic", 1), ("attic", 2), ("cellar", 2)] {
        assert_eq!(
            ada.error_of("POST", "/books", Some(body(room, shelf))),
            no_shelf,
            "{room} {shelf}"
        );
    }
    assert_eq!(ada.get("/books"), json!([]));
    let book = ada.create("/books", body("cellar", 1));
    let loose = ada.create("/books", json!({ "title": "Loose", "userId": "ada" }));
    let at = path("/books", &book);
    // The new room and the number that the row already has are the key of Bob's shelf.
    assert_eq!(
        ada.error_of("PUT", &at, Some(json!({ "room": "attic", "title": "Lost" }))),
        no_shelf
    );
    assert_eq!(ada.get(&at), book);
    assert_eq!(bob.error_of("PUT", &at, Some(json!({ "shelf": 1 }))).0, 404);
    let (status, same) = ada.request("PUT", &at, Some(json!({ "room": "cellar" })));
    assert_eq!((status, &same), (200, &book));
    // A key with an absent part refers to no row.
    let (status, half) = ada.request("PUT", &path("/books", &loose), Some(json!({ "room": "attic" })));
    assert_eq!((status, &half["room"]), (200, &json!("attic")));

    for (query, expected) in [
        ("tags=old", 1),
        ("tags=red&tags=old", 1),
        ("tags=red&tags=new", 0),
        ("pages=9007199254740993", 1),
        ("pages=7&tags=red", 1),
        ("pages=9007199254740992", 0),
        ("pages=99999999999999999999", 0),
        ("", 2),
    ] {
        let found = ada.get(&format!("/books?{query}"));
        assert_eq!(found.as_array().unwrap().len(), expected, "{query}");
        assert_eq!(bob.get(&format!("/books?{query}")), json!([]), "{query}");
    }
    let page = ada.get("/newest/books?tags=red&limit=1");
    assert_eq!(page, json!({ "data": [book] }));
}
