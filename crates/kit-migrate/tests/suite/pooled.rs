//! Tests of poolers between kit and PostgreSQL.
//!
//! The pooler of these tests works like a real one: it handles the startup itself and forwards messages. It takes a
//! server process back when PostgreSQL reports that no transaction is open (`ReadyForQuery` with `I`). If pgbouncer is
//! installed, a test uses it too.

use kit_test_postgres as support;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use kit_database::Migration;
use kit_migrate::{MigrateError, Options, apply, status, with_scratch_database};
use support::{Bouncer, database, own_server, query};

/// Query that counts the advisory locks of one database. Other databases of the server belong to other tests.
const LOCKS: &str = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// A server process, with the parameters that it reported at its start.
struct Process {
    stream: TcpStream,
    parameters: Vec<u8>,
}

/// Policy of the pooler: the moment at which it takes a process back from a client, and the process that it assigns
/// next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Takes a process back after each transaction and assigns the most recently returned one.
    Transaction,
    /// Takes a process back after each transaction and assigns the least recently returned one, like
    /// `server_round_robin`.
    TransactionInTurns,
    /// Takes a process back when the client disconnects.
    Session,
}

struct Pool {
    idle: Mutex<VecDeque<Process>>,
    came_back: Condvar,
    mode: Mode,
}

/// Reads a message. Returns its type byte and the complete message.
fn message(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).ok()?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let mut whole = head.to_vec();
    whole.resize(length + 1, 0);
    stream.read_exact(&mut whole[5..]).ok()?;
    Some((head[0], whole))
}

/// Reads the first message of a client, which has no type byte.
fn greeting(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    let mut body = vec![0; u32::from_be_bytes(head) as usize - 4];
    stream.read_exact(&mut body).ok()?;
    Some(body)
}

fn process(port: u16, database: &str) -> Process {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("PostgreSQL");
    let mut body = 196_608_u32.to_be_bytes().to_vec();
    body.extend(format!("user\0postgres\0database\0{database}\0\0").bytes());
    let length = u32::try_from(body.len() + 4).expect("a short message");
    stream
        .write_all(&[length.to_be_bytes().to_vec(), body].concat())
        .expect("a greeting");
    let mut parameters = Vec::new();
    loop {
        let (letter, whole) = message(&mut stream).expect("an answer");
        match letter {
            b'S' => parameters.extend(whole),
            b'Z' => return Process { stream, parameters },
            _ => {}
        }
    }
}

impl Pool {
    /// Starts a pooler with the given number of server processes. Returns its URL.
    fn start(url: &str, size: usize, mode: Mode) -> String {
        let (base, database) = url.rsplit_once('/').expect("a database");
        let port = base.rsplit_once(':').expect("a port").1.parse().expect("a port");
        let idle = (0..size).map(|_| process(port, database)).collect();
        let pool = Arc::new(Self {
            idle: Mutex::new(idle),
            came_back: Condvar::new(),
            mode,
        });
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = listener.local_addr().expect("a port").port();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let pool = Arc::clone(&pool);
                thread::spawn(move || pool.serve(client));
            }
        });
        format!("postgres://postgres@127.0.0.1:{own}/{database}?sslmode=disable")
    }

    fn borrow(&self) -> Process {
        let idle = self.idle.lock().expect("the pool");
        let mut idle = self
            .came_back
            .wait_while(idle, |idle| idle.is_empty())
            .expect("the pool");
        if self.mode == Mode::TransactionInTurns {
            idle.pop_front().expect("a process")
        } else {
            idle.pop_back().expect("a process")
        }
    }

    fn give_back(&self, process: Process) {
        self.idle.lock().expect("the pool").push_back(process);
        self.came_back.notify_one();
    }

    /// Serves a client until it disconnects. The result has no meaning: it only allows early returns with `?`.
    fn serve(&self, mut client: TcpStream) -> Option<()> {
        greeting(&mut client)?;
        let some = self.borrow();
        // AuthenticationOk, the parameters of the server, a key without effect on cancel requests, ReadyForQuery.
        let hello = [
            b"R\0\0\0\x08\0\0\0\0".to_vec(),
            some.parameters.clone(),
            b"K\0\0\0\x0c\0\0\0\x01\0\0\0\x02".to_vec(),
            b"Z\0\0\0\x05I".to_vec(),
        ]
        .concat();
        let mut lent = None;
        if self.mode == Mode::Session {
            lent = Some(some);
        } else {
            self.give_back(some);
        }
        client.write_all(&hello).ok()?;
        while let Some((letter, whole)) = message(&mut client).filter(|(letter, _)| *letter != b'X') {
            let mut process = lent.take().unwrap_or_else(|| self.borrow());
            process.stream.write_all(&whole).ok()?;
            let mut is_open = true;
            // The response to a query, or to a Sync after other messages, ends with ReadyForQuery.
            if matches!(letter, b'Q' | b'S') {
                loop {
                    let (letter, answer) = message(&mut process.stream)?;
                    let _ = client.write_all(&answer);
                    if letter == b'Z' {
                        is_open = answer[5] != b'I';
                        break;
                    }
                }
            }
            if is_open || self.mode == Mode::Session {
                lent = Some(process);
            } else {
                self.give_back(process);
            }
        }
        if let Some(mut process) = lent {
            if self.mode != Mode::Session {
                // The client disconnected within a transaction.
                process.stream.write_all(b"Q\0\0\0\x0dROLLBACK\0").ok()?;
                while message(&mut process.stream)?.0 != b'Z' {}
            }
            self.give_back(process);
        }
        None
    }
}

fn notes() -> Migration {
    let changes = r#"{ "version": 1, "destructive": false, "changes": [] }"#;
    Migration::read("20260101000000_notes", "CREATE TABLE notes ();", changes, None).expect("a migration")
}

/// Asserts that kit refuses the pooler and leaves nothing behind.
fn is_refused(through: &str, direct: &str, place: &str) {
    let migrations = [notes()];
    for attempt in 0..5 {
        let error = apply(through, &migrations, &Options::default()).expect_err(place);
        assert!(
            matches!(error, MigrateError::Pooled),
            "{place}, {attempt}: {error}"
        );
        assert!(error.to_string().contains("pgbouncer"), "{error}");
        assert!(error.help().is_some_and(|help| help.contains("DATABASE_URL")));
        let error = status(through, &migrations).expect_err(place);
        assert!(
            matches!(error, MigrateError::Pooled),
            "{place}, {attempt}: {error}"
        );
    }
    assert_eq!(query(direct, LOCKS), ["0"], "{place}");
    assert_eq!(
        query(direct, "SELECT to_regclass('kit_migrations')"),
        ["null"],
        "{place}"
    );
    for _ in 0..4 {
        assert_eq!(query(through, "SHOW lock_timeout"), ["0"], "{place}");
    }
}

#[test]
fn refuses_a_pooler_that_assigns_processes_per_transaction() {
    let test = "refuses_a_pooler_that_assigns_processes_per_transaction";
    for (size, mode) in [
        (1, Mode::Transaction),
        (2, Mode::Transaction),
        (5, Mode::Transaction),
        (2, Mode::TransactionInTurns),
        (5, Mode::TransactionInTurns),
    ] {
        let Some(database) = database(test) else {
            return;
        };
        let through = Pool::start(&database.url, size, mode);
        is_refused(&through, &database.url, &format!("{size} {mode:?}"));
    }
}

#[test]
fn accepts_a_pooler_that_assigns_processes_per_session() {
    let Some(database) = database("accepts_a_pooler_that_assigns_processes_per_session") else {
        return;
    };
    let through = Pool::start(&database.url, 3, Mode::Session);
    let migrations = [notes()];
    apply(&through, &migrations, &Options::default()).expect("a run");
    assert!(status(&through, &migrations).expect("a status").is_up_to_date());
    // The process stays in the pool, without the locks and settings of the run.
    assert_eq!(query(&database.url, LOCKS), ["0"]);
    assert_eq!(query(&through, "SHOW lock_timeout"), ["0"]);
}

#[test]
#[allow(clippy::result_large_err)] // a test looks at one at a time
fn nothing_runs_in_a_scratch_database_if_a_pooler_gives_each_client_the_same_database() {
    let test = "nothing_runs_in_a_scratch_database_if_a_pooler_gives_each_client_the_same_database";
    let Some(database) = database(test) else {
        return;
    };
    let through = Pool::start(&database.url, 2, Mode::Session);
    let mut has_run = false;
    let error = with_scratch_database(&through, |_| {
        has_run = true;
        Ok(())
    });
    let error = error.expect_err("the pooler has one database");
    let MigrateError::OtherDatabase { wanted, found } = &error else {
        panic!("{error}");
    };
    assert!(database.url.ends_with(&format!("/{found}")), "{error}");
    assert!(
        error
            .help()
            .is_some_and(|help| help.contains("SCRATCH_DATABASE_URL")),
        "{error}"
    );
    assert!(!has_run);
    let left = format!("SELECT count(*) FROM pg_database WHERE datname = '{wanted}'");
    assert_eq!(query(&database.url, &left), ["0"]);
}

#[test]
fn leaves_no_lock_and_no_setting_in_a_pooled_session_after_a_failed_run() {
    let test = "leaves_no_lock_and_no_setting_in_a_pooled_session_after_a_failed_run";
    let Some(database) = database(test) else {
        return;
    };
    let through = Pool::start(&database.url, 2, Mode::Session);
    let changes = r#"{ "version": 1, "destructive": false, "changes": [] }"#;
    for sql in [
        "SET statement_timeout = 12345; SELECT 1 / 0;",
        "SET ROLE pg_monitor; CREATE TABLE notes (); SELECT nothing;",
        "BEGIN; COMMIT;",
    ] {
        let broken = Migration::read("20260101000000_broken", sql, changes, None).expect("a migration");
        apply(&through, &[broken], &Options::default()).expect_err(sql);
        assert_eq!(query(&database.url, LOCKS), ["0"], "{sql}");
        for _ in 0..2 {
            for (setting, value) in [
                ("lock_timeout", "0"),
                ("statement_timeout", "0"),
                ("role", "none"),
            ] {
                assert_eq!(query(&through, &format!("SHOW {setting}")), [value], "{sql}");
            }
        }
    }
}

#[test]
fn refuses_pgbouncer_in_transaction_mode_and_accepts_pgbouncer_in_session_mode() {
    let test = "refuses_pgbouncer_in_transaction_mode_and_accepts_pgbouncer_in_session_mode";
    let Some(server) = own_server(test, &[], &[]) else {
        return;
    };
    let url = server.url();
    let through = |mode| Bouncer::start(test, &url, "postgres", mode, 3);
    let (Some(transactions), Some(sessions)) = (through("transaction"), through("session")) else {
        return;
    };
    is_refused(&transactions.url, &url, "pgbouncer");
    apply(&sessions.url, &[notes()], &Options::default()).expect("a run");
    assert_eq!(query(&url, LOCKS), ["0"]);
}
