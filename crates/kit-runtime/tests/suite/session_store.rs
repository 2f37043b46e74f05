//! Tests the store of sessions in PostgreSQL. The table is that of `sessionTableSql()` of `@kit/auth`.
#![cfg(all(feature = "sessions", feature = "sqlx"))]
#![allow(clippy::incompatible_msrv)] // the minimum Rust version applies to the sources, not to the tests

use std::time::Duration;

use kit_runtime::Timestamp;
use kit_runtime::postgres::connect;
use kit_runtime::sessions::{PostgresSessions, SessionStore as _, StoredSession};
use kit_test_postgres::{execute, on_each_release};

const TABLE: &str = "CREATE SCHEMA auth;
CREATE TABLE auth.sessions (
  id text PRIMARY KEY,
  subject text NOT NULL,
  data text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  idle_until timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
)";

const IDLE: Duration = Duration::from_secs(1);

/// Returns a session that began and was used `age` milliseconds ago, and ends in `rest` milliseconds.
fn session(id: &str, age: i64, rest: i64) -> StoredSession {
    let now = Timestamp::now().unix_millis();
    let time = Timestamp::from_unix_millis_saturating;
    StoredSession {
        id: id.to_owned(),
        subject: "ada ü'\"".to_owned(),
        data: r#"{"text":"ü\u0000😀'\\$1"}"#.to_owned(),
        created_at: time(now - age),
        seen_at: time(now - age),
        expires_at: time(now + rest),
    }
}

fn run(url: &str, work: impl AsyncFnOnce(PostgresSessions)) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let pool = connect(url).await.expect("a pool");
        let store = PostgresSessions::new(pool.clone());
        work(store.table("auth.sessions").expect("the name is valid")).await;
        pool.close().await;
    });
}

#[test]
fn sessions_are_read_as_they_were_stored_and_do_not_come_back_after_the_logout() {
    on_each_release(
        "sessions_are_read_as_they_were_stored_and_do_not_come_back_after_the_logout",
        |database| {
            execute(&database.url, TABLE);
            run(&database.url, async |store| {
                let stored = session("one", 0, 60_000);
                store.create(&stored, IDLE).await.expect("stored");
                assert_eq!(store.read("one").await.expect("read"), Some(stored.clone()));
                store.update("one", "[]").await.expect("updated");
                let seen_at = Timestamp::from_unix_millis_saturating(stored.seen_at.unix_millis() + 500);
                store.touch("one", seen_at, IDLE).await.expect("touched");
                // An earlier request that ends later does not move the time back.
                store.touch("one", stored.seen_at, IDLE).await.expect("touched");
                let changed = StoredSession {
                    data: "[]".to_owned(),
                    seen_at,
                    ..stored
                };
                assert_eq!(store.read("one").await.expect("read"), Some(changed));

                store.delete("one").await.expect("deleted");
                store.touch("one", Timestamp::now(), IDLE).await.expect("touched");
                store.update("one", "{}").await.expect("updated");
                store.delete("one").await.expect("deleted");
                assert_eq!(store.read("one").await.expect("read"), None);
            });
        },
    );
}

/// Returns the ids of the sessions that exist.
async fn remaining(store: &PostgresSessions) -> Vec<&'static str> {
    let mut found = Vec::new();
    for id in ["one", "other", "two"] {
        if store.read(id).await.expect("read").is_some() {
            found.push(id);
        }
    }
    found
}

#[test]
fn all_sessions_of_a_user_end_except_for_one() {
    on_each_release("all_sessions_of_a_user_end_except_for_one", |database| {
        execute(&database.url, TABLE);
        run(&database.url, async |store| {
            let other = StoredSession {
                subject: "bob".to_owned(),
                ..session("other", 0, 60_000)
            };
            for each in [&session("one", 0, 60_000), &session("two", 0, 60_000), &other] {
                store.create(each, IDLE).await.expect("stored");
            }
            let subject = session("", 0, 0).subject;
            store.delete_all(&subject, Some("two")).await.expect("deleted");
            assert_eq!(remaining(&store).await, ["other", "two"]);
            store.delete_all(&subject, None).await.expect("deleted");
            assert_eq!(remaining(&store).await, ["other"]);
        });
    });
}

#[test]
fn a_session_that_gets_another_id_ends_by_a_logout_everywhere_at_the_same_time() {
    on_each_release(
        "a_session_that_gets_another_id_ends_by_a_logout_everywhere_at_the_same_time",
        |database| {
            execute(&database.url, TABLE);
            run(&database.url, async |store| {
                let stored = session("one", 0, 60_000);
                store.create(&stored, IDLE).await.expect("stored");
                let seen_at = stored.seen_at;
                assert!(store.rename("one", "two", seen_at, IDLE).await.expect("renamed"));
                let renamed = StoredSession {
                    id: "two".to_owned(),
                    ..stored.clone()
                };
                assert_eq!(store.read("two").await.expect("read"), Some(renamed));
                assert_eq!(remaining(&store).await, ["two"]);
                assert!(
                    !store
                        .rename("one", "other", seen_at, IDLE)
                        .await
                        .expect("not renamed")
                );
                store.delete("two").await.expect("deleted");

                for _ in 0..50 {
                    store.create(&stored, IDLE).await.expect("stored");
                    let rename = store.rename("one", "two", seen_at, IDLE);
                    let end = store.delete_all(&stored.subject, None);
                    let (renamed, ended) = tokio::join!(rename, end);
                    renamed.expect("an answer");
                    ended.expect("deleted");
                    assert_eq!(remaining(&store).await, [""; 0]);
                }
            });
        },
    );
}

#[test]
fn sessions_that_have_ended_are_removed() {
    on_each_release("sessions_that_have_ended_are_removed", |database| {
        execute(&database.url, TABLE);
        run(&database.url, async |store| {
            for each in [
                session("idle", 2000, 60_000),
                session("absolute", 100, -50),
                session("valid", 0, 60_000),
            ] {
                store.create(&each, IDLE).await.expect("stored");
            }
            assert_eq!(store.delete_ended().await.expect("deleted"), 2);
            assert_eq!(store.delete_ended().await.expect("deleted"), 0);
            assert!(store.read("valid").await.expect("read").is_some());
        });
    });
}

#[tokio::test]
async fn names_of_tables_that_need_quotes_are_refused() {
    let pool = sqlx::PgPool::connect_lazy("postgres://localhost/none").expect("the URL is valid");
    for name in ["a b", "A", "a;b", "a.b.c", "", "1a", ".a", "a.", &"a".repeat(50)] {
        let refused = PostgresSessions::new(pool.clone()).table(name.to_owned());
        let message = refused.map_or_else(|error| error.to_string(), |_| String::new());
        assert!(message.contains("lower-case letters"), "{name}: {message}");
    }
}

#[tokio::test]
async fn requests_get_503_with_retry_after_if_the_database_cannot_be_reached() {
    let options = sqlx::postgres::PgPoolOptions::new().acquire_timeout(Duration::from_millis(300));
    let pool = options
        .connect_lazy("postgres://127.0.0.1:1/none")
        .expect("the URL is valid");
    let error = PostgresSessions::new(pool)
        .read("one")
        .await
        .expect_err("no database");
    assert_eq!(
        (error.status().as_u16(), error.code()),
        (503, "SERVICE_UNAVAILABLE")
    );
}
