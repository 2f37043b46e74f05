//! Values of valid requests that contracts cannot specify.

use std::pin::Pin;

use serde::Serialize;
use serde_json::{Map, Value};

use super::client::{Headers, TestClient};
use super::document::Table;
use super::values::{Slot, text_of};
use crate::Error;

/// Function that makes the fixture of a route for a request.
pub(super) type MakeFixture =
    Box<dyn Fn(TestClient) -> Pin<Box<dyn Future<Output = Result<Fixture, Error>>>>>;

/// Values of a valid request that the contract cannot specify, such as the id of an existing row. They replace generated values.
///
/// ```
/// use kit_runtime::testing::Fixture;
/// use kit_runtime::value;
///
/// let fixture = Fixture::new()
///     .param("id", 7)
///     .query("page", 2)
///     .header("x-tenant", "acme")
///     .cookie("theme", "dark")
///     .body(&value!({ "title": "Milk" }));
/// # let _ = fixture;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Fixture {
    pub(super) headers: Headers,
    cookies: Vec<(String, String)>,
    params: Map<String, Value>,
    query: Map<String, Value>,
    body: Option<Value>,
}

impl Fixture {
    /// Creates a fixture without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a path parameter, without percent-escapes. A JSON string stands for its content.
    #[must_use]
    pub fn param(mut self, name: &str, value: impl Serialize) -> Self {
        self.params
            .insert(name.to_owned(), text_of(&json_of(value)).into());
        self
    }

    /// Sets a property of the query.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl Serialize) -> Self {
        self.query.insert(name.to_owned(), json_of(value));
        self
    }

    /// Sets a header of each request of the route, including requests that must be refused.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.insert(name.to_ascii_lowercase(), value.into());
        self
    }

    /// Sets a cookie of each request of the route, as it is in the header `cookie`.
    #[must_use]
    pub fn cookie(mut self, name: &str, value: impl Into<String>) -> Self {
        self.cookies.push((name.to_owned(), value.into()));
        self
    }

    /// Sets the body. The properties of an object replace those of the generated body. If the contract has several formats, the body is
    /// `{ type, value }`.
    #[must_use]
    pub fn body(mut self, value: &impl Serialize) -> Self {
        self.body = Some(json_of(value));
        self
    }

    /// Returns the values for the slots of a table.
    pub(super) fn values(&self, table: &Table) -> Vec<(Slot, Value)> {
        let objects = [(Slot::Params, &self.params), (Slot::Query, &self.query)];
        let mut values: Vec<_> = objects
            .into_iter()
            .filter(|(_, object)| !object.is_empty())
            .map(|(slot, object)| (slot, Value::Object(object.clone())))
            .collect();
        let body = match (&table.choice, &self.body) {
            (None, body) => body.clone(),
            (Some(choice), Some(body)) if body.get("type").is_some_and(|found| *found == choice.r#type) => {
                body.get("value").cloned()
            }
            _ => None,
        };
        values.extend(body.map(|body| (Slot::Body, body)));
        values
    }

    /// Returns true if the fixture sets a property of the query.
    pub(super) fn sets_query(&self, name: &str) -> bool {
        self.query.contains_key(name)
    }

    /// Returns true if the fixture has neither headers nor cookies.
    pub(super) fn has_no_headers(&self) -> bool {
        self.headers.is_empty() && self.cookies.is_empty()
    }

    /// Returns the headers with the cookies, and the headers that the configuration has for the route.
    pub(super) fn all_headers(&self, table: &Table) -> Headers {
        let mut headers = self.headers.clone();
        let mut pairs: Vec<String> = headers.get("cookie").into_iter().cloned().collect();
        pairs.extend(self.cookies.iter().map(|(name, value)| format!("{name}={value}")));
        if !pairs.is_empty() {
            headers.insert("cookie".to_owned(), pairs.join("; "));
        }
        table.headers_with(headers)
    }
}

/// Returns a value as JSON; null for a value without a JSON form.
fn json_of(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
