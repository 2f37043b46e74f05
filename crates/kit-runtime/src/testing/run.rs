//! Runs the tests of a route.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::case::{Kind, random_name};
use super::client::{Headers, TestClient, TestResponse};
use super::contents::Body;
use super::document::{Auth, Table};
use super::expect::{Expectations, fail_with};
use super::fixture::{Fixture, MakeFixture};
use super::outcome::{Checked, Stop, fail};
use super::random::Randomness;
use super::request::{Change, RouteRequest, filled, slots_of};
use super::setup::TestSetup;
use super::values::Slot;

/// Value of properties that the contract does not declare.
const UNDECLARED: &str = "undeclared by the contract";

/// Application under test, with the fixtures that its requests need.
pub(super) struct Running {
    pub(super) client: TestClient,
    pub(super) expect: Expectations,
    pub(super) fixtures: BTreeMap<String, MakeFixture>,
    pub(super) without_scopes: Option<Headers>,
    /// Routes that refused the headers of the tests with 401 or 403. Their other tests are ignored.
    closed: Mutex<BTreeSet<String>>,
    /// Routes whose fixture has no headers and no cookies.
    pub(super) without_headers: Mutex<BTreeSet<String>>,
    /// Statuses and codes of all responses, by route: `200`, `404 NOTE_NOT_FOUND`.
    pub(super) seen: Mutex<BTreeSet<(String, String)>>,
}

impl Running {
    pub(super) fn new(setup: TestSetup, expect: Expectations) -> Self {
        Self {
            client: setup.client,
            expect,
            fixtures: setup.fixtures,
            without_scopes: setup.without_scopes,
            closed: Mutex::default(),
            without_headers: Mutex::default(),
            seen: Mutex::default(),
        }
    }

    /// Runs a test.
    pub(super) async fn run(&self, kind: Kind, table: &Table) -> Checked {
        let is_closed = lock(&self.closed).contains(&table.route);
        if is_closed && !matches!(kind, Kind::WrongMethod | Kind::Untested) {
            let reason = "the application refuses the headers of the tests";
            return Err(Stop::Ignored(reason.to_owned()));
        }
        #[cfg(feature = "sockets")]
        if let Some(socket) = &table.socket {
            match kind {
                Kind::Socket(test) => return self.socket(table, socket, test).await,
                Kind::Takes(index) => return self.socket_takes(table, socket, index).await,
                Kind::Refuses(index)
                    if table.refuses.get(index).is_some_and(|row| row.slot == Slot::Body) =>
                {
                    return self.socket_refuses(table, socket, index).await;
                }
                _ => {}
            }
        }
        match kind {
            // Generated manifests turn on the feature `sockets` if a contract has a WebSocket.
            Kind::Socket(_) => fail("the feature `sockets` of kit-runtime is missing in Cargo.toml"),
            Kind::WrongMethod => self.wrong_method(table).await,
            Kind::LeftOut => Err(Stop::Ignored(table.skip.clone().unwrap_or_default())),
            Kind::Untested => fail(table.untested.clone().unwrap_or_default()),
            Kind::Valid => self.valid(table).await,
            Kind::Lifecycle => self.lifecycle(table).await,
            Kind::FollowsCursors => self.follows_cursors(table).await,
            Kind::ForgedCursors => self.forged_cursors(table).await,
            Kind::NoCredentials => self.no_credentials(table).await,
            Kind::NoScopes => self.no_scopes(table).await,
            Kind::Takes(index) => self.takes(table, index).await,
            Kind::Refuses(index) => self.refuses(table, index).await,
            Kind::Drops(slot) => self.drops(table, slot).await,
            Kind::Download(test) => self.download(table, test).await,
            Kind::TakesRandom(randomness) => {
                let test = random_test(table, "takes", randomness);
                self.takes_random(table, randomness, &test).await
            }
            Kind::RefusesRandom(randomness) => {
                let test = random_test(table, "refuses", randomness);
                self.refuses_random(table, randomness, &test).await
            }
            Kind::Accepts(_) | Kind::Prefers | Kind::AcceptsOther => self.accepts(table, kind).await,
            _ => self.body(table, kind).await,
        }
    }

    /// Sends a request. A handler that is not implemented ends the test.
    pub(super) async fn send(&self, request: RouteRequest<'_>) -> Checked<TestResponse> {
        self.send_with(request, true).await
    }

    async fn send_with(
        &self,
        mut request: RouteRequest<'_>,
        has_default_headers: bool,
    ) -> Checked<TestResponse> {
        let table = request.table;
        request.has_default_headers = has_default_headers;
        let built = request.build(&self.client);
        let command = built.command();
        let answer = built.send().await.map_err(|error| {
            Stop::Failed(format!(
                "{} gave no complete response: {error}\n{command}",
                table.route
            ))
        })?;
        self.note(table, &answer)?;
        Ok(answer)
    }

    /// Records the status and the code of a response. A handler that is not implemented ends the test.
    pub(super) fn note(&self, table: &Table, answer: &TestResponse) -> Checked {
        let code = self.expect.code_of(answer);
        if answer.status == 501 && code.as_deref() == Some("NOT_IMPLEMENTED") {
            let message = self.expect.message_of(answer);
            return Err(Stop::Ignored(
                message.unwrap_or_else(|| "not implemented".to_owned()),
            ));
        }
        let name = code.map_or_else(
            || answer.status.to_string(),
            |code| format!("{} {code}", answer.status),
        );
        lock(&self.seen).insert((table.route.clone(), name));
        Ok(())
    }

    pub(super) async fn fixture(&self, table: &Table) -> Checked<Fixture> {
        match self.fixtures.get(&table.route) {
            None => Ok(Fixture::new()),
            Some(make) => make(self.client.clone())
                .await
                .map_err(|error| Stop::Failed(format!("The fixture of {} failed: {error}", table.route))),
        }
    }

    /// Returns the headers of the fixture of a route, for a request that the application must refuse before its handler runs. A fixture
    /// usually inserts rows, which a refused request does not need: a fixture without headers is made once.
    pub(super) async fn fixture_headers(&self, table: &Table) -> Checked<Headers> {
        if lock(&self.without_headers).contains(&table.route) {
            return Ok(table.headers_with(Headers::new()));
        }
        let fixture = self.fixture(table).await?;
        if fixture.has_no_headers() {
            lock(&self.without_headers).insert(table.route.clone());
        }
        Ok(fixture.all_headers(table))
    }

    /// Sends the valid request with some changes.
    async fn send_valid(&self, table: &Table, changes: &[Change]) -> Checked<TestResponse> {
        let fixture = self.fixture(table).await?;
        let slots = slots_of(table, &fixture, changes);
        self.send(RouteRequest::new(table, slots, fixture.all_headers(table)))
            .await
    }

    /// Sends a request that the application must refuse before its handler runs. Only the headers of the fixture are needed.
    pub(super) async fn send_invalid(
        &self,
        table: &Table,
        changes: &[Change],
        body: Option<Body>,
    ) -> Checked<TestResponse> {
        let headers = self.fixture_headers(table).await?;
        let slots = slots_of(table, &Fixture::new(), changes);
        let request = RouteRequest::new(table, slots, headers);
        let request = match body {
            Some(body) => request.with_body(body),
            None => request,
        };
        self.send(request).await
    }

    async fn wrong_method(&self, table: &Table) -> Checked {
        let Some(wrong) = &table.wrong_method else {
            return Ok(());
        };
        let (_, path) = table.method_and_path();
        let target = filled(path, table.valid(Slot::Params).as_ref());
        let headers = self.fixture_headers(table).await?;
        let request = self.client.request(&wrong.method, &target).with_headers(headers);
        let answer = request.send().await?;
        self.expect.error(table, &answer, 405, &["METHOD_NOT_ALLOWED"])?;
        let allow = answer.header("allow").unwrap_or_default();
        if allow != wrong.allow {
            let text = format!(
                "{}: the header `allow` is {allow}, expected {}",
                table.route, wrong.allow
            );
            return fail_with(&text, &answer);
        }
        Ok(())
    }

    async fn valid(&self, table: &Table) -> Checked {
        let answer = self.send_valid(table, &[]).await?;
        self.check_credentials(table, &answer)?;
        let has_fixture = self.fixtures.contains_key(&table.route);
        self.expect.answered(table, &answer, has_fixture)
    }

    /// Fails if the application refuses the credentials of the tests. Further tests of the route are then ignored.
    pub(super) fn check_credentials(&self, table: &Table, answer: &TestResponse) -> Checked {
        if !matches!(answer.status, 401 | 403) {
            return Ok(());
        }
        lock(&self.closed).insert(table.route.clone());
        let text = format!(
            "{} refused the test's credentials. Set a header of all requests with `tests.headers` in kit.config.ts or with `header` of \
             the setup in tests/contract.rs, or one of this route with a fixture",
            table.route
        );
        fail_with(&text, answer)
    }

    async fn lifecycle(&self, table: &Table) -> Checked {
        let answer = self.send_valid(table, &[]).await?;
        match table.lifecycle.iter().find(|name| answer.header(name).is_none()) {
            None => Ok(()),
            Some(name) => {
                let text = format!(
                    "{} answered without the header `{name}`, which tells clients that the route ends",
                    table.route
                );
                fail_with(&text, &answer)
            }
        }
    }

    async fn takes(&self, table: &Table, index: usize) -> Checked {
        let Some(row) = table.accepts.get(index) else {
            return Ok(());
        };
        let change = Change::new(row.slot, &row.path, &row.given);
        let answer = self.send_valid(table, &[change]).await?;
        self.expect.answered(table, &answer, false)
    }

    async fn refuses(&self, table: &Table, index: usize) -> Checked {
        let Some(row) = table.refuses.get(index) else {
            return Ok(());
        };
        let change = Change::new(row.slot, &row.path, &row.given);
        let answer = self.send_invalid(table, &[change], None).await?;
        self.expect.refused(table, &answer, &row.path, row.is_within)
    }

    /// Checks that a request may have properties that the contract does not declare. The type of the handler's argument has no place
    /// for them.
    async fn drops(&self, table: &Table, slot: Slot) -> Checked {
        let paths = table.closed.iter().filter(|(of, _)| *of == slot);
        let changes: Vec<_> = paths
            .map(|(_, path)| Change {
                slot,
                path: format!("{path}.undeclared"),
                given: Some(UNDECLARED.into()),
            })
            .collect();
        let answer = self.send_valid(table, &changes).await?;
        self.expect.answered(table, &answer, false)
    }

    async fn no_credentials(&self, table: &Table) -> Checked {
        let Some(
            auth @ Auth {
                unauthorized: Some(codes),
                ..
            },
        ) = &table.auth
        else {
            return Ok(());
        };
        let mut headers = self.client.headers();
        headers.extend(self.fixture_headers(table).await?);
        let headers = without_credentials(headers, auth);
        let mut slots = slots_of(table, &Fixture::new(), &[]);
        for (place, name) in &auth.credentials {
            let slot = match place.as_str() {
                "header" => Slot::Headers,
                "cookie" => Slot::Cookies,
                _ => Slot::Query,
            };
            if let Some(Value::Object(values)) = slots.get_mut(&slot) {
                values.shift_remove(name);
            }
        }
        let answer = self
            .send_with(RouteRequest::new(table, slots, headers), false)
            .await?;
        if answer.status < 400 {
            let text = format!(
                "{} accepted a request without credentials, though its middleware has the tag `@security`",
                table.route
            );
            return fail_with(&text, &answer);
        }
        let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
        self.expect.error(table, &answer, 401, &codes)?;
        Ok(())
    }

    async fn no_scopes(&self, table: &Table) -> Checked {
        let Some(scopes) = table.auth.as_ref().and_then(|auth| auth.scopes.as_ref()) else {
            return Ok(());
        };
        let Some(without_scopes) = &self.without_scopes else {
            let reason = "there is no caller without scopes: set a header of one with `header_without_scopes` of the setup";
            return Err(Stop::Ignored(reason.to_owned()));
        };
        let mut headers = self.client.headers();
        headers.extend(self.fixture_headers(table).await?);
        headers.extend(without_scopes.clone());
        let slots = slots_of(table, &Fixture::new(), &[]);
        let answer = self
            .send_with(RouteRequest::new(table, slots, headers), false)
            .await?;
        if answer.status < 400 {
            let lists: Vec<_> = scopes.iter().map(|list| list.join(" and ")).collect();
            let text = format!(
                "{} accepted a caller without the scopes {}",
                table.route,
                lists.join(", or ")
            );
            return fail_with(&text, &answer);
        }
        self.expect.error(table, &answer, 403, &["INSUFFICIENT_SCOPE"])?;
        Ok(())
    }
}

/// Returns the complete name of a test with random requests.
fn random_test(table: &Table, verb: &str, randomness: Randomness) -> String {
    format!("{}: {}", table.title(), random_name(verb, randomness))
}

/// Locks a mutex. A panic of a fixture does not make its content wrong.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes credentials from headers, and from the header `cookie`.
fn without_credentials(mut headers: Headers, auth: &Auth) -> Headers {
    let is_credential = |place: &str, name: &str| {
        auth.credentials
            .iter()
            .any(|(of, credential)| of == place && credential == name)
    };
    headers.retain(|name, _| !is_credential("header", name));
    if let Some(cookies) = headers.remove("cookie") {
        let kept: Vec<_> = cookies
            .split(';')
            .map(str::trim)
            .filter(|pair| {
                let name = pair.split('=').next().unwrap_or_default();
                !pair.is_empty() && !is_credential("cookie", name)
            })
            .collect();
        if !kept.is_empty() {
            headers.insert("cookie".to_owned(), kept.join("; "));
        }
    }
    headers
}
