//! Draws the values of random requests of a route.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Random;
use super::draw::{ASCII_LETTERS, LETTERS, draw};
use super::spoil::changed;
use super::wire::received;
use crate::check::explain;
use crate::shape::Shape;
use crate::testing::client::Headers;
use crate::testing::document::Table;
use crate::testing::fixture::Fixture;
use crate::testing::request::{Slots, slots_of};
use crate::testing::values::Slot;

/// Largest number of values that are drawn to find one that fits or breaks a type.
const DRAWS: usize = 50;

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

/// Route whose requests get random values.
pub(super) struct Source<'a> {
    pub(super) table: &'a Table,
    /// Types of the slots whose values are random.
    pub(super) shapes: BTreeMap<Slot, &'static Shape>,
    /// Headers of the configuration, the setup and the fixture. They and their cookies are not random.
    pub(super) given: Headers,
}

/// Request that breaks one rule.
pub(super) struct Spoiled {
    pub(super) slots: Slots,
    /// Path of the only failure.
    pub(super) path: String,
}

impl Source<'_> {
    /// Draws the values of a valid request. A slot for which no valid value is found has the value of the table. The second result is true
    /// if a value differs from that of the table.
    pub(super) fn valid(&self, random: &mut Random) -> (Slots, bool) {
        let samples = slots_of(self.table, &Fixture::new(), &[]);
        let mut slots = samples.clone();
        for (&slot, &shape) in &self.shapes {
            let sample = samples.get(&slot);
            // Most letters of other alphabets cannot be sent in a header.
            random.letters = if slot == Slot::Headers {
                ASCII_LETTERS
            } else {
                LETTERS
            };
            let drawn = (0..DRAWS).find_map(|_| {
                let drawn = self.kept(slot, draw(shape, sample, random)?, sample);
                self.fits(slot, &drawn).then_some(drawn)
            });
            if let Some(drawn) = drawn {
                slots.insert(slot, drawn);
            }
        }
        let is_random = slots != samples;
        (slots, is_random)
    }

    /// Draws the values of a request that breaks exactly one rule.
    pub(super) fn spoiled(&self, random: &mut Random) -> Option<Spoiled> {
        let (slots, _) = self.valid(random);
        let names: Vec<Slot> = self.shapes.keys().copied().collect();
        (0..DRAWS).find_map(|_| {
            let slot = *random.pick(&names)?;
            let (shape, before) = (*self.shapes.get(&slot)?, slots.get(&slot)?);
            let value = self.kept(slot, changed(before, random)?, Some(before));
            let failures = explain(shape, &received(self.table, slot, shape, &value)?);
            let [failure] = failures.as_slice() else {
                return None;
            };
            let path = failure.path.clone();
            let mut slots = slots.clone();
            slots.insert(slot, value);
            Some(Spoiled { slots, path })
        })
    }

    /// Returns true if a request can represent a value of a slot, and if the value fits the type of the slot.
    pub(super) fn fits(&self, slot: Slot, value: &Value) -> bool {
        let Some(&shape) = self.shapes.get(&slot) else {
            return false;
        };
        let received = received(self.table, slot, shape, value);
        received.is_some_and(|received| explain(shape, &received).is_empty())
    }

    /// Returns the value of a slot in which properties that must not be random have their value of the valid request: credentials, headers
    /// of HTTP, values of the configuration, strings that must differ in each request, and cursors, which only the server makes.
    pub(super) fn kept(&self, slot: Slot, value: Value, sample: Option<&Value>) -> Value {
        let Value::Object(mut members) = value else {
            return value;
        };
        let table = self.table;
        let credentials = table.auth.iter().flat_map(|auth| &auth.credentials);
        let credentials = credentials.filter(|(place, _)| match slot {
            Slot::Headers => place == "header",
            Slot::Cookies => place == "cookie",
            Slot::Query => place == "query",
            Slot::Params | Slot::Body => false,
        });
        let mut names: Vec<&str> = credentials.map(|(_, name)| name.as_str()).collect();
        match slot {
            Slot::Headers => {
                names.extend(KEPT);
                names.extend(self.given.keys().map(String::as_str));
            }
            Slot::Cookies => {
                let pairs = self
                    .given
                    .get("cookie")
                    .into_iter()
                    .flat_map(|text| text.split(';'));
                names.extend(pairs.filter_map(|pair| Some(pair.split_once('=')?.0.trim())));
            }
            Slot::Query if table.list.is_some() => names.push("cursor"),
            Slot::Body => names.extend(table.fresh.keys().map(String::as_str)),
            Slot::Params => names.extend(table.kept_params.iter().map(String::as_str)),
            Slot::Query => {}
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::{Random, Slot, Source};
    use crate::shape::{Format, Property, Shape};
    use crate::testing::client::Headers;
    use crate::testing::document::Table;
    use crate::testing::request::Slots;

    /// Draws the values of ten requests with one random slot. The second result is true if one value differs from the valid request.
    fn drawn(table: &Value, slot: Slot, shape: &'static Shape, given: &[(&str, &str)]) -> (Vec<Slots>, bool) {
        let mut table = table.clone();
        table["place"] = "src/notes.routes.ts:1".into();
        table["route"] = "POST /notes/:id".into();
        let table: Table = serde_json::from_value(table).expect("a table");
        let given = given
            .iter()
            .map(|&(name, text)| (name.to_owned(), text.to_owned()));
        let source = Source {
            table: &table,
            shapes: BTreeMap::from([(slot, shape)]),
            given: given.collect::<Headers>(),
        };
        let mut random = Random::new(42, "slots");
        let (slots, is_random): (Vec<_>, Vec<_>) = (0..10).map(|_| source.valid(&mut random)).unzip();
        (slots, is_random.contains(&true))
    }

    #[test]
    fn long_headers_and_formats_with_bounds_get_random_values() {
        const EMAIL: Shape = Shape::object(
            "Email",
            &[
                Property::required("email", Shape::TEXT.format(Format::Email).max_length(9)),
                Property::required("name", Shape::TEXT),
            ],
        );
        const LONG: Shape = Shape::object(
            "Long",
            &[Property::required("x-long", Shape::TEXT.min_length(400))],
        );
        let headers = json!({ "request": { "headers": { "x-long": "x".repeat(400) } } });
        assert!(drawn(&headers, Slot::Headers, &LONG, &[]).1);
        let body = json!({ "request": { "body": { "email": "a@kit.dev", "name": "" } } });
        assert!(drawn(&body, Slot::Body, &EMAIL, &[]).1);
    }

    #[test]
    fn values_are_not_random_if_the_type_allows_only_one() {
        const ONE: Shape = Shape::object("One", &[Property::required("kind", Shape::literal("a"))]);
        let body = json!({ "request": { "body": { "kind": "a" } } });
        assert!(!drawn(&body, Slot::Body, &ONE, &[]).1);
    }

    #[test]
    fn headers_cookies_and_params_of_the_configuration_are_not_random() {
        const ID: Shape = Shape::object("Id", &[Property::required("id", Shape::TEXT)]);
        const TENANT: Shape = Shape::object(
            "Tenant",
            &[
                Property::required("tenant", Shape::TEXT),
                Property::required("other", Shape::TEXT),
            ],
        );
        let values = json!({ "tenant": "t", "other": "o" });
        for (slot, given) in [
            (Slot::Headers, ("tenant", "acme")),
            (Slot::Cookies, ("cookie", "theme=dark; tenant=acme")),
        ] {
            let table = json!({ "request": { slot.name(): values } });
            let (slots, is_random) = drawn(&table, slot, &TENANT, &[given]);
            assert!(is_random, "{slot:?}");
            assert!(
                slots.iter().all(|slots| slots[&slot]["tenant"] == "t"),
                "{slots:?}"
            );
        }
        let table = json!({ "request": { "params": { "id": "7" } }, "keptParams": ["id"] });
        assert!(!drawn(&table, Slot::Params, &ID, &[]).1);
    }

    #[test]
    fn a_body_is_not_larger_than_the_limit_of_its_route() {
        const LIST: Shape = Shape::object("List", &[Property::required("tags", Shape::array(&Shape::TEXT))]);
        let table = json!({ "bodyBytes": 30, "request": { "body": { "tags": [] } } });
        let (slots, is_random) = drawn(&table, Slot::Body, &LIST, &[]);
        assert!(is_random);
        let sizes = slots.iter().map(|slots| slots[&Slot::Body].to_string().len());
        assert!(sizes.max() <= Some(30), "{slots:?}");
    }
}
