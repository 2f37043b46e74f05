//! Tests of downloads: ranges, and responses to HEAD.

use super::case::DownloadTest;
use super::client::TestResponse;
use super::document::Table;
use super::expect::fail_with;
use super::outcome::{Checked, Stop, needs_fixture};
use super::request::{RouteRequest, slots_of};
use super::run::Running;

impl Running {
    /// Runs a test of a download. Its two requests ask for the same body.
    pub(super) async fn download(&self, table: &Table, test: DownloadTest) -> Checked {
        let fixture = self.fixture(table).await?;
        let slots = slots_of(table, &fixture, &[]);
        let send = async |method: Option<&'static str>, range: Option<String>| {
            let mut headers = fixture.all_headers(table);
            if let Some(range) = range {
                headers.insert("range".to_owned(), range);
            }
            let mut request = RouteRequest::new(table, slots.clone(), headers);
            request.method = method;
            self.send(request).await
        };
        let whole = send(None, None).await?;
        if whole.status != 200 {
            let has_fixture = self.fixtures.contains_key(&table.route);
            self.expect.answered(table, &whole, has_fixture)?;
            return Err(if whole.status >= 400 {
                needs_fixture()
            } else {
                let reason = format!(
                    "the response has the status {}, which is no download: add a fixture for the route",
                    whole.status
                );
                Stop::Ignored(reason)
            });
        }
        let (route, size) = (&table.route, whole.bytes.len());
        let expect_status = |answer: &TestResponse, to: &str, expected: u16| {
            if answer.status == expected {
                return Ok(());
            }
            fail_with(
                &format!("{route} answered {to} without the status {expected}"),
                answer,
            )
        };
        let expect_header = |answer: &TestResponse, name: &str, expected: Option<&str>| {
            let found = answer.header(name);
            if found == expected {
                return Ok(());
            }
            let [found, expected] = [found, expected].map(|text| text.unwrap_or("nothing"));
            let text = format!("{route} answered with the header `{name}: {found}`, expected `{expected}`");
            fail_with(&text, answer)
        };
        match test {
            DownloadTest::FirstByte if size > 0 => {
                let answer = send(None, Some("bytes=0-0".to_owned())).await?;
                expect_status(&answer, "`range: bytes=0-0`", 206)?;
                expect_header(&answer, "content-range", Some(&format!("bytes 0-0/{size}")))?;
                expect_header(&answer, "etag", whole.header("etag"))?;
                if Some(answer.bytes.as_ref()) != whole.bytes.get(..1) {
                    let text = format!(
                        "{route} answered `range: bytes=0-0` with other bytes than the first byte of the body"
                    );
                    return fail_with(&text, &answer);
                }
                Ok(())
            }
            DownloadTest::AfterEnd if size > 0 => {
                let answer = send(None, Some(format!("bytes={size}-"))).await?;
                self.expect
                    .error(table, &answer, 416, &["RANGE_NOT_SATISFIABLE"])?;
                expect_header(&answer, "content-range", Some(&format!("bytes */{size}")))
            }
            DownloadTest::FirstByte | DownloadTest::AfterEnd => {
                let reason = "the download is empty: add a fixture of a download with bytes";
                Err(Stop::Ignored(reason.to_owned()))
            }
            DownloadTest::Head => {
                let answer = send(Some("HEAD"), None).await?;
                expect_status(&answer, "HEAD", 200)?;
                expect_header(&answer, "content-length", Some(&size.to_string()))?;
                for name in ["content-type", "etag", "last-modified"] {
                    expect_header(&answer, name, whole.header(name))?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::case::{DownloadTest, Kind};
    use crate::testing::document::Document;
    use crate::testing::expect::Expectations;
    use crate::testing::outcome::{Checked, Stop};
    use crate::testing::run::Running;
    use crate::testing::setup::TestSetup;
    use crate::{Application, Download, Error, Reply, Response, Routes, Segment, StatusCode};

    const TABLES: &str = r#"{"routes":[{
        "place": "api/films.routes.ts:3", "route": "GET /film",
        "replies": [{ "status": 200, "content": { "kind": "download", "type": "video/mp4" } }],
        "errors": ["404 NOT_FOUND"]
    }]}"#;

    const TESTS: [DownloadTest; 3] = [
        DownloadTest::FirstByte,
        DownloadTest::AfterEnd,
        DownloadTest::Head,
    ];

    #[derive(Clone)]
    struct App(&'static str);

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    /// Runs the tests of an application, whose name tells how its route answers.
    async fn run(name: &'static str) -> Vec<Checked> {
        let router = || {
            Routes::new(App(name)).route(
                "GET /film",
                &[Segment::Static("film")],
                async |App(name), request| {
                    let context = request.into_context()?;
                    let download = match name {
                        // A handler without a download ignores ranges.
                        "whole" => {
                            let reply = Reply::text("film").content_type("video/mp4");
                            return Response::reply(&context, StatusCode::OK, reply);
                        }
                        "empty" => Download::bytes(""),
                        "missing" => Download::file("src", "missing"),
                        "undeclared" => return Err(Error::conflict("FILM_LOST", "The film is lost")),
                        _ => Download::bytes("film"),
                    };
                    Response::download(&context, StatusCode::OK, "video/mp4", download).await
                },
            )
        };
        let mut results = Vec::new();
        for test in TESTS {
            let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
            let expect = Expectations {
                errors,
                shapes: &[],
                requests: &[],
            };
            let running = Running::new(TestSetup::new(router().into_router()), expect);
            results.push(running.run(Kind::Download(test), &routes[0]).await);
        }
        results
    }

    #[tokio::test]
    async fn downloads_pass() {
        assert_eq!(run("bytes").await, [Ok(()), Ok(()), Ok(())]);
    }

    #[tokio::test]
    async fn tests_of_ranges_are_ignored_if_the_download_is_empty() {
        let reason = "the download is empty: add a fixture of a download with bytes";
        let ignored = || Err(Stop::Ignored(reason.to_owned()));
        assert_eq!(run("empty").await, [ignored(), ignored(), Ok(())]);
    }

    #[tokio::test]
    async fn an_undeclared_error_fails() {
        for result in run("undeclared").await {
            let Err(Stop::Failed(message)) = result else {
                panic!("{result:?}");
            };
            assert!(message.contains("409 FILM_LOST"), "{message}");
        }
    }

    #[tokio::test]
    async fn a_response_that_ignores_ranges_fails() {
        let [first, after, head] = run("whole").await.try_into().expect("three tests");
        let Err(Stop::Failed(message)) = first else {
            panic!("{first:?}");
        };
        assert!(
            message.starts_with("GET /film answered `range: bytes=0-0` without the status 206"),
            "{message}"
        );
        assert!(matches!(after, Err(Stop::Failed(_))), "{after:?}");
        assert_eq!(head, Ok(()));
    }

    #[tokio::test]
    async fn a_route_without_a_file_needs_a_fixture() {
        let results = run("missing").await;
        assert!(
            results
                .iter()
                .all(|result| matches!(result, Err(Stop::Ignored(_)))),
            "{results:?}"
        );
    }
}
