//! Lists of rows of one user, and rows below others.

#![allow(unreachable_pub)] // a module of tests has no outside

use serde_json::{Value, json};

use super::{User, error, path};
use crate::served_http::Server;

/// Tests lists whose order the request chooses.
pub fn orders(server: &Server) {
    let fay = User { server, name: "fay" };
    for name in ["b", "c", "a", "c"] {
        fay.create("/projects", json!({ "name": name }));
    }
    let usual = fay.get("/projects")["data"].clone();
    let rows = usual.as_array().unwrap();
    let sorted = |property: &str| {
        let mut rows = rows.clone();
        // Rows with equal values are sorted by their ids.
        rows.sort_by_key(|row| (row[property].to_string(), row["id"].to_string()));
        rows
    };
    let reversed = |mut rows: Vec<Value>| {
        rows.reverse();
        rows
    };
    for (query, expected) in [
        ("", reversed(sorted("createdAt"))),
        ("?order=desc", reversed(sorted("createdAt"))),
        ("?order=asc", sorted("createdAt")),
        ("?sort=createdAt", sorted("createdAt")),
        ("?sort=name", sorted("name")),
        ("?sort=name&order=asc", sorted("name")),
        ("?sort=name&order=desc", reversed(sorted("name"))),
    ] {
        assert_eq!(
            fay.get(&format!("/projects{query}"))["data"],
            json!(expected),
            "{query}"
        );
        let second = fay.get(&format!(
            "/projects{query}{}page=2&pageSize=3",
            if query.is_empty() { "?" } else { "&" }
        ));
        assert_eq!(second["data"], json!(expected[3..]), "{query}");
    }
    assert_eq!(fay.error_of("GET", "/projects?sort=ownerId", None).0, 400);
    assert_eq!(fay.error_of("GET", "/projects?order=DESC", None).0, 400);
}

/// Tests rows whose path names the row above them.
pub fn rows_below(server: &Server) {
    let gus = User { server, name: "gus" };
    let [one, two] = ["one", "two"].map(|name| gus.create("/projects", json!({ "name": name })));
    let add = |parent: Value| {
        let body = json!({ "title": "Dig", "userId": "gus", "projectId": one["id"], "parentId": parent });
        gus.create("/tasks", body)
    };
    let task = add(Value::Null);
    let part = add(task["id"].clone());
    let below = |of: &str, row: &Value, task: &Value| path(&format!("{}/tasks", path(of, row)), task);
    let missing = gus.error_of("GET", &below("/projects", &one, &one), None);
    assert_eq!(missing.0, 404);
    let (here, elsewhere) = (below("/projects", &one, &task), below("/projects", &two, &task));
    assert_eq!(gus.get(&here), task);
    for (method, body) in [
        ("GET", None),
        ("PATCH", Some(json!({ "title": "Fill" }))),
        ("DELETE", None),
    ] {
        let refused = gus.error_of(method, &elsewhere, body.clone());
        assert_eq!((refused.0, &refused.1), (404, &missing.1), "{method}");
        let bob = User { server, name: "bob" };
        assert_eq!(bob.error_of(method, &here, body).0, 404, "{method}");
    }
    assert_eq!(gus.get(&here), task, "no request changed the row");
    let upper = here
        .to_uppercase()
        .replace("/PROJECTS/", "/projects/")
        .replace("/TASKS/", "/tasks/");
    assert_eq!(
        gus.get(&upper),
        task,
        "the case of the digits of a UUID does not count"
    );
    // The column of the path can be null.
    assert_eq!(gus.get(&below("/tasks", &task, &part)), part);
    assert_eq!(gus.error_of("GET", &below("/tasks", &part, &task), None).0, 404);
    let (status, changed) = gus.request("PATCH", &here, Some(json!({ "title": "Fill" })));
    assert_eq!((status, &changed["title"]), (200, &json!("Fill")));
    assert_eq!(gus.request("DELETE", &here, None).0, 204);
    assert_eq!(gus.error_of("GET", &here, None).0, 404);
}

/// Tests a list that is read with cursors, while rows are added and removed.
pub fn pages(eve: &User<'_>, bob: &User<'_>) {
    let project = eve.create("/projects", json!({ "name": "Loom" }));
    let add = |title: &str| {
        let body = json!({ "title": title, "userId": "eve", "projectId": project["id"] });
        eve.create("/tasks", body)
    };
    let rows: Vec<Value> = ["1", "2", "3", "4", "5", "6", "7"].map(add).into();
    let mut expected: Vec<&Value> = rows.iter().collect();
    // Rows of the same millisecond are sorted by their ids.
    expected.sort_by_key(|row| (row["createdAt"].to_string(), row["id"].to_string()));
    expected.reverse();
    let titles: Vec<&Value> = expected.iter().map(|row| &row["title"]).collect();
    let next = |page: &Value, name: &str| page[name].as_str().unwrap_or_default().to_owned();
    let first = eve.get("/newest/tasks?limit=3");
    assert_eq!(first.as_object().unwrap().len(), 2, "{first}");
    let cursor = next(&first, "next");
    add("new");
    // The row in the cursor is removed.
    assert_eq!(eve.request("DELETE", &path("/tasks", expected[2]), None).0, 204);
    let second = eve.get(&format!("/newest/tasks?limit=3&cursor={cursor}"));
    let third = eve.get(&format!("/newest/tasks?limit=3&cursor={}", next(&second, "next")));
    assert_eq!(
        (third.get("next"), third["data"].as_array().unwrap().len()),
        (None, 1)
    );
    let pages = [&first, &second, &third];
    let found = pages.iter().flat_map(|page| page["data"].as_array().unwrap());
    assert_eq!(found.map(|row| &row["title"]).collect::<Vec<_>>(), titles);
    let back = eve.get(&format!(
        "/newest/tasks?limit=3&cursor={}",
        next(&third, "previous")
    ));
    assert_eq!(back, second);
    // A cursor belongs to its user and its filters.
    let invalid = error(
        400,
        "INVALID_CURSOR",
        "The cursor does not belong to this list with these filters. Request the first page, without a cursor",
    );
    let of = |user: &User<'_>, query: &str| user.error_of("GET", &format!("/newest/tasks?{query}"), None);
    assert_eq!(of(bob, &format!("cursor={cursor}")), invalid);
    assert_eq!(of(eve, &format!("cursor={cursor}&done=false")), invalid);
    assert_eq!(of(eve, "cursor=forged"), invalid);
    assert_eq!(of(eve, "limit=101").1, "VALIDATION_ERROR");
    let filtered = eve.get("/newest/tasks?done=false&limit=1");
    let more = eve.get(&format!(
        "/newest/tasks?done=false&limit=100&cursor={}",
        next(&filtered, "next")
    ));
    assert_eq!(more["data"].as_array().unwrap().len(), 6);
    assert_eq!(eve.request("DELETE", &path("/projects", &project), None).0, 204);
}
