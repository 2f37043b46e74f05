//! What the user owns: handlers and middleware, made once. The five operations on an entity work as they are made; what kit cannot know
//! answers 501 and says which file to write.

use std::fmt::Write as _;

use kit_ir::{DeclarationId, Method};

use crate::database::{Database, Stored};
use crate::print::{Expression, import};
use crate::router::{Group, Handled, Middleware, Routes};
use crate::types::{Field, Form, Types};
use crate::{File, names};

pub(crate) fn files(types: &Types<'_>, routes: &Routes<'_>, database: &Database<'_>) -> Vec<File> {
    let mut files: Vec<File> = routes
        .groups
        .iter()
        .map(|group| handlers(types, group, database))
        .collect();
    files.extend(routes.middleware.iter().map(middleware));
    files
}

/// What a file of handlers needs.
#[derive(Default)]
struct Uses {
    errors: bool,
    replies: bool,
    models: Vec<String>,
    modules: Vec<String>,
    rows: Vec<(String, String)>,
}

fn handlers(types: &Types<'_>, group: &Group<'_>, database: &Database<'_>) -> File {
    let mut uses = Uses::default();
    let mut body = format!("impl {} for App {{\n", group.name);
    for (number, handled) in group.routes.iter().enumerate() {
        if number > 0 {
            body.push('\n');
        }
        let work = work(types, handled, database, &mut uses);
        let (input, code) = if let Some(code) = work {
            ("input", code)
        } else {
            let file = format!("src/handlers/{}.rs", group.module.trim_start_matches("r#"));
            ("_input", not_written(&handled.route.reference(), &file))
        };
        if handled.is_open(types) {
            uses.replies = true;
        } else if let Some(id) = handled.route.slots.response {
            uses.models.push(types.name(id).to_owned());
        }
        let (function, given, answer) = (&handled.function, &handled.input, handled.answer(types));
        let flat = format!("    async fn {function}(&self, {input}: {given}) -> Result<{answer}, Error> {{");
        if flat.len() <= 100 {
            let _ = write!(body, "{flat}\n{code}    }}\n");
        } else {
            let head = format!("    async fn {function}(\n        &self,\n        {input}: {given},\n    )");
            let _ = write!(body, "{head} -> Result<{answer}, Error> {{\n{code}    }}\n");
        }
    }
    body.push_str("}\n");
    let mut text = format!(
        "//! The handlers of `{}`. This file is yours: kit made it once and leaves it alone.\n\n",
        group.name
    );
    if uses.replies {
        text.push_str("use kit_runtime::Reply;\n\n");
    }
    text.push_str("use crate::app::App;\n");
    for module in dedup(&uses.modules) {
        let rows: Vec<String> = uses
            .rows
            .iter()
            .filter(|(of, _)| *of == module)
            .map(|(_, name)| name.clone())
            .collect();
        if rows.is_empty() {
            let _ = writeln!(text, "use crate::db::{module};");
        } else {
            let mut items = dedup(&rows);
            items.push("self".to_owned());
            items.sort_by_key(|item| (item != "self", item.clone()));
            let _ = writeln!(text, "use crate::db::{module}::{{{}}};", items.join(", "));
        }
    }
    let mut error = vec!["Error".to_owned()];
    if uses.errors {
        error.push("AppError".to_owned());
    }
    text.push_str(&import("crate::error", &error));
    text.push_str(&import("crate::models", &uses.models));
    let mut router: Vec<String> = group.routes.iter().map(|handled| handled.input.clone()).collect();
    router.push(group.name.clone());
    text.push_str(&import("crate::router", &router));
    text.push('\n');
    text.push_str(&body);
    File::user(
        format!("src/handlers/{}.rs", group.module.trim_start_matches("r#")),
        text,
    )
}

fn dedup(list: &[String]) -> Vec<String> {
    let mut found = list.to_vec();
    found.sort();
    found.dedup();
    found
}

/// The code of a route that is one of the five operations on an entity.
fn work(
    types: &Types<'_>,
    handled: &Handled<'_>,
    database: &Database<'_>,
    uses: &mut Uses,
) -> Option<String> {
    let route = handled.route;
    let slots = &route.slots;
    let has_id = route.parameters.len() == 1;
    let of = |id: Option<DeclarationId>| {
        let name = types.name(id?);
        database.tables.iter().find(|stored| stored.entity() == name)
    };
    match (route.method, has_id) {
        (Method::Post, false) => {
            let stored = of(slots.response)?;
            let fields = types.structs.get(types.name_in(slots.body?, Form::Request))?;
            let mut values = String::new();
            for column in stored.inserted() {
                let name = &column.field.name;
                let found = fields
                    .iter()
                    .find(|field| field.property == column.field.property);
                let value = match found {
                    Some(field) => given(field, column.has_default(), &column.field)?,
                    None if column.has_default() => "None".to_owned(),
                    None => return None,
                };
                let _ = writeln!(values, "            {name}: {value},");
            }
            let new = format!("New{}", stored.entity());
            uses.modules.push(stored.module.clone());
            uses.rows.push((stored.module.clone(), new.clone()));
            Some(format!(
                "        let body = input.body;\n        let new = {new} {{\n{values}        }};\n        Ok({}::insert(&self.pool, &new).await?)\n",
                stored.module
            ))
        }
        (Method::Get, true) => {
            let stored = of(slots.response)?;
            let id = id_of(types, handled, stored)?;
            let missing = missing(handled, stored, uses);
            uses.modules.push(stored.module.clone());
            Some(format!(
                "        let found = {}::get(&self.pool, {id}).await?;\n        found.ok_or_else(|| {missing})\n",
                stored.module
            ))
        }
        (Method::Put | Method::Patch, true) => {
            let stored = of(slots.response).filter(|stored| stored.is_updated())?;
            let id = id_of(types, handled, stored)?;
            let fields = types.structs.get(types.name_in(slots.body?, Form::Request))?;
            let mut values = String::new();
            for column in stored.changed() {
                let found = fields
                    .iter()
                    .find(|field| field.property == column.field.property);
                let value = match found {
                    None => "None".to_owned(),
                    Some(field) => given(field, true, &column.field).filter(|_| !column.column.nullable)?,
                };
                let _ = writeln!(values, "            {}: {value},", column.field.name);
            }
            let changes = format!("{}Changes", stored.entity());
            let missing = missing(handled, stored, uses);
            uses.modules.push(stored.module.clone());
            uses.rows.push((stored.module.clone(), changes.clone()));
            Some(format!(
                "        let body = input.body;\n        let changes = {changes} {{\n{values}        }};\n        let found = {}::update(&self.pool, {id}, &changes).await?;\n        found.ok_or_else(|| {missing})\n",
                stored.module
            ))
        }
        (Method::Delete, true) if slots.response.is_none() => {
            let stored = collection(handled, database)?;
            let id = id_of(types, handled, stored)?;
            let missing = missing(handled, stored, uses);
            uses.modules.push(stored.module.clone());
            Some(format!(
                "        if {}::delete(&self.pool, {id}).await? {{\n            Ok(())\n        }} else {{\n            Err({missing})\n        }}\n",
                stored.module
            ))
        }
        (Method::Get, false) => list(types, handled, database, uses),
        _ => None,
    }
}

/// A page of rows: the query has `page` and `pageSize`, the answer has `data` and `pagination`.
fn list(
    types: &Types<'_>,
    handled: &Handled<'_>,
    database: &Database<'_>,
    uses: &mut Uses,
) -> Option<String> {
    let stored = collection(handled, database)?;
    let field = |of: &str, name: &str| {
        let fields = types.structs.get(of)?;
        fields.iter().find(|field| field.property == name).cloned()
    };
    let (query, answer) = (
        types.name_in(handled.route.slots.query?, Form::Request),
        types.name(handled.route.slots.response?),
    );
    let (page, size) = (field(query, "page")?, field(query, "pageSize")?);
    if [&page, &size]
        .iter()
        .any(|field| field.r#type != "i64" || !field.optional)
    {
        return None;
    }
    let data = field(answer, "data")?;
    let item = data.r#type.strip_prefix("Vec<")?.strip_suffix('>')?;
    let pagination = field(answer, "pagination")?.r#type;
    for name in ["total", "page", "pageSize", "totalPages"] {
        field(&pagination, name).filter(|field| field.r#type == "i64")?;
    }
    uses.models.push(pagination.clone());
    uses.modules.push(stored.module.clone());
    let (module, entity) = (&stored.module, stored.entity());
    let rows = if item == entity {
        "rows".to_owned()
    } else {
        let mut fields = String::new();
        for field in types.structs.get(item)? {
            stored.columns.iter().find(|column| {
                column.field.property == field.property && column.field.r#type == field.r#type
            })?;
            let _ = writeln!(fields, "                {0}: row.{0},", field.name);
        }
        uses.models.push(item.to_owned());
        format!(
            "rows\n            .into_iter()\n            .map(|row| {item} {{\n{fields}            }})\n            .collect()"
        )
    };
    let data = if rows == "rows" {
        "data: rows".to_owned()
    } else {
        "data".to_owned()
    };
    let convert = if rows == "rows" {
        String::new()
    } else {
        format!("        let data = {rows};\n")
    };
    Some(format!(
        "        let page = input.query.page.unwrap_or(1);\n        let page_size = input.query.page_size.unwrap_or(20);\n        let offset = (page - 1).saturating_mul(page_size);\n        let rows = {module}::list(&self.pool, page_size, offset).await?;\n        let total = {module}::count(&self.pool).await?;\n{convert}        Ok({answer} {{\n            {data},\n            pagination: {pagination} {{\n                total,\n                page,\n                page_size,\n                total_pages: total / page_size + i64::from(total % page_size > 0),\n            }},\n        }})\n"
    ))
}

/// The table whose name is the path's last segment that is no parameter.
fn collection<'d>(handled: &Handled<'_>, database: &'d Database<'_>) -> Option<&'d Stored<'d>> {
    let last = handled
        .route
        .path
        .split('/')
        .rfind(|segment| !segment.is_empty() && !segment.starts_with([':', '*']))?;
    database.tables.iter().find(|stored| stored.table.name == last)
}

/// The expression of the key.
fn id_of(types: &Types<'_>, handled: &Handled<'_>, stored: &Stored<'_>) -> Option<String> {
    let params = types
        .structs
        .get(types.name_in(handled.route.slots.params?, Form::Request))?;
    let [param] = params.as_slice() else { return None };
    let key = &stored.columns[stored.key?].field;
    match (param.r#type.as_str(), key.r#type.as_str()) {
        ("String", "String") | ("BigInt", "BigInt") => Some(format!("&input.params.{}", param.name)),
        ("i64", "i64") => Some(format!("input.params.{}", param.name)),
        _ => None,
    }
}

/// The error where there is no such row: the 404 that the contract names.
fn missing(handled: &Handled<'_>, stored: &Stored<'_>, uses: &mut Uses) -> String {
    let message = names::text(&format!("{} not found", stored.entity()));
    let throws = handled.route.throws.iter().find(|throws| throws.status == 404);
    match throws {
        Some(throws) => {
            uses.errors = true;
            format!(
                "AppError::{}.with({message})",
                names::variant(&throws.code.to_lowercase())
            )
        }
        None => format!("Error::not_found(\"NOT_FOUND\", {message})"),
    }
}

/// A field of a body as a value of a column.
fn given(field: &Field, optional: bool, column: &Field) -> Option<String> {
    if field.r#type != column.r#type {
        return None;
    }
    let value = format!("body.{}", field.name);
    match (field.optional, optional, field.r#type.starts_with("Option<")) {
        (false, false, false) | (true, true, false) | (false, true, true) => Some(value),
        (false, true, false) => Some(format!("Some({value})")),
        _ => None,
    }
}

fn middleware(middleware: &Middleware) -> File {
    let Middleware { name, module, r#type } = middleware;
    let file = module.trim_start_matches("r#");
    let code = not_written(name, &format!("src/middleware/{file}.rs"));
    let text = format!(
        "//! `{name}`. This file is yours: kit made it once and leaves it alone.\n\nuse kit_runtime::{{Error, Middleware, Request}};\n\nuse crate::app::App;\n\n/// What `{name}` adds to a request.\n#[derive(Debug, Clone)]\npub struct {type};\n\nimpl Middleware<App> for {type} {{\n    const NAME: &'static str = {};\n\n    /// Refuses every request until it says which may pass.\n    async fn run(_app: &App, _request: &Request) -> Result<Self, Error> {{\n{code}    }}\n}}\n",
        names::text(name)
    );
    File::user(format!("src/middleware/{file}.rs"), text)
}

/// Code that says what is missing.
fn not_written(what: &str, file: &str) -> String {
    let arguments = [what, file].map(|text| Expression::plain(names::text(text)));
    let error = Expression::call("Error::not_written", arguments.into());
    format!(
        "        {}\n",
        Expression::call("Err", vec![error]).print(8, 0, 0)
    )
}
