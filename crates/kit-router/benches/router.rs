//! What matching costs, beside matchit, on one set of routes. `cargo bench -p kit-router`.
//!
//! matchit knows no methods, so it is asked for the path alone; its figures are for comparison of the lookup, not of the answer.

use divan::{Bencher, black_box};
use kit_router::{Match, ParamBuffer, RouteSpec, RouteTree, Router};

fn main() {
    divan::main();
}

/// A hundred routes of a usual shape: 20 resources with five routes each.
fn routes() -> impl Iterator<Item = (String, String)> {
    let names = [
        "users", "teams", "notes", "todos", "files", "orders", "items", "carts", "invoices", "payments",
        "projects", "tasks", "labels", "comments", "events", "sessions", "tokens", "webhooks", "reports",
        "settings",
    ];
    names.into_iter().flat_map(|name| {
        [
            ("GET", format!("/api/v1/{name}")),
            ("POST", format!("/api/v1/{name}")),
            ("GET", format!("/api/v1/{name}/active")),
            ("GET", format!("/api/v1/{name}/:id")),
            ("GET", format!("/api/v1/{name}/:id/tags/:tag")),
        ]
        .map(|(method, path)| (method.to_owned(), path))
    })
}

fn router() -> Router {
    let wildcard = [("GET".to_owned(), "/assets/*path".to_owned())];
    let specs = routes()
        .chain(wildcard)
        .map(|(method, path)| RouteSpec::new(method, path));
    RouteTree::compile(specs).expect("no conflicts").router()
}

fn matchit() -> matchit::Router<usize> {
    let mut router = matchit::Router::new();
    for (number, (method, path)) in routes().enumerate() {
        if method == "GET" {
            let path = path.replace(":id", "{id}").replace(":tag", "{tag}");
            router.insert(path, number).expect("no conflicts");
        }
    }
    router.insert("/assets/{*path}", 1000).expect("no conflicts");
    router
}

const PATHS: [&str; 5] = [
    "/api/v1/orders",
    "/api/v1/webhooks/active",
    "/api/v1/orders/8c5e2a52-30b5-4b9a-8f3e-6f2f1c3f9a51",
    "/api/v1/orders/8c5e2a52/tags/urgent",
    "/assets/js/app/main.js",
];

#[divan::bench(args = PATHS)]
fn kit(bencher: Bencher<'_, '_>, path: &str) {
    let router = router();
    let mut params = ParamBuffer::new();
    bencher.bench_local(|| {
        let found = router.find(black_box("GET"), black_box(path), &mut params);
        assert!(matches!(found, Match::Route(_)));
        found
    });
}

#[divan::bench(name = "matchit", args = PATHS)]
fn peer(bencher: Bencher<'_, '_>, path: &str) {
    let router = matchit();
    bencher.bench_local(|| {
        let found = router.at(black_box(path)).expect("a route");
        (*found.value, found.params.len())
    });
}

#[divan::bench]
fn kit_escaped_parameter(bencher: Bencher<'_, '_>) {
    let router = router();
    let mut params = ParamBuffer::new();
    bencher.bench_local(|| router.find(black_box("GET"), black_box("/api/v1/orders/a%20b"), &mut params));
}

#[divan::bench(args = ["/users", "/api/v1/orders"])]
fn kit_method_not_allowed(bencher: Bencher<'_, '_>, path: &str) {
    let specs = routes().chain([("GET".to_owned(), "/users".to_owned())]);
    let router = RouteTree::compile(specs.map(|(method, path)| RouteSpec::new(method, path)))
        .expect("no conflicts")
        .router();
    let mut params = ParamBuffer::new();
    bencher.bench_local(|| {
        let found = router.find(black_box("DELETE"), black_box(path), &mut params);
        assert!(matches!(found, Match::MethodNotAllowed(_)));
        found
    });
}

#[divan::bench(args = ["/nowhere", "/api/v1/orders/1/nothing"])]
fn kit_not_found(bencher: Bencher<'_, '_>, path: &str) {
    let router = router();
    let mut params = ParamBuffer::new();
    bencher.bench_local(|| router.find(black_box("GET"), black_box(path), &mut params));
}

/// What a server does at its start: the document's text to a router.
#[divan::bench(args = [100, 1000])]
fn kit_load(bencher: Bencher<'_, '_>, count: usize) {
    let specs = (0..count).map(|n| RouteSpec::new("GET", format!("/api/v1/resource{}/:id/part{n}", n / 5)));
    let tree = RouteTree::compile(specs).expect("no conflicts");
    let document = tree.to_compiled("");
    let references: Vec<_> = tree.references().collect();
    bencher.bench_local(|| {
        RouteTree::from_compiled(&document, &references)
            .expect("a good document")
            .router()
    });
}
