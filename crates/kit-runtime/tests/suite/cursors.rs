//! Tests that cursors of lists equal those of `defineKeyset` in `@kit/core/keyset`, byte for byte.

use std::collections::BTreeMap;

use kit_runtime::cookies::CookieKeys;
use kit_runtime::keyset::{Filters, KeyType, Keyset, KeysetPage, Order, Side};
use serde::Deserialize;
use serde_json::Value;

/// A list with the cursors that the server on Node makes: after the first row, and before the second.
#[derive(Deserialize)]
struct Case {
    name: String,
    list: String,
    order: String,
    /// Types of the columns, in the order of the file.
    columns: indexmap::IndexMap<String, String>,
    filters: BTreeMap<String, Value>,
    #[serde(default)]
    secret: String,
    /// Keys of the two rows.
    rows: [Vec<String>; 2],
    next: String,
    previous: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../../../conformance/cursors.json")).expect("the vectors are valid")
}

fn leaked(text: &str) -> &'static str {
    text.to_owned().leak()
}

impl Case {
    fn keyset(&self) -> Keyset {
        let columns = self.columns.iter().map(|(name, r#type)| {
            let types = [
                KeyType::BigInt,
                KeyType::Double,
                KeyType::Integer,
                KeyType::Text,
                KeyType::Timestamp,
                KeyType::Timestamptz,
                KeyType::Uuid,
            ];
            let found = types.into_iter().find(|known| known.name() == r#type);
            (leaked(name), found.expect("the type is known"))
        });
        let order = match self.order.as_str() {
            "asc" => Order::Asc,
            _ => Order::Desc,
        };
        Keyset::new(leaked(&self.list), order, columns.collect::<Vec<_>>().leak())
    }

    fn keys(&self) -> CookieKeys {
        CookieKeys::parse(&self.secret).expect("the key is long enough")
    }

    fn filters<'k>(&self, keyset: &'k Keyset) -> Filters<'k> {
        let filters = self.filters.iter();
        filters.fold(keyset.filters(), |filters, (name, value)| {
            filters.filter(leaked(name), value)
        })
    }
}

fn rows_of(keys: &[&Vec<String>]) -> Vec<((), String)> {
    keys.iter()
        .map(|key| ((), serde_json::to_string(key).expect("the key is JSON")))
        .collect()
}

#[test]
fn makes_and_reads_the_cursors_of_the_server_on_node() {
    for case in cases() {
        let (keyset, keys) = (case.keyset(), case.keys());
        let page = |cursor: Option<&str>| case.filters(&keyset).page_signed_by(&keys, cursor, 1);
        let first = page(None).expect("there is no cursor");
        let [one, two] = &case.rows;
        let answer = first.of(rows_of(&[one, two])).expect("the keys are valid");
        assert_eq!(answer.next.as_deref(), Some(case.next.as_str()), "{}", case.name);
        assert_eq!(answer.previous, None);
        let second = page(answer.next.as_deref()).expect("the cursor is valid");
        assert_eq!((second.side(), second.key()), (Some(Side::Next), one.as_slice()));
        let answer = second.of(rows_of(&[two])).expect("the key is valid");
        assert_eq!(
            answer.previous.as_deref(),
            Some(case.previous.as_str()),
            "{}",
            case.name
        );
        assert_eq!(answer.next, None);
        let back = page(answer.previous.as_deref()).expect("the cursor is valid");
        assert_eq!((back.side(), back.key()), (Some(Side::Previous), two.as_slice()));
    }
}

#[test]
fn refuses_cursors_of_other_lists_and_changed_cursors() {
    let all = cases();
    for case in &all {
        let (keyset, keys) = (case.keyset(), case.keys());
        let code = |filters: Filters<'_>, cursor: &str| {
            let page: Result<KeysetPage<'_>, _> = filters.page_signed_by(&keys, Some(cursor), 1);
            page.err()
                .map(|error| (error.status().as_u16(), error.code().to_owned()))
        };
        let invalid = Some((400, "INVALID_CURSOR".to_owned()));
        for other in all.iter().filter(|other| other.name != case.name) {
            assert_eq!(
                code(case.filters(&keyset), &other.next),
                invalid,
                "{}",
                other.name
            );
        }
        assert_eq!(
            code(case.filters(&keyset).filter("more", &1), &case.next),
            invalid
        );
        assert_eq!(
            code(case.filters(&keyset).filter("more", &None::<i64>), &case.next),
            None
        );
        for text in [
            "",
            ".",
            "x",
            "!",
            "é",
            &"A".repeat(5000),
            &format!("{}=", case.next),
            &format!("{}.", case.next),
        ] {
            assert_eq!(code(case.filters(&keyset), text), invalid, "{text}");
        }
        if case.secret.is_empty() {
            continue;
        }
        for at in 0..case.next.len() {
            let other = if case.next.as_bytes()[at] == b'A' {
                "B"
            } else {
                "A"
            };
            let changed = format!("{}{other}{}", &case.next[..at], &case.next[at + 1..]);
            assert_eq!(code(case.filters(&keyset), &changed), invalid, "{at}");
        }
    }
}

#[test]
fn returns_previous_pages_in_the_order_of_the_list() {
    const BY_ID: Keyset = Keyset::new("numbers", Order::Asc, &[("id", KeyType::Integer)]);
    let rows =
        |ids: &[i32]| -> Vec<(i32, String)> { ids.iter().map(|id| (*id, format!("[\"{id}\"]"))).collect() };
    let page = |cursor: Option<&str>| BY_ID.filters().page(cursor, 2);
    let first = page(None).unwrap().of(rows(&[1, 2, 3])).unwrap();
    let last = page(first.next.as_deref()).unwrap().of(rows(&[3])).unwrap();
    assert_eq!((last.data, last.next), (vec![3], None));
    let back = page(last.previous.as_deref()).unwrap();
    // The statement reads previous pages backwards.
    let first_again = back.of(rows(&[2, 1])).unwrap();
    assert_eq!(first_again.data, [1, 2]);
    assert_eq!((first_again.next, first_again.previous), (first.next, None));
    let middle = back.of(rows(&[2, 1, 0])).unwrap();
    assert!(middle.data == [1, 2] && middle.previous.is_some());
    let empty = back.of(rows(&[])).unwrap();
    assert!(empty.data.is_empty() && empty.next.is_none() && empty.previous.is_none());
}

#[test]
fn fails_if_a_key_is_null_or_not_unique() {
    const BY_ID: Keyset = Keyset::new("numbers", Order::Asc, &[("id", KeyType::Integer)]);
    for (keys, message) in [
        (
            ["[\"1\"]", "[null]"],
            "the column id of the list numbers contains NULL",
        ),
        (
            ["[\"1\"]", "[\"1\"]"],
            "two rows of the list numbers have the same key",
        ),
        (["[\"1\"]", "[]"], "contains NULL"),
        (["[\"1\"]", "{"], "is not JSON"),
    ] {
        let rows = keys.iter().map(|key| ((), (*key).to_owned())).collect();
        let error = BY_ID.filters().page(None, 5).unwrap().of(rows).unwrap_err();
        assert!(error.message().contains(message), "{}", error.message());
        assert_eq!(error.status(), 500);
    }
}
