//! Makes requests from the values of their slots.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use super::client::{Headers, TestClient, TestRequest, merged};
use super::contents::{self, Body};
use super::document::Table;
use super::fixture::Fixture;
use super::values::{Given, Slot, Step, escaped, given, placed, steps_of, text_of};

const KEY_HEADER: &str = "idempotency-key";

/// Header with the subprotocols that a client offers (RFC 6455, section 11.3.4).
pub(super) const SUBPROTOCOLS: &str = "sec-websocket-protocol";

/// Headers of a handshake (RFC 6455, section 4.1). The key is the one of the examples in the RFC.
const HANDSHAKE: [(&str, &str); 4] = [
    ("connection", "Upgrade"),
    ("upgrade", "websocket"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// Value of the header `content-type` in valid requests if its declared type is a text without rules.
const SAMPLE_TYPE: &str = "content type";

/// Values of a request, by slot.
pub(super) type Slots = BTreeMap<Slot, Value>;

/// Change of one value of a valid request. Without a value, the request lacks the property.
pub(super) struct Change {
    pub(super) slot: Slot,
    pub(super) path: String,
    pub(super) given: Option<Value>,
}

impl Change {
    /// Creates the change of a row. `packed` is the value as the table has it.
    pub(super) fn new(slot: Slot, path: &str, packed: &Value) -> Self {
        let given = match given(packed) {
            Given::Missing => None,
            Given::Value(value) => Some(value),
        };
        Self {
            slot,
            path: path.to_owned(),
            given,
        }
    }
}

/// Part of every text that is different in each request. It differs between runs, because runs may share a database.
/// Some test runners start a process for each test, so the part is random: a time could be the same in two processes.
static RUN: LazyLock<u64> = LazyLock::new(|| RandomState::new().build_hasher().finish() >> 20);
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Returns the values of a request: the values of the valid request, replaced by those of the fixture, with some changes.
pub(super) fn slots_of(table: &Table, fixture: &Fixture, changes: &[Change]) -> Slots {
    let mut slots: Slots = table
        .request
        .keys()
        .filter_map(|slot| Some((*slot, table.valid(*slot)?)))
        .collect();
    for (name, text) in &table.fresh {
        let text = fresh_text(text.as_str().unwrap_or_default());
        set(
            &mut slots,
            Slot::Body,
            &[Step::Key(name.clone())],
            Some(text.into()),
        );
    }
    slots = with_fixture(table, slots, fixture);
    for Change { slot, path, given } in changes {
        set(&mut slots, *slot, &steps_of(path), given.clone());
    }
    slots
}

/// Returns the values of a request in which the values of a fixture take the place of others.
pub(super) fn with_fixture(table: &Table, mut slots: Slots, fixture: &Fixture) -> Slots {
    for (slot, given) in fixture.values(table) {
        let merged = match (slots.remove(&slot), given) {
            (Some(Value::Object(mut before)), Value::Object(given)) => {
                before.extend(given);
                Value::Object(before)
            }
            (_, given) => given,
        };
        slots.insert(slot, merged);
    }
    slots
}

fn set(slots: &mut Slots, slot: Slot, steps: &[Step], inner: Option<Value>) {
    if let Some(changed) = placed(slots.remove(&slot), steps, inner) {
        slots.insert(slot, changed);
    }
}

fn fresh_text(text: &str) -> String {
    let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
    if text == "{uuid}" {
        return uuid();
    }
    let unique = format!("{:011x}{number:x}", *RUN);
    let start = unique.len().saturating_sub(14);
    text.replacen("{}", unique.get(start..).unwrap_or_default(), 1)
}

/// Returns a random UUID of version 4.
pub(super) fn uuid() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        (low >> 48) & 0xfff,
        low & 0xffff_ffff_ffff
    )
}

/// Request of a route. `headers` are those of the fixture, which replace those of the client.
pub(super) struct RouteRequest<'a> {
    pub(super) table: &'a Table,
    pub(super) slots: Slots,
    pub(super) headers: Headers,
    /// Body in place of that of the slots.
    pub(super) body: Option<Body>,
    /// Subprotocols that a handshake offers, unless its headers have others.
    pub(super) offer: Option<String>,
    /// Method in place of that of the route.
    pub(super) method: Option<&'static str>,
    /// False to leave out the headers of the client.
    pub(super) has_default_headers: bool,
}

impl<'a> RouteRequest<'a> {
    pub(super) fn new(table: &'a Table, slots: Slots, headers: Headers) -> Self {
        Self {
            table,
            slots,
            headers,
            body: None,
            method: None,
            has_default_headers: true,
            // The first subprotocol of the contract.
            offer: table
                .socket
                .as_ref()
                .and_then(|socket| socket.protocols.as_ref()?.names.first().cloned()),
        }
    }

    /// Sends another body.
    pub(super) fn with_body(mut self, body: Body) -> Self {
        self.body = Some(body);
        self
    }

    pub(super) fn build(self, client: &TestClient) -> TestRequest {
        let (method, path) = self.table.method_and_path();
        let mut target = filled(path, self.slots.get(&Slot::Params));
        target.push_str(&query_text(self.slots.get(&Slot::Query)));
        let mut defaults = if self.has_default_headers {
            client.headers()
        } else {
            Headers::new()
        };
        // The type of the client is only for bodies that have none.
        let media_type = defaults.remove("content-type");
        // A request may lack a header or a cookie that all other requests have.
        let mut headers = headers_of(self.table, &self.slots, merged(defaults, self.headers));
        if self.table.socket.is_some() {
            for (name, value) in HANDSHAKE {
                headers.insert(name.to_owned(), value.to_owned());
            }
            if let Some(offer) = self.offer {
                headers.entry(SUBPROTOCOLS.to_owned()).or_insert(offer);
            }
            let request = client.request(method, &target).without_default_headers();
            return request.with_headers(headers);
        }
        let body = self.body.or_else(|| {
            let value = self.slots.get(&Slot::Body);
            match &self.table.format {
                Some(format) => Some(contents::body_of(format, value)),
                None => value.map(|value| Body::text("application/json", value.to_string())),
            }
        });
        if let (None, Some(media_type)) = (&body, media_type) {
            headers.entry("content-type".to_owned()).or_insert(media_type);
        }
        let request = client
            .request(self.method.unwrap_or(method), &target)
            .endless(self.table.is_endless())
            .without_default_headers()
            .with_headers(headers);
        match body {
            Some(Body { media_type, bytes }) => request.body(&media_type, bytes),
            None => request,
        }
    }
}

/// Returns the headers of a request. `given` are those of the client, the configuration and the fixture. Headers and cookies of the slots
/// replace them only if they differ from the valid request: a fixture can replace the header `x-tenant` of valid requests, and a test of a
/// wrong or missing `x-tenant` still sends the wrong value, or none.
fn headers_of(table: &Table, slots: &Slots, given: Headers) -> Headers {
    let valid = header_texts(table.valid(Slot::Headers).as_ref());
    let own = header_texts(slots.get(&Slot::Headers));
    let mut result = own.clone();
    result.extend(given);
    for name in valid.keys().chain(own.keys()) {
        match own.get(name) {
            None => {
                result.remove(name);
            }
            Some(text) if valid.get(name) != Some(text) => {
                result.insert(name.clone(), text.clone());
            }
            Some(_) => {}
        }
    }
    // A key belongs to one request. Tests of the key itself keep their value.
    let is_kept = |key: &String| result.get(KEY_HEADER) == Some(key) && is_sample_key(key);
    if valid.get(KEY_HEADER).is_some_and(is_kept) {
        result.insert(KEY_HEADER.to_owned(), uuid());
    }
    // The server reads the body by this header, so a text without rules would be refused with 415.
    if [&valid, &result].iter().all(|headers| {
        headers
            .get("content-type")
            .is_some_and(|text| text == SAMPLE_TYPE)
    }) {
        if table.format.is_none() {
            result.insert("content-type".to_owned(), "application/json".to_owned());
        } else {
            // The body that is not JSON sets its own type.
            result.remove("content-type");
        }
    }
    let cookies = cookie_text(table, slots, result.get("cookie").map_or("", String::as_str));
    if !cookies.is_empty() {
        result.insert("cookie".to_owned(), cookies);
    } else if table.request.contains_key(&Slot::Cookies) {
        result.remove("cookie");
    }
    result
}

/// Returns true if a UUID can replace a key of the valid request: the key is a text without rules, or a UUID.
fn is_sample_key(key: &str) -> bool {
    let is_uuid = || key.len() == 36 && key.chars().all(|c| c == '-' || c.is_ascii_hexdigit());
    key == "idempotency key" || is_uuid()
}

/// Returns the header `cookie`. `given` are the cookies of the fixture, which replace only cookies of the valid request.
fn cookie_text(table: &Table, slots: &Slots, given: &str) -> String {
    let valid = pairs_of(table.valid(Slot::Cookies).as_ref());
    let own = pairs_of(slots.get(&Slot::Cookies));
    let is_changed = |name: &str| valid.get(name) != own.get(name);
    let name_of = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let others: Vec<&str> = given
        .split(';')
        .map(str::trim)
        .filter(|pair| !pair.is_empty() && !is_changed(&name_of(pair)))
        .collect();
    let is_given = |name: &str| others.iter().any(|pair| name_of(pair) == name);
    let sent = own
        .iter()
        .filter(|(name, _)| is_changed(name) || !is_given(name))
        .map(|(name, text)| format!("{name}={text}"));
    sent.chain(others.iter().map(|pair| (*pair).to_owned()))
        .collect::<Vec<_>>()
        .join("; ")
}

pub(super) fn pairs_of(cookies: Option<&Value>) -> BTreeMap<String, String> {
    let entries = cookies.and_then(Value::as_object).into_iter().flatten();
    entries
        .map(|(name, value)| (name.clone(), escaped(&text_of(value))))
        .collect()
}

/// Returns the headers of a slot as text. The items of a list are joined by commas.
pub(super) fn header_texts(headers: Option<&Value>) -> Headers {
    let entries = headers.and_then(Value::as_object).into_iter().flatten();
    let texts = entries.map(|(name, value)| {
        let text = match value {
            Value::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join(", "),
            other => text_of(other),
        };
        (name.to_ascii_lowercase(), text)
    });
    texts.collect()
}

/// Returns a path pattern with its parameters replaced: `/notes/:id` gives `/notes/7`. A parameter without a value is `1`.
pub(super) fn filled(path: &str, params: Option<&Value>) -> String {
    let value_of = |name: &str| {
        params
            .and_then(|params| params.get(name))
            .map_or_else(|| "1".to_owned(), text_of)
    };
    let segments = path.trim_start_matches('/').split('/').map(|segment| {
        if let Some(name) = segment.strip_prefix(':') {
            escaped(&value_of(name))
        } else if let Some(name) = segment.strip_prefix('*') {
            let value = value_of(name);
            value.split('/').map(escaped).collect::<Vec<_>>().join("/")
        } else {
            segment.to_owned()
        }
    });
    format!("/{}", segments.collect::<Vec<_>>().join("/"))
}

/// Returns a query with its question mark. A list is a repeated key.
pub(super) fn query_text(query: Option<&Value>) -> String {
    let text = contents::form_of(query.and_then(Value::as_object));
    if text.is_empty() { text } else { format!("?{text}") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Headers, headers_of, slots_of};
    use crate::shape::{Property, Shape};
    use crate::testing::case::Kind;
    use crate::testing::document::{Document, Table};
    use crate::testing::expect::Expectations;
    use crate::testing::fixture::Fixture;
    use crate::testing::outcome::Checked;
    use crate::testing::run::Running;
    use crate::testing::setup::TestSetup;
    use crate::{Application, Contract, Error, Response, Routes, Segment, StatusCode};

    const SESSION: &str = r#"{"routes":[{
        "place": "api/session.routes.ts:3", "route": "GET /session", "replies": [{ "status": 204 }],
        "request": { "headers": { "x-tenant": "tenant" }, "cookies": { "sid": "s" } },
        "refuses": [
            ["headers", "$[\"x-tenant\"]", "missing", { "$missing": true }],
            ["cookies", "$.sid", "missing", { "$missing": true }]
        ]
    }]}"#;

    const TENANT: Shape = Shape::object("Tenant", &[Property::required("x-tenant", Shape::TEXT)]);
    const SID: Shape = Shape::object("Sid", &[Property::required("sid", Shape::TEXT)]);

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Tenant {
        #[serde(rename = "x-tenant")]
        tenant: String,
    }

    impl Contract for Tenant {
        const NAME: &'static str = "Tenant";

        fn shape() -> &'static Shape {
            &TENANT
        }
    }

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Sid {
        sid: String,
    }

    impl Contract for Sid {
        const NAME: &'static str = "Sid";

        fn shape() -> &'static Shape {
            &SID
        }
    }

    #[derive(Clone)]
    struct App;

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    /// Runs a test of a route that knows one tenant and one session. The setup sets both for every request.
    async fn session(kind: Kind) -> Checked {
        let router = Routes::new(App).route(
            "GET /session",
            &[Segment::Static("session")],
            async |_app, request| {
                let headers = request.declared_headers::<Tenant>()?;
                let cookies = request.declared_cookies::<Sid>()?;
                if headers.tenant != "acme" || cookies.sid != "s1" {
                    return Err(Error::internal("unknown tenant or session"));
                }
                Ok(Response::empty(&request.into_context()?, StatusCode::NO_CONTENT))
            },
        );
        let Document { errors, routes, .. } = serde_json::from_str(SESSION).expect("tables");
        let expect = Expectations {
            errors,
            shapes: &[],
            requests: &[],
        };
        let setup = TestSetup::new(router.into_router())
            .header("x-tenant", "acme")
            .header("cookie", "sid=s1; theme=dark");
        Running::new(setup, expect).run(kind, &routes[0]).await
    }

    #[tokio::test]
    async fn headers_and_cookies_of_every_request_are_sent_except_by_tests_that_leave_them_out() {
        for kind in [Kind::Valid, Kind::Refuses(0), Kind::Refuses(1)] {
            assert_eq!(session(kind).await, Ok(()), "{kind:?}");
        }
    }

    /// Returns the header `content-type` of a valid request. `given` is the header of the fixture.
    fn content_type(format: &Value, given: Option<&str>) -> Option<String> {
        let table = json!({
            "place": "src/notes.routes.ts:1",
            "route": "POST /notes",
            "format": format,
            "request": { "headers": { "content-type": "content type" } },
        });
        let table: Table = serde_json::from_value(table).expect("a table");
        let slots = slots_of(&table, &Fixture::default(), &[]);
        let given = given.map(|text| ("content-type".to_owned(), text.to_owned()));
        let headers = headers_of(&table, &slots, given.into_iter().collect::<Headers>());
        headers.get("content-type").cloned()
    }

    #[test]
    fn a_declared_header_content_type_has_the_type_of_the_body_unless_the_fixture_gives_another() {
        let json_type = Some("application/json".to_owned());
        assert_eq!(content_type(&Value::Null, None), json_type);
        let patch = "application/merge-patch+json";
        assert_eq!(content_type(&Value::Null, Some(patch)).as_deref(), Some(patch));
        // The body itself sets the type of a form, which contains a random boundary.
        let form = json!({ "kind": "multipart", "types": ["multipart/form-data"] });
        assert_eq!(content_type(&form, None), None);
    }
}
