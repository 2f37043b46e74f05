//! Tests of contexts without a server, in a process of their own, because a process reads its environment variables only once.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::io::Write as _;

use kit_runtime::axum::http::Request;
use kit_runtime::{Context, Cookie};

use crate::process::Server;

/// The process. [`Server::start`] runs it.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let context = Context::for_test(Request::get("/").body(()).unwrap());
    context.set_cookie(&Cookie::new("user", "7").signed()).unwrap();
    let headers = context.headers_to_send();
    assert_eq!(headers.get_all("set-cookie").iter().count(), 1);
    let line = headers["set-cookie"].to_str().unwrap();
    let (pair, _) = line.split_once(';').unwrap();
    let request = Request::get("/").header("cookie", pair).body(()).unwrap();
    let user = Context::for_test(request).signed_cookie("user").unwrap();
    writeln!(std::io::stdout(), "\nread back: {user:?}").unwrap();
}

#[test]
fn cookies_of_a_context_without_a_server_are_signed_with_the_keys_of_the_environment() {
    let keys = "k".repeat(32);
    let mut process = Server::start(module_path!(), &[("KIT_COOKIE_KEYS", keys)]);
    assert!(process.child.wait().unwrap().success(), "{}", process.before);
    assert!(
        process.before.contains("read back: Some(\"7\")\n"),
        "{}",
        process.before
    );
}
