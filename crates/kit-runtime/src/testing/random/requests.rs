//! Sends random requests, and makes the first request that fails smaller.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::draw::draw;
use super::spoil::changed;
use super::wire::received;
use super::{Random, Randomness};
use crate::check::explain;
use crate::shape::Shape;
use crate::testing::client::TestResponse;
use crate::testing::document::Table;
use crate::testing::fixture::Fixture;
use crate::testing::outcome::{Checked, Stop};
use crate::testing::request::{RouteRequest, Slots, slots_of, with_fixture};
use crate::testing::run::Running;
use crate::testing::values::Slot;

/// Largest number of values that are drawn to find one that fits or breaks a type.
const DRAWS: usize = 50;

/// Largest number of requests that are sent to find a smaller request with the same failure.
const SHRINKS: usize = 100;

/// Headers that the server or the middleware reads. A random value would change the meaning of the request.
const KEPT: [&str; 16] = [
    "accept",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "idempotency-key",
    "if-match",
    "if-none-match",
    "origin",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Request that breaks one rule.
struct Spoiled {
    slots: Slots,
    /// Path of the only failure.
    path: String,
}

impl Running {
    /// Sends requests with random values that fit the types of the contract. Each must succeed, or get an error that the contract declares.
    pub(in crate::testing) async fn takes_random(
        &self,
        table: &Table,
        randomness: Randomness,
        test: &str,
    ) -> Checked {
        let shapes = self.shapes_of(table);
        let mut random = Random::new(randomness.seed, test);
        for _ in 0..randomness.runs {
            let slots = valid_slots(table, &shapes, &mut random);
            let Err(Stop::Failed(message)) = result(self.send_random(table, &slots).await)? else {
                continue;
            };
            let (message, count) = self.smaller(table, slots, message).await;
            return Err(Stop::Failed(found(&message, randomness, test, count)));
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
        let shapes = self.shapes_of(table);
        let mut random = Random::new(randomness.seed, test);
        let mut sent = 0;
        for _ in 0..randomness.runs {
            let Some(Spoiled { slots, path }) = spoiled_slots(table, &shapes, &mut random) else {
                continue;
            };
            sent += 1;
            let headers = self.fixture_headers(table).await?;
            let answer = self.send(RouteRequest::new(table, slots, headers)).await?;
            if let Err(Stop::Failed(message)) = self.expect.refused(table, &answer, &path, false) {
                return Err(Stop::Failed(found(&message, randomness, test, 0)));
            }
        }
        if sent == 0 {
            let reason = "kit found no random request that breaks exactly one rule";
            return Err(Stop::Ignored(reason.to_owned()));
        }
        Ok(())
    }

    /// Returns the types of the slots whose values are random.
    fn shapes_of(&self, table: &Table) -> BTreeMap<Slot, &'static Shape> {
        let shapes = table.shapes.iter();
        shapes
            .filter_map(|(slot, name)| Some((*slot, self.expect.request_shape(name)?)))
            .collect()
    }

    async fn send_random(&self, table: &Table, slots: &Slots) -> Checked<TestResponse> {
        let fixture = self.fixture(table).await?;
        let slots = with_fixture(table, slots.clone(), &fixture);
        let answer = self
            .send(RouteRequest::new(table, slots, fixture.all_headers(table)))
            .await?;
        self.expect.answered(table, &answer, false)?;
        Ok(answer)
    }

    /// Looks for a smaller request that fails: puts values of the valid request in the place of random ones. Returns the last failure, and the
    /// number of steps.
    async fn smaller(&self, table: &Table, mut slots: Slots, mut message: String) -> (String, usize) {
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
            if fewer == slots {
                continue;
            }
            // Each request needs other unique strings.
            let fresh = slots_of(table, &Fixture::new(), &[]);
            if let (Some(body), Some(fresh)) = (fewer.get_mut(&Slot::Body), fresh.get(&Slot::Body)) {
                *body = kept(table, Slot::Body, body.take(), Some(fresh));
            }
            if let Err(Stop::Failed(other)) = self.send_random(table, &fewer).await {
                (slots, message) = (fewer, other);
                steps += 1;
            }
        }
        (message, steps)
    }
}

/// Returns an inner error if the test must end without a failure, because the handler is not written.
fn result(answer: Checked<TestResponse>) -> Checked<Checked> {
    match answer {
        Err(ignored @ Stop::Ignored(_)) => Err(ignored),
        other => Ok(other.map(drop)),
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

/// Draws the values of a valid request. A slot for which no valid value is found has the value of the table.
fn valid_slots(table: &Table, shapes: &BTreeMap<Slot, &'static Shape>, random: &mut Random) -> Slots {
    let mut slots = slots_of(table, &Fixture::new(), &[]);
    for (&slot, &shape) in shapes {
        let sample = slots.get(&slot).cloned();
        let drawn = (0..DRAWS).find_map(|_| {
            let drawn = draw(shape, sample.as_ref(), random)?;
            let drawn = kept(table, slot, drawn, sample.as_ref());
            let received = received(table, slot, shape, &drawn)?;
            explain(shape, &received).is_empty().then_some(drawn)
        });
        if let Some(drawn) = drawn {
            slots.insert(slot, drawn);
        }
    }
    slots
}

/// Draws the values of a request that breaks exactly one rule.
fn spoiled_slots(
    table: &Table,
    shapes: &BTreeMap<Slot, &'static Shape>,
    random: &mut Random,
) -> Option<Spoiled> {
    let slots = valid_slots(table, shapes, random);
    let names: Vec<Slot> = shapes.keys().copied().collect();
    (0..DRAWS).find_map(|_| {
        let slot = *random.pick(&names)?;
        let (shape, before) = (*shapes.get(&slot)?, slots.get(&slot)?);
        let value = changed(before, random)?;
        let value = kept(table, slot, value, Some(before));
        let failures = explain(shape, &received(table, slot, shape, &value)?);
        let [failure] = failures.as_slice() else {
            return None;
        };
        let path = failure.path.clone();
        let mut slots = slots.clone();
        slots.insert(slot, value);
        Some(Spoiled { slots, path })
    })
}

/// Returns the value of a slot in which properties that must not be random have their value of the valid request: credentials, headers of
/// HTTP, strings that must differ in each request, and cursors, which only the server makes.
fn kept(table: &Table, slot: Slot, value: Value, sample: Option<&Value>) -> Value {
    let Value::Object(mut members) = value else {
        return value;
    };
    let credentials = table.auth.iter().flat_map(|auth| &auth.credentials);
    let credentials = credentials.filter(|(place, _)| match slot {
        Slot::Headers => place == "header",
        Slot::Cookies => place == "cookie",
        Slot::Query => place == "query",
        Slot::Params | Slot::Body => false,
    });
    let mut names: Vec<&str> = credentials.map(|(_, name)| name.as_str()).collect();
    match slot {
        Slot::Headers => names.extend(KEPT),
        Slot::Query if table.list.is_some() => names.push("cursor"),
        Slot::Body => names.extend(table.fresh.keys().map(String::as_str)),
        _ => {}
    }
    for name in names {
        match sample.and_then(|sample| sample.get(name)) {
            Some(sample) => {
                members.insert(name.to_owned(), sample.clone());
            }
            None => {
                members.shift_remove(name);
            }
        }
    }
    Value::Object(members)
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
    }]}"#;

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

    const NOTES: &[NamedShape] = &[NamedShape::of::<Note>()];

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
            .into_router();
        let Document { errors, routes, .. } = serde_json::from_str(TABLES).expect("tables");
        let expect = Expectations {
            errors,
            shapes: NOTES,
            requests: NOTES,
        };
        let table: &Table = &routes[0];
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
    async fn a_failure_names_the_smallest_request_and_the_command_that_repeats_it() {
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
