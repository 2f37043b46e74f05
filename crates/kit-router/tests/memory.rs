//! Measures the heap memory of a router with an allocator that counts bytes. The file contains only one test,
//! because another one would allocate at the same time.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use kit_router::{RouteSpec, RouteTree};

#[global_allocator]
static ALLOCATOR: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// Returns the routes of `count` resources with different names. Each resource has five routes, as in typical
/// applications.
fn routes(count: usize) -> impl Iterator<Item = RouteSpec> {
    const KINDS: [(&str, &str); 5] = [
        ("GET", ""),
        ("POST", ""),
        ("GET", "/active"),
        ("GET", "/:id"),
        ("GET", "/:id/tags/:tag"),
    ];
    const AREAS: [&str; 7] = [
        "shop",
        "blog",
        "chat",
        "mail",
        "billing",
        "search",
        "administration",
    ];
    const NAMES: [&str; 11] = [
        "users",
        "teams",
        "notes",
        "invoices",
        "payments",
        "projects",
        "comments",
        "webhooks",
        "reports",
        "settings",
        "subscriptions",
    ];
    (0..count).map(|number| {
        let ((method, end), resource) = (KINDS[number % 5], number / 5);
        let (area, name, version) = (AREAS[resource % 7], NAMES[resource % 11], resource / 77);
        RouteSpec::new(method, format!("/api/v{version}/{area}/{name}{end}"))
    })
}

#[test]
fn stays_within_the_memory_limits() {
    for (count, limit) in [(100, 50_000), (1000, 200_000)] {
        let tree = RouteTree::compile(routes(count)).unwrap();
        let before = ALLOCATOR.current_usage();
        let router = tree.router();
        let bytes = ALLOCATOR.current_usage() - before;
        assert!(bytes < limit, "{bytes} bytes for {count} routes");
        assert_eq!(bytes, router.size(), "what the router says of itself");
        println!("{count} routes: {bytes} bytes");
    }
}
