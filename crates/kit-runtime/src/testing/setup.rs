//! Application under test, and what its requests need besides the contracts.

use std::collections::BTreeMap;

use super::client::{Headers, TestClient};
use super::fixture::{Fixture, MakeFixture};
use crate::settings::Settings;
use crate::{Error, Serve};

/// Application under test, with values of requests that contracts cannot specify.
///
/// ```
/// use kit_runtime::testing::{Fixture, TestClient, TestSetup};
/// use kit_runtime::{Application, Error, Router, value};
///
/// async fn setup<A: Application>(router: Router<A>) -> Result<TestSetup, Error> {
///     let setup = TestSetup::new(router);
///     let session = setup.client().request("POST", "/session").send().await?;
///     let cookie = format!("session={}", session.cookie("session").unwrap_or_default());
///     Ok(setup
///         .header("cookie", cookie)
///         .header_without_scopes("cookie", "session=of-a-guest")
///         .fixture("GET /notes/:id", new_note)
///         .skip("GET /metrics", "the response depends on the machine"))
/// }
///
/// /// Creates a note, and returns its id as the path parameter.
/// async fn new_note(client: TestClient) -> Result<Fixture, Error> {
///     let note = client.request("POST", "/notes").json(&value!({ "title": "Milk" })).send().await?;
///     Ok(Fixture::new().param("id", &note.json()["id"]))
/// }
/// ```
pub struct TestSetup {
    pub(super) client: TestClient,
    pub(super) fixtures: BTreeMap<String, MakeFixture>,
    pub(super) skipped: BTreeMap<String, String>,
    pub(super) without_scopes: Option<Headers>,
    /// Reason why the application cannot serve requests.
    pub(super) mistake: Option<Error>,
}

impl TestSetup {
    /// Creates the setup of an application. Must be called in the function that
    /// [`ContractTests::run`](super::ContractTests::run) calls.
    pub fn new(router: impl Serve) -> Self {
        // The settings are read after the router was created, because the application may have defaults for them.
        let mistake = Settings::load().map(drop).and_then(|()| router.check()).err();
        Self {
            client: TestClient::new(router),
            mistake,
            fixtures: BTreeMap::new(),
            skipped: BTreeMap::new(),
            without_scopes: None,
        }
    }

    /// Returns the client of the tests, for example to log in.
    pub fn client(&self) -> &TestClient {
        &self.client
    }

    /// Sets a header of every request, including requests of fixtures.
    #[must_use]
    pub fn header(self, name: &str, value: impl Into<String>) -> Self {
        self.client.set_header(name, value);
        self
    }

    /// Sets a header of a caller who is authenticated but has none of the scopes that contracts require. Without such a header, the
    /// tests of scopes are ignored.
    #[must_use]
    pub fn header_without_scopes(mut self, name: &str, value: impl Into<String>) -> Self {
        let headers = self.without_scopes.get_or_insert_default();
        headers.insert(name.to_ascii_lowercase(), value.into());
        self
    }

    /// Sets the function that makes the fixture of a route. The tests call it before each valid request of the route, and if the fixture
    /// has headers, before invalid requests, too.
    #[must_use]
    pub fn fixture<F, R>(mut self, route: &str, make: F) -> Self
    where
        F: Fn(TestClient) -> R + 'static,
        R: Future<Output = Result<Fixture, Error>> + 'static,
    {
        let make: MakeFixture = Box::new(move |client| Box::pin(make(client)));
        self.fixtures.insert(route.to_owned(), make);
        self
    }

    /// Leaves out the tests of a route. The report shows the reason.
    #[must_use]
    pub fn skip(mut self, route: &str, reason: &str) -> Self {
        self.skipped.insert(route.to_owned(), reason.to_owned());
        self
    }
}
