//! Creates random requests for the routes of a project: valid ones, some with keys of rows that exist, and ones with wrong or
//! unusual values.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use kit_analysis::example;
use kit_ir::{DeclarationId, Method, Program, Property, Route, TypeId, TypeKind};
use serde_json::{Map, Value, json};

use super::Random;

/// Texts that a database, a parser or a key may refuse, each as JSON.
const UNUSUAL: &[&str] = &[
    "null",
    "true",
    "[]",
    "{}",
    "[null]",
    "0",
    "-1",
    "1.5",
    "2147483648",
    "9007199254740993",
    "1e308",
    "1e400",
    "\"\"",
    "\"a\"",
    "\"0\"",
    "\"9223372036854775808\"",
    "\"-9223372036854775809\"",
    "\"99999999999999999999999999\"",
    "\"00000000-0000-4000-8000-000000000000\"",
    "\"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\"",
    "\"{00000000-0000-4000-8000-000000000000}\"",
    "\"1.005\"",
    "\"NaN\"",
    "\"+275760-09-13T00:00:00.000Z\"",
    "\"0000-01-01T00:00:00Z\"",
    "\"-000001-01-01T00:00:00Z\"",
    "\"-271821-04-20T00:00:00.000Z\"",
    "\"9999-12-31T23:59:59.999Z\"",
    "\"2026-02-30\"",
    "\"0000-01-01\"",
    "\"infinity\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"é\\u202e💥\"",
    "\"' OR 1=1 --\"",
];

/// A random request.
pub struct RandomRequest {
    pub method: Method,
    pub path: String,
    pub body: Option<String>,
}

/// Source of random requests for a project.
pub struct Requests<'p> {
    program: &'p Program,
    routes: Vec<&'p Route>,
    random: Random,
    /// Values in responses, by the name of their property. Requests with such values reach rows that exist.
    known: BTreeMap<String, Vec<Value>>,
}

impl<'p> Requests<'p> {
    pub fn new(program: &'p Program, random: Random) -> Self {
        Self {
            program,
            routes: program.routes.iter().filter(|route| !route.is_socket()).collect(),
            random,
            known: BTreeMap::new(),
        }
    }

    pub fn number_of_routes(&self) -> usize {
        self.routes.len()
    }

    /// Remembers the values of a response.
    pub fn learn(&mut self, answer: &Value) {
        match answer {
            Value::Array(items) => items.iter().take(3).for_each(|item| self.learn(item)),
            Value::Object(members) => {
                for (name, value) in members {
                    if value.is_string() || value.is_number() {
                        let known = self.known.entry(name.clone()).or_default();
                        if known.len() >= 20 {
                            known.remove(0);
                        }
                        known.push(value.clone());
                    } else {
                        self.learn(value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns a valid request for a route.
    pub fn valid(&mut self, number: usize) -> RandomRequest {
        self.request(self.routes[number], 0)
    }

    /// Returns a request for a random route, whose values are unusual with a random probability.
    pub fn any(&mut self) -> RandomRequest {
        let route = self.routes[self.random.below(self.routes.len())];
        let percent = [0, 0, 10, 40][self.random.below(4)];
        self.request(route, percent)
    }

    fn request(&mut self, route: &'p Route, unusual: usize) -> RandomRequest {
        let mut path = String::new();
        for segment in route.path.to_string().split('/').skip(1) {
            path.push('/');
            match segment.strip_prefix([':', '*']) {
                Some(name) => {
                    let property = route.slots.params.and_then(|id| self.property(id, name));
                    let value = self.value(property, unusual);
                    path.push_str(&escaped(&text_of(&value)));
                }
                None => path.push_str(&ascii(segment)),
            }
        }
        if let Some(query) = route.slots.query {
            let mut separator = '?';
            for property in self.properties(query) {
                if property.optional && self.random.chance(40) {
                    continue;
                }
                let values = match self.value(Some(property), unusual) {
                    Value::Array(items) => items,
                    value => vec![value],
                };
                for value in values {
                    let (name, text) = (escaped(&property.name), escaped(&text_of(&value)));
                    let _ = write!(path, "{separator}{name}={text}");
                    separator = '&';
                }
            }
        }
        let body = route.slots.body.map(|id| self.body(id, unusual));
        RandomRequest {
            method: route.method,
            path,
            body,
        }
    }

    fn properties(&self, id: DeclarationId) -> &'p [Property] {
        let r#type = self.program.declarations[id].r#type;
        self.program
            .properties(kit_analysis::resolve(self.program, r#type))
    }

    fn property(&self, id: DeclarationId, name: &str) -> Option<&'p Property> {
        self.properties(id).iter().find(|property| property.name == name)
    }

    fn body(&mut self, id: DeclarationId, unusual: usize) -> String {
        if self.random.chance(unusual / 4) {
            return self.random.pick(UNUSUAL).to_owned();
        }
        let value = self.of_type(self.program.declarations[id].r#type);
        // Numbers such as `1e400` and lone surrogates are no values of `serde_json`, so the texts are inserted into the JSON.
        let mut inserted = Vec::new();
        let value = self.varied(value, unusual, &mut inserted);
        let mut text = value.to_string();
        for (number, json) in inserted.iter().enumerate() {
            text = text.replacen(&format!("\"kit-unusual-{number}\""), json, 1);
        }
        text
    }

    /// Replaces some scalars by unusual values.
    fn varied(&mut self, value: Value, unusual: usize, inserted: &mut Vec<&'static str>) -> Value {
        match value {
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.varied(item, unusual, inserted))
                .collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (name, self.varied(value, unusual, inserted)))
                .collect(),
            _ if self.random.chance(unusual) => {
                inserted.push(UNUSUAL[self.random.below(UNUSUAL.len())]);
                json!(format!("kit-unusual-{}", inserted.len() - 1))
            }
            value => value,
        }
    }

    /// Returns a value of a property: a known one of the property to which it refers or of its name, or an example.
    fn value(&mut self, property: Option<&'p Property>, unusual: usize) -> Value {
        if self.random.chance(unusual) {
            let text = UNUSUAL[self.random.below(UNUSUAL.len())];
            return serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        }
        let Some(property) = property else {
            return json!("a");
        };
        self.known_value(property)
            .unwrap_or_else(|| self.of_type(property.r#type))
    }

    fn known_value(&mut self, property: &Property) -> Option<Value> {
        let target = property
            .tags
            .references
            .as_ref()
            .map(|target| target.property.as_str());
        let known = self.known.get(target.unwrap_or(&property.name))?;
        let place = self.random.below(known.len() * 4 / 3);
        known.get(place).cloned()
    }

    /// Returns a valid value of a type. References have values of rows that exist, if possible.
    fn of_type(&mut self, id: TypeId) -> Value {
        let full = self.random.chance(50);
        let value = example(self.program, &[id], full).unwrap_or(Value::Null);
        let resolved = kit_analysis::resolve(self.program, id);
        let Value::Object(mut members) = value else {
            return value;
        };
        self.fill(resolved, &mut members);
        Value::Object(members)
    }

    fn fill(&mut self, id: TypeId, members: &mut Map<String, Value>) {
        for property in self.program.properties(id) {
            let Some(own) = members.get_mut(&property.name) else {
                continue;
            };
            if property.tags.references.is_some() {
                let known = self.known_value(property);
                if let Some(known) = known {
                    *own = known;
                }
            } else if matches!(self.kind(property.r#type), TypeKind::String)
                && property.tags.id
                && self.random.chance(70)
            {
                // Another key than that of the row that exists, if the rules accept it.
                let text = format!("k{}", self.random.below(1_000));
                if self.program.types[property.r#type].constraints == kit_ir::Constraints::default() {
                    *own = json!(text);
                }
            }
        }
    }

    fn kind(&self, id: TypeId) -> &'p TypeKind {
        &self.program.types[kit_analysis::resolve(self.program, id)].kind
    }
}

/// Returns a value as the text of a path or a query.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Escapes the characters of a path that no URL can contain.
fn ascii(segment: &str) -> String {
    let mut escaped = String::new();
    for byte in segment.bytes() {
        if byte.is_ascii() {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

/// Escapes a text for a path or a query.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    if escaped.is_empty() {
        "%20".to_owned()
    } else {
        escaped
    }
}
