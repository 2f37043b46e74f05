//! Tests that kill a run (`kill -9`) in each half of a migration: the next run continues, and no value is lost.
//!
//! The killed run is a child process that executes this test's own program.
#![allow(clippy::disallowed_methods)] // processes are started
#![allow(clippy::unwrap_used)] // a helper of a test may fail the test
#![allow(clippy::print_stdout)] // prints the number of kills

use kit_test_postgres as support;

use std::cell::Cell;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kit_database::{ColumnType, Migration};
use kit_migrate::{Event, Half, MigrateError, Options, State, apply_watched};

use crate::two_builds::{
    ROWS, SPLIT, clean, column, first, in_two_halves, next_people, people, renamed, run, table,
};
use support::{Release, database_on, execute, is_long_run, query};

const TEST: &str = "continues_each_half_of_a_migration_whose_process_was_killed";

const RANDOM: &str = "continues_each_half_after_kills_at_random_times";

/// Environment variable of the child process: URL of the database, half, and number of the statement before which the
/// process is killed.
const TARGET: &str = "KIT_TEST_KILLED_HALF";

/// Returns migrations of two tables, so that the second half removes columns in two transactions.
fn migrations() -> [Migration; 2] {
    let pets = table("pets", vec![column("name", ColumnType::Text)]);
    let next_pets = table("pets", vec![renamed("name", column("label", ColumnType::Text))]);
    let one = first(&[people(), pets]);
    let two = in_two_halves(2, &one, &[next_people(), next_pets], &SPLIT);
    [one, two]
}

/// Applies a half, and kills this process before a statement.
fn run_and_die(target: &str) {
    let [url, half, at]: [&str; 3] = target.split('|').collect::<Vec<&str>>().try_into().unwrap();
    let half = match half {
        "First" => Half::First,
        "Second" => Half::Second,
        _ => Half::Undo,
    };
    let (at, seen) = (at.parse::<usize>().unwrap(), Cell::new(0));
    let options = Options {
        half,
        ..Options::default()
    };
    let watch = |event: &Event<'_>| {
        if matches!(event, Event::Statement { .. }) {
            if seen.get() == at {
                let own = std::process::id().to_string();
                Command::new("kill").args(["-9", &own]).status().unwrap();
                std::thread::park();
            }
            seen.set(seen.get() + 1);
        }
    };
    apply_watched(url, &migrations(), &options, &watch).unwrap();
}

/// Returns the command that runs a half in a child process, which is killed before a statement.
fn child(url: &str, half: Half, at: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("halves_killed::{TEST}")])
        .env(TARGET, format!("{url}|{half:?}|{at}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Runs a half in a child process that is killed before a statement. Returns true if the half has fewer statements.
fn kill_at(url: &str, half: Half, at: usize) -> bool {
    child(url, half, at).status().unwrap().success()
}

/// Runs a half in a child process that is killed after a time. Returns true if the half was complete before.
fn kill_after(url: &str, half: Half, time: Duration) -> bool {
    let mut run = child(url, half, usize::MAX).spawn().unwrap();
    std::thread::sleep(time);
    run.kill().unwrap();
    run.wait().unwrap().success()
}

#[test]
fn continues_each_half_of_a_migration_whose_process_was_killed() {
    if let Ok(target) = std::env::var(TARGET) {
        run_and_die(&target);
        return;
    }
    let step = if is_long_run() { 1 } else { 13 };
    for (half, offset) in [(Half::Second, 0), (Half::Undo, 2)] {
        for at in (0..).step_by(step).map(|at| at + offset) {
            let Some(database) = database_on(Release::Oldest, TEST) else {
                return;
            };
            if kill_twice(&database.url, half, at) {
                break;
            }
        }
    }
}

#[test]
fn an_interrupted_second_half_can_be_undone_until_a_column_is_gone() {
    const OWN: &str = "an_interrupted_second_half_can_be_undone_until_a_column_is_gone";
    let step = if is_long_run() { 1 } else { 6 };
    let (mut undone, mut refused) = (0, 0);
    for at in (1..).step_by(step) {
        let Some(database) = database_on(Release::Oldest, OWN) else {
            return;
        };
        let (url, all) = (&database.url, migrations());
        run(url, &all[..1], Half::Both).unwrap();
        execute(url, ROWS);
        run(url, &all, Half::First).unwrap();
        if kill_at(url, Half::Second, at) {
            break;
        }
        let count = "SELECT count(*) FROM information_schema.columns WHERE table_name = 'people' AND column_name = 'name'";
        let has_old_column = query(url, count) == ["1"];
        match run(url, &all, Half::Undo) {
            Ok(_) => {
                assert!(has_old_column, "statement {at}");
                assert!(matches!(clean(url, &all), State::Pending { .. }));
                assert_eq!(
                    query(url, "SELECT count(*) FROM people WHERE name = 'Ada L' || cents"),
                    ["500"]
                );
                undone += 1;
            }
            Err(MigrateError::ContractBegan { .. }) => {
                assert!(!has_old_column, "statement {at}");
                run(url, &all, Half::Second).unwrap();
                assert!(matches!(clean(url, &all), State::Applied { .. }));
                refused += 1;
            }
            Err(error) => panic!("statement {at}: {error}"),
        }
    }
    assert!(undone > 0, "{undone} {refused}");
    assert!(refused > 0, "{undone} {refused}");
}

#[test]
fn continues_each_half_after_kills_at_random_times() {
    let runs = if is_long_run() { 100 } else { 4 };
    let mut state: u64 = 7;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut longest = Duration::from_millis(400);
    let mut killed = 0;
    for number in 0..runs {
        let Some(database) = database_on(Release::Oldest, RANDOM) else {
            return;
        };
        let (url, all) = (&database.url, migrations());
        run(url, &all[..1], Half::Both).unwrap();
        execute(url, ROWS);
        let other = if number % 2 == 0 { Half::Second } else { Half::Undo };
        for half in [Half::First, other] {
            let begun = Instant::now();
            let mut is_complete = false;
            // Several kills of one half.
            for _ in 0..=random(3) {
                let limit = u64::try_from(longest.as_millis()).unwrap();
                is_complete = kill_after(url, half, Duration::from_millis(random(limit)));
                killed += u32::from(!is_complete);
                if is_complete {
                    break;
                }
            }
            if !is_complete {
                match run(url, &all, half) {
                    Ok(_) => longest = longest.max(begun.elapsed() / 4).min(Duration::from_secs(2)),
                    // The process was killed after its last commit.
                    Err(MigrateError::NotExpanded) if half != Half::First => {}
                    Err(error) => panic!("run {number}, {half:?}: {error}"),
                }
            }
        }
        let state = clean(url, &all);
        let values = if other == Half::Second {
            assert!(matches!(state, State::Applied { .. }), "run {number}: {state:?}");
            "SELECT count(*) FROM people WHERE first_name || ' ' || last_name = 'Ada L' || amount AND status = 'open'"
        } else {
            assert!(matches!(state, State::Pending { .. }), "run {number}: {state:?}");
            "SELECT count(*) FROM people WHERE name = 'Ada L' || cents AND state = 'open'"
        };
        assert_eq!(query(url, values), ["500"], "run {number}");
        assert_eq!(query(url, "SELECT count(*) FROM kit_migration_progress"), ["0"]);
    }
    println!("killed {killed} times in {runs} runs");
    assert!(killed > 0);
}

/// Kills the first half and then the other half at the given statement. Returns true if both halves have fewer statements.
fn kill_twice(url: &str, half: Half, at: usize) -> bool {
    let all = migrations();
    run(url, &all[..1], Half::Both).unwrap();
    execute(url, ROWS);
    let is_past_first = kill_at(url, Half::First, at);
    run(url, &all, Half::First).unwrap_or_else(|error| panic!("first half, statement {at}: {error}"));
    assert!(matches!(clean(url, &all), State::Expanded { .. }));
    execute(url, "INSERT INTO people (name, cents) VALUES ('Old Build', 1001)");
    execute(
        url,
        "INSERT INTO people (first_name, last_name, amount) VALUES ('New', 'Build', '1002')",
    );
    let is_past_second = kill_at(url, half, at);
    if !is_past_second {
        // With a second half that has begun, the first half can no longer be undone, and the other way round.
        run(url, &all, half).unwrap_or_else(|error| panic!("{half:?}, statement {at}: {error}"));
    }
    let state = clean(url, &all);
    let values = if half == Half::Second {
        assert!(matches!(state, State::Applied { .. }), "{state:?}");
        "SELECT concat_ws('|', first_name || ' ' || last_name, amount, status) FROM people WHERE amount::int > 499 ORDER BY amount::int"
    } else {
        assert!(matches!(state, State::Pending { .. }), "{state:?}");
        "SELECT concat_ws('|', name, cents, state) FROM people WHERE cents > 499 ORDER BY cents"
    };
    assert_eq!(
        query(url, values),
        ["Ada L500|500|open", "Old Build|1001|open", "New Build|1002|open"],
        "{half:?}, statement {at}"
    );
    assert_eq!(query(url, "SELECT count(*) FROM people"), ["502"]);
    assert_eq!(query(url, "SELECT count(*) FROM kit_migration_progress"), ["0"]);
    is_past_first && is_past_second
}
