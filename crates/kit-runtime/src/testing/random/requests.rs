//! Sends random requests, and makes the first request that fails smaller.

use serde_json::{Map, Value};

use super::slots::{Source, Spoiled};
use super::{Random, Randomness};
use crate::testing::client::merged;
use crate::testing::document::Table;
use crate::testing::fixture::Fixture;
use crate::testing::outcome::{Checked, Stop};
use crate::testing::request::{RouteRequest, Slots, slots_of, with_fixture};
use crate::testing::run::Running;
use crate::testing::values::Slot;

/// Largest number of requests that are sent to find a smaller request with the same failure.
const SHRINKS: usize = 100;

/// Failure of a request.
struct Failure {
    kind: FailureKind,
    message: String,
}

/// Kind of a failure. Two requests with failures of one kind find the same mistake of the application.
#[derive(PartialEq)]
enum FailureKind {
    /// The response breaks the contract. It has this status, and its error this code.
    Response(u16, Option<String>),
    /// There is no response.
    NoResponse,
}

impl Running {
    /// Sends requests with random values that fit the types of the contract. Each must succeed, or get an error that the contract declares.
    pub(in crate::testing) async fn takes_random(
        &self,
        table: &Table,
        randomness: Randomness,
        test: &str,
    ) -> Checked {
        let source = self.source(table).await?;
        let mut random = Random::new(randomness.seed, test);
        let mut has_random = false;
        for _ in 0..randomness.runs {
            let (slots, is_random) = source.valid(&mut random);
            has_random |= is_random;
            let Some(failure) = self.send_random(table, &slots).await? else {
                continue;
            };
            let (message, count) = self.smaller(&source, slots, failure).await;
            return Err(Stop::Failed(found(&message, randomness, test, count)));
        }
        if !has_random {
            let reason = "kit found no random values: all requests had the values of the valid request";
            return Err(Stop::Ignored(reason.to_owned()));
        }
        Ok(())
    }

    /// Sends requests with random values, one of which breaks its type. Each must be refused with the path of this value.
    pub(in crate::testing) async fn refuses_random(
        &self,
        table: &Table,
        randomness: Randomness,
        test: &str,
    ) -> Checked {
        let source = self.source(table).await?;
        let mut random = Random::new(randomness.seed, test);
        let mut sent = 0;
        for _ in 0..randomness.runs {
            let Some(spoiled) = source.spoiled(&mut random) else {
                continue;
            };
            sent += 1;
            match self.send_spoiled(table, spoiled).await {
                Err(Stop::Failed(message)) => {
                    return Err(Stop::Failed(found(&message, randomness, test, 0)));
                }
                // The handler is not written.
                Err(ignored @ Stop::Ignored(_)) => return Err(ignored),
                Ok(()) => {}
            }
        }
        if sent == 0 {
            let reason = "kit found no random request that breaks exactly one rule";
            return Err(Stop::Ignored(reason.to_owned()));
        }
        Ok(())
    }

    async fn source<'a>(&self, table: &'a Table) -> Checked<Source<'a>> {
        let shapes = table.shapes.iter();
        Ok(Source {
            table,
            shapes: shapes
                .filter_map(|(slot, name)| Some((*slot, self.expect.request_shape(name)?)))
                .collect(),
            given: merged(self.client.headers(), self.fixture_headers(table).await?),
        })
    }

    /// Sends a request. Returns its failure, or `None` if the response keeps the contract.
    ///
    /// # Errors
    ///
    /// If the test can check nothing, such as because the handler is not written.
    async fn send_random(&self, table: &Table, slots: &Slots) -> Checked<Option<Failure>> {
        let mut kind = FailureKind::NoResponse;
        let checked: Checked = async {
            let fixture = self.fixture(table).await?;
            let slots = with_fixture(table, slots.clone(), &fixture);
            let answer = self
                .send(RouteRequest::new(table, slots, fixture.all_headers(table)))
                .await?;
            kind = FailureKind::Response(answer.status, self.expect.code_of(&answer));
            self.expect.answered(table, &answer, false)
        }
        .await;
        match checked {
            Ok(()) => Ok(None),
            Err(Stop::Failed(message)) => Ok(Some(Failure { kind, message })),
            Err(ignored @ Stop::Ignored(_)) => Err(ignored),
        }
    }

    async fn send_spoiled(&self, table: &Table, Spoiled { slots, path }: Spoiled) -> Checked {
        let headers = self.fixture_headers(table).await?;
        let answer = self.send(RouteRequest::new(table, slots, headers)).await?;
        self.expect.refused(table, &answer, &path, false)
    }

    /// Looks for a smaller request whose failure is of the same kind: puts values of the valid request in the place of random ones.
    /// Returns the message of the last failure, and the number of steps.
    async fn smaller(&self, source: &Source<'_>, mut slots: Slots, failure: Failure) -> (String, usize) {
        let Failure { kind, mut message } = failure;
        let table = source.table;
        let valid = slots_of(table, &Fixture::new(), &[]);
        let mut steps = 0;
        let places: Vec<(Slot, String)> = slots
            .iter()
            .flat_map(|(slot, value)| {
                let names = value.as_object().into_iter().flat_map(Map::keys);
                names.map(|name| (*slot, name.clone())).collect::<Vec<_>>()
            })
            .collect();
        for (slot, name) in places.into_iter().take(SHRINKS) {
            let mut fewer = slots.clone();
            let Some(Value::Object(members)) = fewer.get_mut(&slot) else {
                continue;
            };
            match valid.get(&slot).and_then(|valid| valid.get(&name)) {
                Some(valid) => members.insert(name, valid.clone()),
                None => members.shift_remove(&name),
            };
            // The type may be a union whose members do not share this value.
            if fewer == slots || !fewer.get(&slot).is_some_and(|value| source.fits(slot, value)) {
                continue;
            }
            // Each request needs other unique strings.
            let fresh = slots_of(table, &Fixture::new(), &[]);
            if let (Some(body), Some(fresh)) = (fewer.get_mut(&Slot::Body), fresh.get(&Slot::Body)) {
                *body = source.kept(Slot::Body, body.take(), Some(fresh));
            }
            match self.send_random(table, &fewer).await {
                Ok(Some(other)) if other.kind == kind => {
                    (slots, message) = (fewer, other.message);
                    steps += 1;
                }
                _ => {}
            }
        }
        (message, steps)
    }
}

/// Returns the message of a failure with the command that sends the requests again.
fn found(message: &str, Randomness { runs, seed }: Randomness, test: &str, steps: usize) -> String {
    let smaller = match steps {
        0 => String::new(),
        1 => ", made smaller in 1 step".to_owned(),
        steps => format!(", made smaller in {steps} steps"),
    };
    format!(
        "{message}\nfound by random requests, seed {seed}{smaller}\n\
         cargo test --test contract -- --runs {runs} --seed {seed} --exact '{test}'"
    )
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use crate::shape::{Property, Shape};
    use crate::testing::case::Kind;
    use crate::testing::document::{Document, Table};
    use crate::testing::expect::{Expectations, NamedShape};
    use crate::testing::outcome::{Checked, Stop};
    use crate::testing::random::Randomness;
    use crate::testing::run::Running;
    use crate::testing::setup::TestSetup;
    use crate::{Application, Contract, Error, Response, Routes, Segment, StatusCode};

    const TABLES: &str = r#"{"routes":[{
        "place": "api/notes.routes.ts:3", "route": "POST /notes", "shapes": { "body": "Note" },
        "replies": [{ "status": 201, "body": "Note" }], "request": { "body": { "title": "Milk" } }
    }, {
        "place": "api/notes.routes.ts:9", "route": "POST /events", "shapes": { "body": "Event" },
        "replies": [{ "status": 201 }], "request": { "body": { "kind": "a", "text": "Milk" } }
    }]}"#;

    const EVENT: Shape = Shape::union(&[
        Shape::object(
            "Text",
            &[
                Property::required("kind", Shape::literal("a")),
                Property::required("text", Shape::TEXT),
            ],
        ),
        Shape::object(
            "Link",
            &[
                Property::required("kind", Shape::literal("b")),
                Property::required("url", Shape::TEXT),
            ],
        ),
    ]);

    #[derive(Serialize, Deserialize)]
    struct Event {
        kind: String,
    }

    impl Contract for Event {
        const NAME: &'static str = "Event";

        fn shape() -> &'static Shape {
            &EVENT
        }
    }

    const NOTE: Shape = Shape::object(
        "Note",
        &[
            Property::required("title", Shape::TEXT.max_length(20)),
            Property::optional("stars", Shape::INTEGER.minimum(1.0).maximum(5.0)),
        ],
    );

    #[derive(Serialize, Deserialize)]
    struct Note {
        title: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        stars: Option<i64>,
    }

    impl Contract for Note {
        const NAME: &'static str = "Note";

        fn shape() -> &'static Shape {
            &NOTE
        }
    }

    const NOTES: &[NamedShape] = &[NamedShape::of::<Note>(), NamedShape::of::<Event>()];

    /// Behaviour of the route.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum App {
        Right,
        /// Fails if a note has stars.
        Fails,
        /// Accepts everything.
        ChecksNothing,
        Unwritten,
    }

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    async fn run(app: App, kind: Kind) -> Checked {
        run_table(app, kind, 0).await
    }

    async fn run_table(app: App, kind: Kind, index: usize) -> Checked {
        let router = Routes::new(app)
            .route(
                "POST /notes",
                &[Segment::Static("notes")],
                async |app, request| {
                    let note = match app {
                        App::ChecksNothing => Note {
                            title: String::new(),
                            stars: None,
                        },
                        _ => request.body::<Note>()?,
                    };
                    if app == App::Unwritten {
                        return Err(Error::not_implemented("POST /notes", "src/handlers/notes.rs"));
                    }
                    if app == App::Fails && note.stars.is_some() {
                        return Err(Error::internal("on purpose"));
                    }
                    Response::json(&request.into_context()?, StatusCode::CREATED, &note)
                },
            )
            .route(
                "POST /events",
                &[Segment::Static("events")],
                async |_app, request| {
                    let event = request.body::<Event>()?;
                    if event.kind == "b" {
                        return Err(Error::internal("on purpose"));
                    }
                    Ok(Response::empty(&request.into_context()?, StatusCode::CREATED))
                },
            )
            .into_router();
        let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
        let expect = Expectations {
            errors,
            shapes: NOTES,
            requests: NOTES,
        };
        let table: &Table = &routes[index];
        Running::new(TestSetup::new(router), expect)
            .run(kind, table)
            .await
    }

    const RANDOM: Randomness = Randomness { runs: 30, seed: 42 };

    #[tokio::test]
    async fn an_application_that_keeps_its_contract_passes() {
        assert_eq!(run(App::Right, Kind::TakesRandom(RANDOM)).await, Ok(()));
        assert_eq!(run(App::Right, Kind::RefusesRandom(RANDOM)).await, Ok(()));
    }

    #[tokio::test]
    async fn a_failure_names_a_smaller_request_and_the_command_that_repeats_it() {
        let Err(Stop::Failed(message)) = run(App::Fails, Kind::TakesRandom(RANDOM)).await else {
            panic!("the test passed");
        };
        // The title of the valid request took the place of the random one.
        assert!(message.contains(r#"{"title":"Milk","stars":"#), "{message}");
        assert!(
            message.ends_with(
                "found by random requests, seed 42, made smaller in 1 step\n\
                 cargo test --test contract -- --runs 30 --seed 42 --exact 'POST /notes: takes 30 random requests'"
            ),
            "{message}"
        );
    }

    #[tokio::test]
    async fn a_failure_keeps_its_message_if_smaller_requests_would_break_the_contract() {
        let result = run_table(App::Right, Kind::TakesRandom(RANDOM), 1).await;
        let Err(Stop::Failed(message)) = result else {
            panic!("{result:?}");
        };
        assert!(
            message.starts_with("POST /events failed with INTERNAL_SERVER_ERROR"),
            "{message}"
        );
        assert!(message.contains(r#"{"kind":"b","url":"#), "{message}");
    }

    #[tokio::test]
    async fn an_application_that_accepts_wrong_values_fails() {
        let result = run(App::ChecksNothing, Kind::RefusesRandom(RANDOM)).await;
        let Err(Stop::Failed(message)) = result else {
            panic!("{result:?}");
        };
        assert!(
            message.contains("POST /notes accepted a request with an invalid value at $"),
            "{message}"
        );
    }

    #[tokio::test]
    async fn a_handler_that_is_not_written_is_ignored() {
        let result = run(App::Unwritten, Kind::TakesRandom(RANDOM)).await;
        assert!(matches!(result, Err(Stop::Ignored(_))), "{result:?}");
    }
}
