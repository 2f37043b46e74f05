//! The routers to compare, behind a common trait.

use std::collections::BTreeMap;

use kit_router::{CompiledRouteTree, Match, Method, ParamBuffer, RouteSpec, RouteTree};
use percent_encoding::percent_decode_str;

/// Result of a search. It contains the total length of all parameter values, so that a router must
/// read them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Route(u32, usize),
    NotFound,
    NotAllowed,
}

pub(crate) trait Subject {
    fn find(&mut self, method: &str, path: &str) -> Answer;
    /// Returns true if the router tells a wrong method (405) from an unknown path (404).
    fn knows_methods(&self) -> bool {
        false
    }
    /// Returns true if the router decodes percent-escapes in parameter values.
    fn decodes(&self) -> bool {
        false
    }
}

/// Creates a router. The work before the call is not measured.
pub(crate) type Load<'a> = Box<dyn Fn() -> Box<dyn Subject> + 'a>;

/// Returns all routers with their names. Routes have the form `GET /notes/:id`.
pub(crate) fn subjects(routes: &[String]) -> Vec<(&'static str, Load<'_>)> {
    let document = document(routes);
    vec![
        ("kit", Box::new(move || Box::new(Kit::load(&document, routes)))),
        (
            "matchit",
            Box::new(|| Box::new(PerMethod::<Matchit>::load(routes))),
        ),
        ("matchit-405", Box::new(|| Box::new(MatchitTable::load(routes)))),
        (
            "path-tree",
            Box::new(|| Box::new(PerMethod::<PathTree>::load(routes))),
        ),
        (
            "wayfind",
            Box::new(|| Box::new(PerMethod::<Wayfind>::load(routes))),
        ),
    ]
}

/// Returns the route tree that `kit build` writes for the routes.
pub(crate) fn document(routes: &[String]) -> CompiledRouteTree {
    let specs = routes.iter().map(|route| {
        let (method, path) = split(route);
        RouteSpec::new(method, path)
    });
    RouteTree::compile(specs)
        .expect("the sets have no conflicts")
        .to_compiled("")
}

fn split(route: &str) -> (&str, &str) {
    route
        .split_once(' ')
        .expect("a route is a method, a space and a path")
}

struct Kit {
    router: kit_router::Router,
    params: ParamBuffer,
}

impl Kit {
    fn load(document: &CompiledRouteTree, routes: &[String]) -> Self {
        let tree = RouteTree::from_compiled(document, routes).expect("the document is good");
        Self {
            router: tree.router(),
            params: ParamBuffer::new(),
        }
    }
}

impl Subject for Kit {
    fn find(&mut self, method: &str, path: &str) -> Answer {
        match self.router.find(method, path, &mut self.params) {
            Match::Route(route) => {
                Answer::Route(route, self.params.values(path).map(|value| value.len()).sum())
            }
            Match::NotFound => Answer::NotFound,
            Match::MethodNotAllowed(_) => Answer::NotAllowed,
            Match::BadPath => panic!("{path} does not decode"),
        }
    }

    fn knows_methods(&self) -> bool {
        true
    }

    fn decodes(&self) -> bool {
        true
    }
}

/// A router that only knows paths, without methods.
trait Paths: Default {
    fn add(&mut self, path: &str, route: u32);
    /// Called after all routes are added.
    fn finish(&mut self) {}
    fn at(&self, path: &str) -> Option<(u32, usize)>;
}

/// Several routers without methods, one for each method. Their documentation recommends this.
#[derive(Default)]
struct PerMethod<P> {
    routers: [Option<P>; Method::ALL.len()],
}

impl<P: Paths> PerMethod<P> {
    fn load(routes: &[String]) -> Self {
        let mut routers = [const { None::<P> }; Method::ALL.len()];
        for (number, route) in (0..).zip(routes) {
            let (method, path) = split(route);
            let method = Method::from_name(method).expect("a method");
            routers[method as usize].get_or_insert_default().add(path, number);
        }
        for router in routers.iter_mut().flatten() {
            router.finish();
        }
        Self { routers }
    }
}

impl<P: Paths> Subject for PerMethod<P> {
    fn find(&mut self, method: &str, path: &str) -> Answer {
        let router = Method::from_name(method).and_then(|method| self.routers[method as usize].as_ref());
        match router.and_then(|router| router.at(path)) {
            Some((route, length)) => Answer::Route(route, length),
            None => Answer::NotFound,
        }
    }
}

/// Converts `/notes/:id/*rest` to the syntax of another router: `/notes/{id}/{*rest}`.
fn with_signs(path: &str, parameter: [&str; 2], wildcard: [&str; 2]) -> String {
    path.split('/')
        .map(|segment| {
            if let Some(name) = segment.strip_prefix(':') {
                parameter.join(name)
            } else if let Some(name) = segment.strip_prefix('*') {
                wildcard.join(name)
            } else {
                segment.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("/")
}

#[derive(Default)]
struct Matchit(matchit::Router<u32>);

impl Paths for Matchit {
    fn add(&mut self, path: &str, route: u32) {
        let path = with_signs(path, ["{", "}"], ["{*", "}"]);
        self.0.insert(path, route).expect("matchit takes the route");
    }

    fn at(&self, path: &str) -> Option<(u32, usize)> {
        let found = self.0.at(path).ok()?;
        Some((
            *found.value,
            found.params.iter().map(|(_, value)| value.len()).sum(),
        ))
    }
}

#[derive(Default)]
struct PathTree(path_tree::PathTree<u32>);

impl Paths for PathTree {
    fn add(&mut self, path: &str, route: u32) {
        // In this syntax, `:name+` also matches slashes.
        let _ = self.0.insert(&with_signs(path, [":", ""], [":", "+"]), route);
    }

    fn at(&self, path: &str) -> Option<(u32, usize)> {
        let (route, found) = self.0.find(path)?;
        Some((*route, found.raws.iter().map(|value| value.len()).sum()))
    }
}

struct Wayfind {
    builder: Option<wayfind::RouterBuilder<u32>>,
    router: Option<wayfind::Router<u32>>,
}

impl Default for Wayfind {
    fn default() -> Self {
        Self {
            builder: Some(wayfind::RouterBuilder::new()),
            router: None,
        }
    }
}

impl Paths for Wayfind {
    fn add(&mut self, path: &str, route: u32) {
        let builder = self.builder.as_mut().expect("it is not finished");
        builder
            .insert(&with_signs(path, ["<", ">"], ["<*", ">"]), route)
            .expect("wayfind takes the route");
    }

    fn finish(&mut self) {
        self.router = self.builder.take().map(wayfind::RouterBuilder::build);
    }

    fn at(&self, path: &str) -> Option<(u32, usize)> {
        let found = self.router.as_ref()?.search(path)?;
        let length = found.parameters().iter().map(|(_, value)| value.len()).sum();
        Some((*found.data(), length))
    }
}

/// matchit, with the methods of each path in a table and with decoded values, as the framework axum
/// uses it.
struct MatchitTable(matchit::Router<[Option<u32>; Method::ALL.len()]>);

impl MatchitTable {
    fn load(routes: &[String]) -> Self {
        let mut tables = BTreeMap::<&str, [Option<u32>; Method::ALL.len()]>::new();
        for (number, route) in (0..).zip(routes) {
            let (method, path) = split(route);
            let method = Method::from_name(method).expect("a method");
            tables.entry(path).or_default()[method as usize] = Some(number);
        }
        let mut router = matchit::Router::new();
        for (path, table) in tables {
            let path = with_signs(path, ["{", "}"], ["{*", "}"]);
            router.insert(path, table).expect("matchit takes the route");
        }
        Self(router)
    }
}

impl Subject for MatchitTable {
    fn find(&mut self, method: &str, path: &str) -> Answer {
        let Ok(found) = self.0.at(path) else {
            return Answer::NotFound;
        };
        let Some(route) = Method::from_name(method).and_then(|method| found.value[method as usize]) else {
            return Answer::NotAllowed;
        };
        let decoded = |value| {
            percent_decode_str(value)
                .decode_utf8()
                .map_or(0, |text| text.len())
        };
        Answer::Route(route, found.params.iter().map(|(_, value)| decoded(value)).sum())
    }

    fn knows_methods(&self) -> bool {
        true
    }

    fn decodes(&self) -> bool {
        true
    }
}
