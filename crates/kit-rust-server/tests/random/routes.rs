//! Creates random contracts and an application with them: operations on each table, routes with types of every kind,
//! and middleware.

use std::fmt::Write as _;

use super::Random;
use super::entities::Entity;
use super::names::{CODES, Names};
use super::types::{self, Declared};

/// TypeScript of the contracts, and of the application that uses them.
pub struct Made {
    pub contracts: String,
    pub application: String,
}

/// A contract group that is being created.
struct Group {
    name: String,
    prefix: String,
    /// Routes of the group, each with its key (`GET /notes`, without the prefix of the group) and its contract.
    routes: Vec<(String, String)>,
    middleware: Vec<&'static str>,
}

/// Names of middleware. `requireUser` adds the value that `@owner` of rows refers to.
const MIDDLEWARE: &[&str] = &[
    "context",
    "error",
    "type",
    "input",
    "requireAuth",
    "log",
    "app",
    "self_",
    "router",
    "option",
];

pub fn make(random: &mut Random, names: &mut Names, entities: &[Entity], types: &[Declared]) -> Made {
    let mut known: Vec<String> = entities.iter().map(|entity| entity.name.clone()).collect();
    known.extend(types.iter().map(|declared| declared.name.clone()));
    let mut groups: Vec<Group> = entities
        .iter()
        .enumerate()
        .map(|(number, entity)| of_entity(random, number, entity))
        .collect();
    let of_pairs = pairs(entities).into_iter().take(2).enumerate();
    groups.extend(of_pairs.map(|(number, pair)| of_pair(number, pair)));
    for number in 0..=random.below(2) {
        groups.push(of_types(random, number, &known));
    }
    let suffixes = ["Routes", "Routes", "", "Contracts"];
    for group in &mut groups {
        if random.chance(50) {
            group.name = format!("{}{}", names.r#type(), random.pick(&suffixes));
        }
    }
    let contracts = groups.iter().map(|group| contract(random, group)).collect();
    Made {
        contracts,
        application: application(&groups),
    }
}

fn of_entity(random: &mut Random, number: usize, entity: &Entity) -> Group {
    let Entity { name, key, made, .. } = entity;
    let prefixes = ["things", "type", "self", "a-b", "Ab", "aB", "x_y", "crate"];
    let prefix = format!("/{}{number}", random.pick(&prefixes));
    let path: String = key.iter().map(|(name, _)| format!("/:{name}")).collect();
    let members: Vec<_> = key
        .iter()
        .map(|(property, r#type)| {
            // Use either the type of the entity's property with its rules, or its TypeScript type without rules.
            if random.chance(50) {
                format!("{property}: {name}[\"{property}\"]")
            } else {
                let tags = if *r#type == "number" {
                    "/** @integer */ "
                } else {
                    ""
                };
                format!("{tags}{property}: {type}")
            }
        })
        .collect();
    let params = format!("{{ {} }}", members.join("; "));
    let quoted = |names: &[String]| {
        names
            .iter()
            .map(|name| format!("\"{name}\""))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let left_out = if made.is_empty() {
        "never".to_owned()
    } else {
        quoted(made)
    };
    let keys: Vec<String> = key
        .iter()
        .map(|(name, _)| name.clone())
        .chain(made.iter().cloned())
        .collect();
    let body = format!("Omit<{name}, {left_out}>");
    let change = format!("Partial<Omit<{name}, {}>>", quoted(&keys));
    let mut routes = Vec::new();
    let mut add = |key: String, contract: String| routes.push((key, contract));
    add(
        "POST ".to_owned(),
        format!("RouteContract<void, void, {body}, {name}>"),
    );
    match random.below(3) {
        0 => add(
            "GET ".to_owned(),
            format!("RouteContract<void, void, void, {name}[]>"),
        ),
        1 => add(
            "GET ".to_owned(),
            format!("RouteContract<void, {}, void, {name}[]>", query(random, entity)),
        ),
        _ => {
            let query = query(random, entity);
            let paging = "{ /** @integer @minimum 1 */ page?: number; /** @integer @minimum 1 @maximum 100 */ pageSize?: number }";
            add(
                "GET ".to_owned(),
                format!(
                    "RouteContract<void, {query} & {paging}, void, {{ data: {name}[]; pagination: {{ total: number; page: number; pageSize: number; totalPages: number }} }}>"
                ),
            );
        }
    }
    add(
        format!("GET {path}"),
        format!("RouteContract<{params}, void, void, {name}>"),
    );
    let method = random.pick(&["PUT", "PATCH"]);
    // A change, or a change that inserts the row if it does not exist.
    if *method == *"PUT" && random.chance(30) {
        let whole = format!("Omit<{name}, {}>", quoted(&keys));
        let replies = format!("ReplyParts<200, {name}> | ReplyParts<201, {name}>");
        add(
            format!("PUT {path}"),
            format!("RouteParts<{{ params: {params}; body: {whole}; response: {replies} }}>"),
        );
    } else {
        add(
            format!("{method} {path}"),
            format!("RouteContract<{params}, void, {change}, {name}>"),
        );
    }
    add(
        format!("DELETE {path}"),
        format!("RouteContract<{params}, void, void, void>"),
    );
    let mut middleware = Vec::new();
    if entity.is_owned {
        middleware.push("requireUser");
    }
    if random.chance(30) {
        let count = 1 + random.below(2);
        middleware.extend(random.several(MIDDLEWARE, count));
    }
    Group {
        name: format!("{}Group{number}", if random.chance(50) { "Table" } else { "" }),
        prefix,
        routes,
        middleware,
    }
}

/// A table, a table that refers to it, and the referring property.
type Pair<'e> = (&'e Entity, &'e Entity, &'e str);

/// Returns the tables to which another table refers.
fn pairs(entities: &[Entity]) -> Vec<Pair<'_>> {
    let mut found = Vec::new();
    for parent in entities.iter().filter(|entity| entity.key.len() == 1) {
        for child in entities.iter().filter(|child| child.name != parent.name) {
            if let Some(property) = child.reference_to(parent) {
                found.push((parent, child, property));
            }
        }
    }
    found
}

/// Returns routes whose requests and responses contain rows of two tables.
fn of_pair(number: usize, (parent, child, property): Pair<'_>) -> Group {
    let left_out = |entity: &Entity, others: &[&str]| {
        let names = entity
            .made
            .iter()
            .map(String::as_str)
            .chain(others.iter().copied());
        let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
        let names = if names.is_empty() {
            "never".to_owned()
        } else {
            names.join(" | ")
        };
        format!("Omit<{}, {names}>", entity.name)
    };
    let (key, _) = &parent.key[0];
    let (one, other) = (&parent.name, &child.name);
    let view = format!("{one} & {{ rowsBelow: {other}[] }}");
    let body = format!(
        "{} & {{ rowsBelow: {}[] }}",
        left_out(parent, &[]),
        left_out(child, &[property])
    );
    let params = format!("{{ {key}: {one}[\"{key}\"] }}");
    let change = format!(
        "Partial<{}> & {{ rowsBelow: {}[] }}",
        left_out(parent, &[key]),
        left_out(child, &[property])
    );
    let (table, below) = (parent.table(), child.table());
    let routes = vec![
        (
            format!("POST /{table}"),
            format!("RouteParts<{{ body: {body}; response: ReplyParts<201, {view}> }}>"),
        ),
        (
            format!("GET /{table}"),
            format!("RouteContract<void, void, void, ({view})[]>"),
        ),
        (
            format!("GET /{table}/:{key}"),
            format!("RouteContract<{params}, void, void, {view}>"),
        ),
        (
            format!("PUT /{table}/:{key}"),
            format!("RouteParts<{{ params: {params}; body: {change}; response: {view} }}>"),
        ),
        (
            format!("GET /all/{below}"),
            format!("RouteContract<void, void, void, ({other} & {{ rowAbove: {one} | null }})[]>"),
        ),
        (
            format!("DELETE /{table}/:{key}"),
            format!("RouteParts<{{ params: {params}; response: ReplyParts<204, void> }}>"),
        ),
    ];
    let is_owned = parent.is_owned || child.is_owned;
    Group {
        name: format!("Pair{number}"),
        prefix: format!("/pair{number}"),
        routes,
        middleware: if is_owned { vec!["requireUser"] } else { Vec::new() },
    }
}

/// Returns the type of the query for a list.
fn query(random: &mut Random, entity: &Entity) -> String {
    let mut members = Vec::new();
    for (name, r#type) in &entity.filters {
        // A list with pages already has these properties in its query.
        if !matches!(name.as_str(), "page" | "pageSize") && random.chance(60) {
            let mark = if random.chance(80) { "?" } else { "" };
            members.push(format!("{name}{mark}: {type}"));
        }
    }
    if members.is_empty() {
        members.push("unheard?: string".to_owned());
    }
    format!("{{ {} }}", members.join("; "))
}

/// Returns routes that accept and return types of every kind.
fn of_types(random: &mut Random, number: usize, known: &[String]) -> Group {
    let paths = [
        "/type",
        "/self/:self",
        "/a-b/:a_b",
        "/:id",
        "/:id/x",
        "/x/*rest",
        "/crate/:type/:fn",
        "/Ab",
        "/aB",
        "/ab",
        "/a.b",
        "/router",
        "/v1/a%20b",
        "/ä",
        "/~x",
        "/get",
        "/1/2",
    ];
    let queries = [
        "void",
        "void",
        "{ type?: string; self: boolean }",
        "{ tags?: string[]; since?: Date; big?: bigint }",
        "{ \"user-name\"?: (\"a\" | \"b\"); /** @integer */ n?: number; code?: `c-${number}` }",
    ];
    let count = 3 + random.below(8);
    let chosen = random.several(&paths, count);
    let mut routes = Vec::new();
    for path in chosen {
        let names: Vec<&str> = path
            .split('/')
            .filter_map(|part| part.strip_prefix([':', '*']))
            .collect();
        let kinds = ["string", "bigint", "boolean", "Date", "(\"a\" | \"b\")"];
        let is_rest = path.contains('*');
        let params: Vec<_> = names
            .iter()
            .map(|name| format!("{name}: {}", if is_rest { "string" } else { random.pick(&kinds) }))
            .collect();
        let params = if params.is_empty() {
            "void".to_owned()
        } else {
            format!("{{ {} }}", params.join("; "))
        };
        let method = random.pick(&["GET", "POST", "PUT", "PATCH", "DELETE"]);
        let query = random.pick(&queries);
        if random.chance(10) {
            let (received, sent) = (types::anonymous(random, known), types::anonymous(random, known));
            let protocols = random.pick(&["", "; protocols: \"v1\" | \"v2.x\"", "; protocols?: \"self\""]);
            routes.push((
                format!("WS {path}"),
                format!(
                    "RouteParts<{{ params: {params}; query: {query}; socket: SocketParts<{{ in: {received}; out: {sent}{protocols} }}> }}>"
                ),
            ));
            continue;
        }
        let body = if matches!(method, "GET" | "DELETE") {
            "void".to_owned()
        } else if random.chance(30) {
            request_format(random, known)
        } else {
            types::anonymous(random, known)
        };
        let answer = match random.below(7) {
            0 => "void".to_owned(),
            1 => "unknown".to_owned(),
            2 => response_format(random, known),
            _ => types::anonymous(random, known),
        };
        routes.push((
            format!("{method} {path}"),
            format!("RouteContract<{params}, {query}, {body}, {answer}>"),
        ));
    }
    let mut middleware = Vec::new();
    if random.chance(50) {
        middleware = random.several(MIDDLEWARE, 2);
    }
    Group {
        name: format!("Echo{number}"),
        prefix: format!("/echo{number}"),
        routes,
        middleware,
    }
}

/// Returns the type of a request body that is not JSON, or a union of formats.
fn request_format(random: &mut Random, known: &[String]) -> String {
    let value = types::anonymous(random, known);
    match random.below(9) {
        0 => "FormFormat<{ title: string; /** @integer */ n?: number; tags?: string[]; since?: Date }>"
            .to_owned(),
        1 => "MultipartFormat<{ type: string; photo: File; more?: File[] }>".to_owned(),
        2 => "MultipartFormat<{ /** @maxBytes 1 MiB */ self?: File; tags: string[]; video: UploadedFile }>"
            .to_owned(),
        3 => "RawFormat<\"application/json\">".to_owned(),
        4 => "TextFormat<\"text/csv\" | \"text/plain\">".to_owned(),
        5 => "BytesFormat<\"image/*\">".to_owned(),
        6 => format!("LinesFormat<{value}>"),
        7 => format!("JsonFormat<{value}> | TextFormat<\"text/csv\">"),
        _ => format!("FormFormat<{{ title: string }}> | JsonFormat<{value}> | BytesFormat<\"image/png\">"),
    }
}

/// Returns the type of a response body that is not JSON, or a union of formats.
fn response_format(random: &mut Random, known: &[String]) -> String {
    let value = types::anonymous(random, known);
    match random.below(6) {
        0 => "TextFormat<\"text/csv\">".to_owned(),
        1 => "BytesFormat<\"image/png\">".to_owned(),
        2 => format!("LinesFormat<{value}>"),
        3 => format!("EventsFormat<{{ type: {value}; done: void }}>"),
        4 => format!("JsonFormat<{value}> | TextFormat<\"text/csv\">"),
        _ => format!("JsonFormat<{value}> | LinesFormat<{value}> | EventsFormat<{{ self: {value} }}>"),
    }
}

fn contract(random: &mut Random, group: &Group) -> String {
    let mut text = String::from("/** What is asked. */\n");
    let _ = writeln!(text, "export interface {} {{", group.name);
    for (key, contract) in &group.routes {
        let (method, path) = key.split_once(' ').unwrap_or((key, ""));
        let mut lines = vec![
            "Says what it does,\n   * on two lines.".to_owned(),
            "@summary In short".to_owned(),
        ];
        for code in random.several(CODES, 2) {
            let status = random.pick(&["400", "404", "409", "418", "499"]);
            lines.push(format!("@throws {code} {status} What `{code}` means."));
        }
        let lines: String = lines.iter().map(|line| format!("   * {line}\n")).collect();
        let _ = writeln!(
            text,
            "  /**\n{lines}   */\n  \"{method} {}{path}\": {contract};",
            group.prefix
        );
    }
    text.push_str("}\n\n");
    text
}

fn application(groups: &[Group]) -> String {
    let mut text = String::from(
        "import { createApp, defineHandlers, defineMiddleware } from \"@kit/core\";\nimport { nativeServer } from \"@kit/server-native\";\n",
    );
    let names: Vec<_> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| format!("{} as G{number}", group.name))
        .collect();
    let _ = writeln!(
        text,
        "import type {{ {} }} from \"./all.routes.ts\";\n",
        names.join(", ")
    );
    text.push_str("const notHere = (): never => {\n  throw new Error(\"only types matter here\");\n};\n");
    text.push_str("const requireUserRun = defineMiddleware<{ user: { id: string } }>(() => ({ user: { id: \"1\" } }));\n");
    text.push_str("const otherRun = defineMiddleware(() => ({}));\n");
    for (number, group) in groups.iter().enumerate() {
        let handlers: String = group
            .routes
            .iter()
            .map(|(key, _)| {
                let (method, path) = key.split_once(' ').unwrap_or((key, ""));
                format!("  \"{method} {}{path}\": notHere,\n", group.prefix)
            })
            .collect();
        let _ = writeln!(
            text,
            "export const handlers{number} = defineHandlers<G{number}>({{\n{handlers}}});"
        );
    }
    let routes: String = groups
        .iter()
        .enumerate()
        .map(|(number, group)| {
            let middleware: Vec<_> = group
                .middleware
                .iter()
                .map(|name| {
                    let run = if *name == "requireUser" {
                        "requireUserRun"
                    } else {
                        "otherRun"
                    };
                    format!("{{ name: \"{name}\", middleware: {run}, priority: 10 }}")
                })
                .collect();
            format!(
                "    {{ prefix: \"{}\", handlers: handlers{number}, middleware: [{}] }},\n",
                group.prefix,
                middleware.join(", ")
            )
        })
        .collect();
    let _ = write!(
        text,
        "export const app = createApp({{\n  server: nativeServer(),\n  routes: [\n{routes}  ],\n}});\n"
    );
    text
}
