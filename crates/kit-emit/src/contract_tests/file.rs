//! Emits the file of a contract group with one table of requests per route.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{BodyFormat, DeclarationId, Method, Program, Route, Slot, TypeId, TypeKind};
use kit_router::{Match, ParamBuffer};
use serde_json::{Map, Value};

use super::rule::path;
use super::rules::{Outcome, RequestValue, Rule, Rules, Step, ValueOrigin};
use super::sent_headers::is_sent_in_a_header;
use super::test_file::{from, texts};
use super::unique::unique_strings;
use super::{auth, bodies, lists};
use crate::combined;
use crate::context::Context;
use crate::options::ContractTests;
use crate::samples::{SampleOptions, Samples};
use crate::text::{Writer, literal, unchecked_header};

/// Maximum number of tested rules per slot.
const MAX_RULES: usize = 500;

/// Maximum length of a string of equal characters. A longer string is printed as a call such as
/// `characters(5000)`.
const MAX_STRING: usize = 40;

/// Maximum length of a list of equal items. A longer list is printed as a call such as `items(1000, "a")`.
const MAX_LIST: usize = 4;

/// Emits the tables of requests of a group, as JavaScript: TypeScript would need time and memory for each request.
pub(super) fn write(context: Context<'_>, tests: &ContractTests, group: &str, routes: &[&Route]) -> String {
    let mut file = File {
        context,
        helpers: BTreeSet::new(),
        shapes: BTreeMap::new(),
        tested_paths: BTreeSet::new(),
    };
    let mut tables = Writer::default();
    for route in routes {
        for variant in bodies::variants(route) {
            file.route(tests, &variant, &mut tables);
        }
    }
    let tables = tables.inner();
    let mut text = unchecked_header(&from(context, group, routes));
    text.push('\n');
    let mut body = Writer::default();
    if !file.helpers.is_empty() {
        let helpers: Vec<_> = file.helpers.iter().copied().collect();
        body.line(format_args!(
            "import {{ {} }} from \"@kit/testing\";",
            helpers.join(", ")
        ));
    }
    body.line(combined::print_imports(&file.shapes).trim_end());
    body.blank();
    body.block("export default [", "];", |body| body.line(tables));
    text.push_str(&body.finish());
    text
}

struct File<'a> {
    context: Context<'a>,
    helpers: BTreeSet<&'static str>,
    /// Names of the response shapes, each with the module that exports it.
    shapes: BTreeMap<String, String>,
    /// Paths for which a test of a method without a route was already written.
    tested_paths: BTreeSet<String>,
}

impl File<'_> {
    fn route(&mut self, tests: &ContractTests, variant: &bodies::Variant, writer: &mut Writer) {
        let route = &variant.route;
        let reference = route.reference();
        let own = tests.of(route);
        let skip = own.and_then(|own| own.skip.as_ref());
        if skip.is_some() && !variant.is_first {
            return;
        }
        let slots = self.slots(route);
        let responses = route.responses();
        let replies: Vec<_> = responses
            .iter()
            .map(|reply| {
                let mut fields = vec![
                    ("status".to_owned(), reply.status.to_string()),
                    (
                        "body".to_owned(),
                        self.shape_or_null(reply.body.filter(|_| reply.format.is_json())),
                    ),
                ];
                let content = bodies::content(&reply.format, reply.body, |id| self.shape(id));
                fields.extend(content.map(|content| ("content".to_owned(), content)));
                if reply.headers.is_some() {
                    fields.push(("headers".to_owned(), self.shape_or_null(reply.headers)));
                }
                literal::object(fields)
            })
            .collect();
        let errors = route
            .throws
            .iter()
            .map(|throws| format!("{} {}", throws.status, throws.code));
        writer.block("{", "},", |writer| {
            writer.line(format_args!("route: {},", literal::string(&reference)));
            if let Some(reason) = skip {
                writer.line(format_args!("skip: {},", literal::string(reason)));
                return;
            }
            if let Some(headers) = own.map(|own| &own.headers).filter(|headers| !headers.is_empty()) {
                writer.line(format_args!("headers: {},", texts(headers)));
            }
            if !variant.all.is_empty() {
                let types = route.body_format.media_types();
                let bodies = [
                    ("type".to_owned(), literal::string(types[0])),
                    ("all".to_owned(), literal::strings(&variant.all)),
                ];
                writer.line(format_args!("choice: {},", literal::object(bodies)));
            }
            writer.line(format_args!("replies: {},", literal::list("[", replies, "]")));
            writer.line(format_args!("errors: {},", literal::strings(errors)));
            let details: Vec<_> = route
                .throws
                .iter()
                .filter_map(|error| {
                    let name = format!("{} {}", error.status, error.code);
                    Some((literal::string(&name), self.shape(error.details?)))
                })
                .collect();
            if !details.is_empty() {
                writer.line(format_args!("details: {},", literal::object(details)));
            }
            if let Some(list) = lists::literal_of(self.context.program, route) {
                writer.line(format_args!("list: {list},"));
            }
            if let Some(auth) = auth::literal_of(route) {
                writer.line(format_args!("auth: {auth},"));
            }
            if let Some((method, allow)) = self.wrong_method(route, &slots) {
                writer.line(format_args!(
                    "wrongMethod: {{ method: {}, allow: {} }},",
                    literal::string(method),
                    literal::string(&allow)
                ));
            }
            if let Some(missing) = slots.iter().find(|slot| slot.sample.is_none()) {
                let name = missing.slot.name();
                writer.line(format_args!(
                    "untested: {},",
                    literal::string(&format!(
                        "kit cannot generate a valid {name}; add @example to the declaration of the type"
                    ))
                ));
                return;
            }
            if let Some(sent) = route.slots.response.filter(|_| route.is_socket()) {
                writer.line(bodies::socket(route, self.shape(sent)));
            } else if let Some(format) = bodies::format(self.context.program, route) {
                writer.line(format_args!("format: {format},"));
            }
            self.request(route, &slots, own.map(|own| &own.params), writer);
            self.tables(route, &slots, writer);
        });
    }

    /// Writes a valid request for a route.
    fn request(
        &mut self,
        route: &Route,
        slots: &[SlotSample],
        params: Option<&BTreeMap<String, String>>,
        writer: &mut Writer,
    ) {
        let mut unique = Vec::new();
        writer.block("request: {", "},", |writer| {
            for slot in slots {
                let Some(mut value) = slot.sample.clone() else {
                    continue;
                };
                if slot.slot == Slot::Params
                    && let (Some(params), Value::Object(entries)) = (params, &mut value)
                {
                    for (name, text) in params.iter().filter(|(name, _)| route.parameters.contains(name)) {
                        entries.insert(name.clone(), Value::from(text.as_str()));
                    }
                }
                if slot.slot == Slot::Body {
                    value = bodies::value(&route.body_format, value);
                }
                let text = self.value(&value);
                writer.line(format_args!("{}: {text},", slot.slot.name()));
                if slot.slot == Slot::Body && route.body_format != BodyFormat::Lines {
                    unique = unique_strings(self.context.program, slot.id, &value);
                }
            }
        });
        let mut closed = Vec::new();
        // Params have no undeclared names, every request has undeclared headers and cookies, and only the runtime decodes a
        // body that is not JSON.
        for slot in slots.iter().filter(|slot| {
            slot.slot == Slot::Query || (slot.slot == Slot::Body && route.body_format.is_json())
        }) {
            let Some(sample) = &slot.sample else { continue };
            let r#type = self.context.program.declarations[slot.id].r#type;
            let mut paths = Vec::new();
            closed_objects(self.context.program, r#type, sample, &mut Vec::new(), &mut paths);
            closed.extend(
                paths
                    .into_iter()
                    .map(|path| literal::strings([slot.slot.name(), path.as_str()])),
            );
        }
        if !closed.is_empty() {
            writer.line(format_args!("closed: {},", literal::list("[", closed, "]")));
        }
        if !unique.is_empty() {
            let unique = unique
                .iter()
                .map(|(name, text)| (literal::key(name), literal::string(text)));
            writer.line(format_args!("fresh: {},", literal::object(unique)));
        }
    }

    fn tables(&mut self, route: &Route, slots: &[SlotSample], writer: &mut Writer) {
        let mut rules = Vec::new();
        let mut left_out = 0;
        for slot in slots {
            let Some(sample) = &slot.sample else { continue };
            let r#type = self.context.program.declarations[slot.id].r#type;
            let mut found = if slot.slot == Slot::Body {
                bodies::rules(self.context.program, &route.body_format, slot.id, sample)
            } else {
                Rules::new(self.context.program, slot.source()).of_slot(r#type, sample)
            };
            if slot.slot == Slot::Headers {
                found.retain(is_sent_in_a_header);
            }
            left_out += found.len().saturating_sub(MAX_RULES);
            found.truncate(MAX_RULES);
            rules.extend(found.into_iter().map(|rule| (slot.slot, rule)));
        }
        let (refused, accepted): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|(_, rule)| rule.is_refusal());
        for (name, rows) in [("accepts", accepted), ("refuses", refused)] {
            if rows.is_empty() {
                writer.line(format_args!("{name}: [],"));
                continue;
            }
            writer.block(format_args!("{name}: ["), "],", |writer| {
                for (slot, rule) in &rows {
                    let row = self.row(*slot, rule);
                    writer.line(row);
                }
            });
        }
        if left_out > 0 {
            writer.line(format_args!("leftOut: {left_out},"));
        }
    }

    fn row(&mut self, slot: Slot, rule: &Rule) -> String {
        let mut cells = vec![
            literal::string(slot.name()),
            literal::string(&path(&rule.path)),
            literal::string(&rule.description),
            self.request_value(&rule.given),
        ];
        match &rule.outcome {
            Outcome::Accepted { fills: Some(value) } => cells.push(self.value(value)),
            Outcome::Refused { may_be_below: true } => cells.push("\"within\"".to_owned()),
            Outcome::Accepted { fills: None } | Outcome::Refused { may_be_below: false } => {}
        }
        format!("{},", literal::list("[", cells, "]"))
    }

    fn request_value(&mut self, given: &RequestValue) -> String {
        match given {
            RequestValue::Missing => {
                self.helpers.insert("missing");
                "missing".to_owned()
            }
            RequestValue::Value(value) => self.value(value),
            RequestValue::Nested {
                sample,
                steps,
                levels,
            } => {
                self.helpers.insert("nested");
                let steps = steps.iter().map(|step| match step {
                    Step::Key(key) => literal::string(key),
                    Step::Index(index) => index.to_string(),
                });
                let steps = literal::list("[", steps, "]");
                format!("nested({levels}, {steps}, {})", self.value(sample))
            }
        }
    }

    /// Prints a value. Long strings and lists become calls with their length.
    fn value(&mut self, value: &Value) -> String {
        match value {
            Value::String(text) => {
                let mut characters = text.chars();
                let first = characters.next();
                let length = text.chars().count();
                match first {
                    Some(first) if length > MAX_STRING && characters.all(|other| other == first) => {
                        self.helpers.insert("characters");
                        match first {
                            'a' => format!("characters({length})"),
                            _ => format!("characters({length}, {})", literal::string(&first.to_string())),
                        }
                    }
                    _ => literal::string(text),
                }
            }
            Value::Array(items) => match items.first() {
                Some(first) if items.len() > MAX_LIST && items.iter().all(|item| item == first) => {
                    self.helpers.insert("items");
                    format!("items({}, {})", items.len(), self.value(first))
                }
                _ => {
                    let items: Vec<_> = items.iter().map(|item| self.value(item)).collect();
                    literal::list("[", items, "]")
                }
            },
            Value::Object(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(name, value)| (literal::key(name), self.value(value)))
                    .collect();
                literal::object(entries)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => literal::json(value),
        }
    }

    fn slots(&self, route: &Route) -> Vec<SlotSample> {
        Slot::INPUTS
            .into_iter()
            .filter_map(|slot| {
                let id = route.slots.get(slot)?;
                let mut sample = sample(self.context.program, id, slot);
                if route.is_list
                    && slot == Slot::Query
                    && let Some(Value::Object(query)) = &mut sample
                {
                    // Only the application can make a cursor that belongs to its list.
                    query.remove("cursor");
                }
                Some(SlotSample { slot, id, sample })
            })
            .collect()
    }

    fn shape_or_null(&mut self, id: Option<DeclarationId>) -> String {
        id.map_or("null".to_owned(), |id| self.shape(id))
    }

    fn shape(&mut self, id: DeclarationId) -> String {
        let name = &self.context.program.declarations[id].name;
        let shape = format!("{name}Shape");
        let module = combined::path_of_shape(self.context, name);
        self.shapes.insert(shape.clone(), module);
        shape
    }

    /// Returns a method that no route has at this path, and the methods that routes have. Returns `None` if
    /// the path already has a test of a wrong method, or if routes have every method.
    fn wrong_method(&mut self, route: &Route, slots: &[SlotSample]) -> Option<(&'static str, String)> {
        if !self.tested_paths.insert(route.path.to_string()) {
            return None;
        }
        let empty = Value::Object(Map::new());
        let params = slots
            .iter()
            .find(|slot| slot.slot == Slot::Params)
            .and_then(|slot| slot.sample.as_ref())
            .unwrap_or(&empty);
        // A parameter gets its valid value, or `1` if the value would need escapes in a path.
        let path = route.path.with_parameters(|name| match params.get(name) {
            Some(Value::String(text)) if !text.contains(['/', '%', '?', '#']) => text.clone(),
            _ => "1".to_owned(),
        });
        let router = self.context.tree.router();
        // HEAD matches GET routes, and OPTIONS matches CORS preflight requests.
        let methods = [
            Method::Patch,
            Method::Delete,
            Method::Put,
            Method::Post,
            Method::Get,
        ];
        methods.into_iter().find_map(|method| {
            match router.find(method.name(), &path, &mut ParamBuffer::new()) {
                Match::MethodNotAllowed(allow) => Some((method.name(), allow.to_string())),
                _ => None,
            }
        })
    }
}

/// Slot of a request with a valid value.
struct SlotSample {
    slot: Slot,
    id: DeclarationId,
    sample: Option<Value>,
}

impl SlotSample {
    fn source(&self) -> ValueOrigin {
        match self.slot {
            Slot::Params => ValueOrigin::Params,
            Slot::Query => ValueOrigin::Query,
            Slot::Headers => ValueOrigin::Headers,
            Slot::Cookies => ValueOrigin::Cookies,
            Slot::Body | Slot::Response => ValueOrigin::Body,
        }
    }
}

fn sample(program: &Program, id: DeclarationId, slot: Slot) -> Option<Value> {
    let declaration = &program.declarations[id];
    let wanted = SampleOptions::named(slot.name()).inside(id);
    let value = Samples { program }.sample(declaration.r#type, &wanted)?;
    // A segment of a path cannot be empty.
    let empty = |value: &Value| value.as_str() == Some("");
    let unusable = slot == Slot::Params
        && value
            .as_object()
            .is_some_and(|entries| entries.values().any(empty));
    (!unusable).then_some(value)
}

/// Adds the paths of all objects in a value that refuse undeclared properties to `found`.
fn closed_objects(
    program: &Program,
    id: TypeId,
    value: &Value,
    steps: &mut Vec<Step>,
    found: &mut Vec<String>,
) {
    match (&program.resolve(id).kind, value) {
        (TypeKind::Object(object), Value::Object(entries)) => {
            if object.index.is_empty() {
                found.push(path(steps));
            }
            for property in &object.properties {
                let Some(value) = entries.get(&property.name) else {
                    continue;
                };
                steps.push(Step::Key(property.name.clone()));
                closed_objects(program, property.r#type, value, steps, found);
                steps.pop();
            }
        }
        (TypeKind::Array { element }, Value::Array(items)) => {
            if let Some(first) = items.first() {
                steps.push(Step::Index(0));
                closed_objects(program, *element, first, steps, found);
                steps.pop();
            }
        }
        _ => {}
    }
}
