//! Tests of the header `accept`, which chooses the format of a response.

use super::case::{Kind, OTHER_TYPE, types_of};
use super::document::Table;
use super::expect::{fail_with, reply_of};
use super::outcome::{Checked, Stop, needs_fixture};
use super::request::{RouteRequest, slots_of};
use super::run::Running;

/// Reason why a test is ignored whose request is refused although its fixture has made another request succeed.
const ONE_REQUEST: &str = "the response is an error: let the fixture of the route make each request succeed";

impl Running {
    /// Runs a test of the header `accept`.
    pub(super) async fn accepts(&self, table: &Table, kind: Kind) -> Checked {
        let types = types_of(table);
        let (accept, expected) = match (kind, types.as_slice()) {
            (Kind::Accepts(index), types) => {
                let media_type = types.get(index).copied().unwrap_or_default();
                (media_type.to_owned(), Some(media_type))
            }
            (Kind::Prefers, [first, second, ..]) => (format!("{first};q=0.5, {second}"), Some(*second)),
            _ => (OTHER_TYPE.to_owned(), None),
        };
        let fixture = self.fixture(table).await?;
        let slots = slots_of(table, &fixture, &[]);
        let mut headers = fixture.all_headers(table);
        headers.insert("accept".to_owned(), accept);
        let answer = self.send(RouteRequest::new(table, slots, headers)).await?;
        match expected {
            None => {
                self.expect.error(table, &answer, 406, &["NOT_ACCEPTABLE"])?;
            }
            Some(_) => self.expect.answered(table, &answer, false)?,
        }
        let vary = answer.header("vary").unwrap_or_default();
        if !vary
            .split(',')
            .any(|name| matches!(name.trim().to_ascii_lowercase().as_str(), "accept" | "*"))
        {
            let text = format!(
                "{} answered with the header `vary: {vary}`, which does not list `accept`",
                table.route
            );
            return fail_with(&text, &answer);
        }
        let Some(expected) = expected else { return Ok(()) };
        let Some(reply) = reply_of(table, &answer) else {
            return Err(if self.fixtures.contains_key(&table.route) {
                Stop::Ignored(ONE_REQUEST.to_owned())
            } else {
                needs_fixture()
            });
        };
        let mut choices = reply.content.iter().flat_map(|content| &content.choices);
        if !choices.any(|choice| choice.r#type == expected) {
            let reason = format!(
                "the response has the status {}, which does not have this format: add a fixture for the route",
                answer.status
            );
            return Err(Stop::Ignored(reason));
        }
        let found = answer.header("content-type").unwrap_or("nothing");
        let found = found.split(';').next().unwrap_or_default();
        if found != expected {
            let text = format!(
                "{} answered with the content type {found}, but the request accepts {expected}",
                table.route
            );
            return fail_with(&text, &answer);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::header::VARY;

    use crate::testing::case::Kind;
    use crate::testing::document::Document;
    use crate::testing::expect::Expectations;
    use crate::testing::fixture::Fixture;
    use crate::testing::outcome::{Checked, Stop};
    use crate::testing::run::Running;
    use crate::testing::setup::TestSetup;
    use crate::{Application, Error, HeaderValue, Reply, Response, Routes, Segment, StatusCode};

    const TABLES: &str = r#"{"routes":[{
        "place": "api/reports.routes.ts:3", "route": "GET /report",
        "replies": [
            { "status": 200, "content": { "kind": "oneof", "type": "image/png", "choices": [
                { "kind": "bytes", "type": "image/png" }, { "kind": "bytes", "type": "image/gif" }
            ] } },
            { "status": 202, "content": { "kind": "bytes", "type": "image/gif" } }
        ],
        "errors": ["404 NOT_FOUND"]
    }]}"#;

    #[derive(Clone)]
    struct App(StatusCode);

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    /// Returns the setup of an application whose route answers with a status, and with the type `image/png`.
    fn setup(status: StatusCode) -> TestSetup {
        let routes = Routes::new(App(status)).route(
            "GET /report",
            &[Segment::Static("report")],
            async |App(status), request| {
                let context = request.into_context()?;
                context.set_header(VARY, HeaderValue::from_static("accept"));
                if status.is_client_error() {
                    return Err(Error::not_found("NOT_FOUND", "There is no report"));
                }
                let media_type = if status == StatusCode::OK {
                    "image/png"
                } else {
                    "image/gif"
                };
                Response::reply(&context, status, Reply::text("a").content_type(media_type))
            },
        );
        TestSetup::new(routes.into_router())
    }

    /// Runs the tests of both types.
    async fn run(setup: impl Fn() -> TestSetup) -> [Checked; 2] {
        let run = async |kind: Kind| {
            let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
            let expect = Expectations {
                errors,
                shapes: &[],
                requests: &[],
            };
            Running::new(setup(), expect).run(kind, &routes[0]).await
        };
        [run(Kind::Accepts(0)).await, run(Kind::Accepts(1)).await]
    }

    fn ignored(reason: &str) -> [Checked; 2] {
        [(); 2].map(|()| Err(Stop::Ignored(reason.to_owned())))
    }

    #[tokio::test]
    async fn a_response_with_another_type_fails() {
        let [first, second] = run(|| setup(StatusCode::OK)).await;
        assert_eq!(first, Ok(()));
        let Err(Stop::Failed(message)) = second else {
            panic!("{second:?}");
        };
        assert!(
            message.starts_with("GET /report answered with the content type image/png"),
            "{message}"
        );
    }

    #[tokio::test]
    async fn tests_are_ignored_if_the_response_has_no_format_to_choose() {
        assert_eq!(
            run(|| setup(StatusCode::NOT_FOUND)).await,
            ignored("the response is an error: add a fixture for the route")
        );
        let with_fixture =
            || setup(StatusCode::NOT_FOUND).fixture("GET /report", async |_| Ok(Fixture::new()));
        assert_eq!(
            run(with_fixture).await,
            ignored("the response is an error: let the fixture of the route make each request succeed")
        );
        assert_eq!(
            run(|| setup(StatusCode::ACCEPTED)).await,
            ignored(
                "the response has the status 202, which does not have this format: add a fixture for the route"
            )
        );
    }
}
