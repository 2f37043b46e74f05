//! Sends requests to a generated server on an adopted database, whose columns and constraints kit did not choose.

#![allow(unreachable_pub)] // a module of tests has no outside

use std::path::Path;

use kit_test_postgres::execute;
use serde_json::{Value, json};

use crate::served_http::Server;

/// SQL that gives the generated table the columns and names of the adopted one.
const ADOPTED: &str = "
    CREATE TYPE mood AS ENUM ('calm', 'loud');
    ALTER TABLE machines DROP CONSTRAINT machines_mood_check;
    ALTER TABLE machines
        ALTER code TYPE char(3),
        ALTER name TYPE varchar(8),
        ALTER address TYPE inet USING address::inet,
        ALTER mask TYPE bit(3) USING mask::bit(3),
        ALTER opens TYPE time USING opens::time,
        ALTER ratio TYPE real,
        ALTER size TYPE smallint,
        ALTER mood TYPE mood USING mood::mood,
        ALTER labels TYPE varchar[],
        ALTER backup TYPE cidr USING backup::cidr,
        ALTER settings DROP DEFAULT,
        ALTER settings TYPE json USING settings::json,
        ALTER manual TYPE xml USING manual::xml,
        ALTER words TYPE tsvector USING words::tsvector;";

/// Tests that rows have the values that a driver of Node returns, and that wrong values are errors of the client.
pub fn machines(program: &Path, database: &str) {
    execute(database, ADOPTED);
    let server = Server::start(program, database);
    let machine = json!({
        "code": "ab", "name": "lathe", "address": "10.0.0.1", "mask": "101", "opens": "01:02:03",
        "ratio": 0.1, "size": 7, "mood": "calm", "labels": ["old", "red"], "backup": "10.1.0.0/16",
        "manual": "<p/>", "words": "'lathe'"
    });
    let stored = {
        let mut stored = machine.clone();
        stored["code"] = json!("ab ");
        stored["settings"] = json!({ "speed": 1 });
        stored
    };
    assert_eq!(server.create("/machines", machine.clone()), stored);
    assert_eq!(server.get("/machines/ab"), (200, stored.clone()));
    let duplicate = server.error_of("POST", "/machines", {
        let mut other = machine;
        other["code"] = json!("cd");
        Some(other)
    });
    let conflict = "Another machine has this name";
    assert_eq!(duplicate, (409, "CONFLICT".to_owned(), conflict.to_owned()));
    for (query, expected) in [
        ("mood=calm", true),
        ("mood=loud", false),
        ("name=lathe", true),
        ("name=longer+than+the+column", false),
        ("labels=red", true),
        ("labels=red&labels=new", false),
    ] {
        let expected = if expected { json!([stored]) } else { json!([]) };
        assert_eq!(
            server.get(&format!("/machines?{query}")),
            (200, expected),
            "{query}"
        );
    }
    assert_eq!(server.error_of("GET", "/addresses?address=10.0.0.1", None).0, 501);
    for change in [
        json!({ "address": "10.0.0.256" }),
        json!({ "mask": "1010" }),
        json!({ "opens": "25:00" }),
        json!({ "size": 40000 }),
        json!({ "name": "much too long" }),
        json!({ "backup": "10.1.0.1/16" }),
        json!({ "manual": "<p>" }),
        json!({ "words": "'lathe" }),
        json!({ "words": "w".repeat(2048) }),
    ] {
        let error = server.error_of("PUT", "/machines/ab", Some(change.clone()));
        assert_eq!((error.0, error.1.as_str()), (400, "VALIDATION_ERROR"), "{change}");
    }
    assert_eq!(server.get("/machines/ab"), (200, stored.clone()));
    let change = json!({ "address": "::1", "mask": "000", "mood": "loud", "backup": null, "settings": { "speed": 2.5 } });
    let mut changed = stored;
    for (name, value) in change.as_object().unwrap() {
        changed[name] = value.clone();
    }
    assert_eq!(
        server.request("PUT", "/machines/ab", Some(change)),
        (200, changed)
    );
    assert_eq!(server.request("DELETE", "/machines/ab", None), (204, Value::Null));
}
