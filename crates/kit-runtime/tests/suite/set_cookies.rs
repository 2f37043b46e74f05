//! Checks the cookies that responses set, and signed cookies, against the cases that all runtimes share:
//! `conformance/set-cookies.json`.

#![allow(clippy::unwrap_used)] // helper functions of tests may unwrap like tests

use kit_runtime::cookies::{CookieKeys, Cookies};
use kit_runtime::{Cookie, SameSite, Value};

fn shared() -> Value {
    serde_json::from_str(include_str!("../../../../conformance/set-cookies.json")).unwrap()
}

/// Returns the keys that a case names, as the environment variable has them.
fn keys_of(shared: &Value, case: &Value) -> CookieKeys {
    let names = case["keys"].as_array().into_iter().flatten();
    let keys: Vec<&str> = names
        .map(|name| shared["keys"][name.as_str().unwrap()].as_str().unwrap())
        .collect();
    CookieKeys::parse(&keys.join(", ")).unwrap()
}

fn cookie_of(case: &Value) -> Cookie {
    let options = case["cookie"].as_object().unwrap();
    let name = options["name"].as_str().unwrap();
    let mut cookie = match options["value"].as_str() {
        Some(value) => Cookie::new(name, value),
        None => Cookie::deleted(name),
    };
    for (option, value) in options {
        let text = value.as_str().unwrap_or_default();
        cookie = match option.as_str() {
            "name" | "value" => cookie,
            "maxAge" => cookie.max_age_seconds(value.as_u64().unwrap()),
            "expires" => cookie.expires(text.parse().unwrap()),
            "path" => cookie.path(text),
            "domain" => cookie.domain(text),
            "secure" => cookie.secure(value == true),
            "httpOnly" if *value == false => cookie.readable_by_scripts(),
            "sameSite" => cookie.same_site(match text {
                "strict" => SameSite::Strict,
                "lax" => SameSite::Lax,
                "none" => SameSite::None,
                _ => panic!("{case}"),
            }),
            "partitioned" if value == true => cookie.partitioned(),
            "signed" if value == true => cookie.signed(),
            _ => panic!("the test does not know {option} of {case}"),
        };
    }
    cookie
}

#[test]
fn writes_the_cookies_of_the_conformance_vectors() {
    let shared = shared();
    let cases = shared["written"].as_array().unwrap();
    for case in cases {
        let keys = keys_of(&shared, case);
        let written = Cookies::new(&keys, case["development"] != true).write(&cookie_of(case));
        assert_eq!(
            written.map(|cookie| cookie.line).as_deref(),
            Ok(case["line"].as_str().unwrap()),
            "{case}"
        );
    }
    assert!(cases.len() > 30);
}

#[test]
fn refuses_the_cookies_of_the_conformance_vectors_and_shows_no_value() {
    let shared = shared();
    let cases = shared["refused"].as_array().unwrap();
    for case in cases {
        let keys = keys_of(&shared, case);
        let cookie = cookie_of(case);
        let problem = Cookies::new(&keys, true).write(&cookie).unwrap_err();
        assert!(
            problem.contains(case["problem"].as_str().unwrap()),
            "{problem}: {case}"
        );
        let value = case["cookie"]["value"].as_str().unwrap_or_default();
        assert!(value.len() < 2 || !problem.contains(value), "{problem}");
        assert!(!format!("{cookie:?}").contains("value"), "{cookie:?}");
    }
    assert!(cases.len() > 20);
}

#[test]
fn reads_the_signed_cookies_of_the_conformance_vectors() {
    let shared = shared();
    let cases = shared["signed"].as_array().unwrap();
    for case in cases {
        let keys = keys_of(&shared, case);
        let value = Cookies::new(&keys, true).read_signed("user", case["header"].as_str());
        assert_eq!(value.unwrap().as_deref(), case["value"].as_str(), "{case}");
    }
    assert!(cases.len() > 20);
}

#[test]
fn needs_a_key_to_read_a_signed_cookie() {
    let problem = Cookies::new(&CookieKeys::default(), true).read_signed("user", None);
    assert_eq!(
        problem.unwrap_err(),
        "signed_cookie needs a key: set the variable KIT_COOKIE_KEYS"
    );
}

#[test]
fn refuses_short_keys_without_showing_a_key() {
    let long = "a".repeat(32);
    for (text, number) in [
        ("hunter2".to_owned(), 1),
        (format!("{long},hunter2"), 2),
        (format!("{long},"), 2),
        (",".to_owned(), 1),
    ] {
        let problem = CookieKeys::parse(&text).unwrap_err();
        let expected = format!("KIT_COOKIE_KEYS: key {number} must have at least 32 characters");
        assert!(problem.starts_with(&expected), "{problem}");
        assert!(
            !problem.contains("hunter2") && !problem.contains(&long),
            "{problem}"
        );
    }
    let keys = CookieKeys::parse(&format!(" {long} , {long}")).unwrap();
    assert_eq!(format!("{keys:?}"), "CookieKeys(2 of them)");
    assert_eq!(
        format!("{:?}", CookieKeys::parse("").unwrap()),
        "CookieKeys(0 of them)"
    );
}
