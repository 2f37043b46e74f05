//! Tests of lists that are read with cursors.

use serde_json::{Value, json};

use super::client::TestResponse;
use super::document::{List, Table};
use super::expect::fail_with;
use super::fixture::Fixture;
use super::outcome::{Checked, Stop, needs_fixture};
use super::request::{RouteRequest, Slots, slots_of};
use super::run::Running;
use super::values::Slot;

/// Maximum number of pages that a test requests in one direction.
const MAX_PAGES: usize = 20;

/// Page of a list.
struct Page {
    data: Vec<Value>,
    next: Option<String>,
    previous: Option<String>,
    answer: TestResponse,
}

/// List of a route, which is read with the fixture of the route.
struct Pages<'a> {
    app: &'a Running,
    table: &'a Table,
    fixture: Fixture,
    slots: Slots,
}

impl<'a> Pages<'a> {
    async fn of(app: &'a Running, table: &'a Table, list: &List) -> Checked<Self> {
        let fixture = app.fixture(table).await?;
        let mut slots = slots_of(table, &fixture, &[]);
        if let Some(Value::Object(query)) = slots.get_mut(&Slot::Query) {
            // With the optional filters of the generated request, the list would usually be empty.
            query.retain(|name, _| {
                name != "limit" && (!list.filters.contains(name) || fixture.sets_query(name))
            });
        }
        Ok(Self {
            app,
            table,
            fixture,
            slots,
        })
    }

    async fn request(&self, limit: Option<usize>, cursor: Option<&str>) -> Checked<TestResponse> {
        let mut slots = self.slots.clone();
        let query = slots.entry(Slot::Query).or_insert_with(|| json!({}));
        if let Value::Object(query) = query {
            query.extend(limit.map(|limit| ("limit".to_owned(), limit.into())));
            query.extend(cursor.map(|cursor| ("cursor".to_owned(), cursor.into())));
        }
        let headers = self.fixture.all_headers(self.table);
        self.app.send(RouteRequest::new(self.table, slots, headers)).await
    }

    /// Returns an error that ignores the test if the route has no fixture and responds with a declared error, such as the 404 of a list
    /// below a row that does not exist.
    async fn check_readable(&self) -> Checked {
        if self.app.fixtures.contains_key(&self.table.route) {
            return Ok(());
        }
        let answer = self.request(None, None).await?;
        self.app.expect.answered(self.table, &answer, false)?;
        if answer.status < 400 {
            return Ok(());
        }
        Err(needs_fixture())
    }

    /// Returns a page. Fails if the response is no page.
    async fn page(&self, limit: Option<usize>, cursor: Option<&str>) -> Checked<Page> {
        let answer = self.request(limit, cursor).await?;
        self.app.expect.answered(self.table, &answer, true)?;
        let text = |name: &str| answer.json().get(name).and_then(Value::as_str).map(str::to_owned);
        Ok(Page {
            data: answer
                .json()
                .get("data")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
            next: text("next"),
            previous: text("previous"),
            answer,
        })
    }
}

impl Running {
    pub(super) async fn follows_cursors(&self, table: &Table) -> Checked {
        let Some(list) = &table.list else { return Ok(()) };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // Reason: the minimum of a limit is a small positive number.
        let limit = list.limit as usize;
        let pages = Pages::of(self, table, list).await?;
        pages.check_readable().await?;
        let before = pages.page(None, None).await?.data;
        if before.len() <= limit {
            let reason = "the list has one page only: insert more rows in the fixture of the route";
            return Err(Stop::Ignored(reason.to_owned()));
        }
        let expected = before
            .get(..before.len().min(MAX_PAGES * limit))
            .unwrap_or_default();
        let mut found: Vec<Value> = Vec::new();
        let mut read: Vec<Page> = Vec::new();
        while found.len() < expected.len() {
            let cursor = read.last().and_then(|page| page.next.clone());
            let page = pages.page(Some(limit), cursor.as_deref()).await?;
            found.extend(page.data.iter().cloned());
            let is_last = page.next.is_none() || page.data.is_empty();
            read.push(page);
            if is_last {
                break;
            }
        }
        let Some(last) = read.last() else { return Ok(()) };
        if found.get(..expected.len()) != Some(expected) {
            let text = format!(
                "{} returned {} items page by page, which differ from the first {} items of one large page",
                table.route,
                found.len(),
                expected.len()
            );
            return fail_with(&text, &last.answer);
        }
        let Some(previous) = &last.previous else {
            return Ok(());
        };
        let back = pages.page(Some(limit), Some(previous)).await?;
        let before_last = read.len().checked_sub(2).and_then(|index| read.get(index));
        if before_last.is_some_and(|page| page.data != back.data) {
            let text = format!(
                "{} returned other items for `previous` than on the page before",
                table.route
            );
            return fail_with(&text, &back.answer);
        }
        Ok(())
    }

    pub(super) async fn forged_cursors(&self, table: &Table) -> Checked {
        let Some(list) = &table.list else { return Ok(()) };
        let pages = Pages::of(self, table, list).await?;
        pages.check_readable().await?;
        let long = "A".repeat(1024);
        // The last text is a cursor of another list.
        let forged = ["", "forged", &long, "WyJBQUFBQUFBQUFBQUFBQUFBIiwibiIsIjEiXQ"];
        for cursor in forged {
            let answer = pages.request(None, Some(cursor)).await?;
            self.expect.error(table, &answer, 400, &["INVALID_CURSOR"])?;
        }
        Ok(())
    }
}
