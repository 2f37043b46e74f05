//! Tests that compare the splitting of statements with psql: both must split the same random scripts into the same
//! statements.
#![allow(clippy::disallowed_methods)] // psql is a program, and reads a file

use kit_test_postgres as support;

use std::process::Command;

use support::{database, random};

/// Parts of random scripts. No statement is valid, so psql reports each one with the line of its end.
const PIECES: &[&str] = &[
    "zz ",
    "a1 ",
    "(",
    ")",
    "; \n",
    ";\n",
    "\n",
    " ",
    "'a;b' ",
    "'it''s' ",
    "E'\\';' ",
    "E'a\\\\' ",
    "\"q;q\" ",
    "\"q\"\"; \" ",
    "$$ ; $$ ",
    "$x$ $$ ; $x$ ",
    "$x$;$x$",
    "-- ;\n",
    "--'\n",
    "/* ; */ ",
    "/* ; /* ' */ ; */ ",
    "U&'a;' ",
    "B'0' ",
    "x'1' ",
    "1.5 ",
    "$1 ",
    "a$b$c ",
    "case ",
    "end ",
    "begin ",
    "+ ",
    "::int ",
    "[1] ",
    "N'n;' ",
    "'a'\n'b;' ",
    "-- x\r; ",
];

/// A `CREATE FUNCTION` whose body is SQL with semicolons.
const FUNCTION: &str = "create function zz() begin atomic select case when true then 1 end; zz 2; end";

fn script(seed: u64) -> String {
    let mut text = String::new();
    for byte in random(seed, 30) {
        if text.trim_end().ends_with(';') || text.is_empty() {
            text.push_str(if byte % 9 == 0 { FUNCTION } else { "zz " });
        }
        text.push_str(PIECES[usize::from(byte) % PIECES.len()]);
    }
    // Close open parentheses, so that the script has an end.
    text.push_str(&")".repeat(text.matches('(').count()));
    text.push_str(";\n");
    text
}

#[test]
fn splits_statements_like_psql() {
    if Command::new("psql").arg("--version").output().is_err() {
        eprintln!("SKIPPED splits_statements_like_psql: psql is not installed");
        return;
    }
    let Some(database) = database("splits_statements_like_psql") else {
        return;
    };
    let file = std::env::temp_dir().join(format!("kit-splitting-{}.sql", std::process::id()));
    let mut compared = 0;
    let first: u64 = std::env::var("KIT_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let runs: u64 = std::env::var("KIT_RUNS").map_or(150, |runs| runs.parse().expect("a number"));
    for seed in first..first + runs {
        let text = script(seed);
        let Ok(cut) = kit_migrate::split_statements(&text) else {
            continue;
        };
        std::fs::write(&file, &text).expect("a file");
        let output = Command::new("psql")
            .args(["-X", "-q", "-f"])
            .arg(&file)
            .env("PGHOST", "127.0.0.1")
            .env("PGUSER", "postgres")
            .env(
                "PGPORT",
                database
                    .url
                    .rsplit(':')
                    .next()
                    .and_then(|rest| rest.split('/').next())
                    .expect("a port"),
            )
            .env("PGDATABASE", database.url.rsplit('/').next().expect("a name"))
            .output()
            .expect("psql");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let ended: Vec<usize> = said
            .lines()
            .filter(|line| line.contains(": ERROR:"))
            .filter_map(|line| {
                let after = line.split_once(".sql:")?.1;
                after.split(':').next()?.parse().ok()
            })
            .collect();
        let ours: Vec<usize> = cut
            .iter()
            .map(|cut| {
                // psql reports the line of the semicolon, which may be below the last word.
                let start = cut.text.as_ptr() as usize - text.as_ptr() as usize;
                let end = start + cut.text.len();
                let rest = text[end..].trim_start();
                // Without a semicolon, the statement ends at the end of the file.
                let blank = if rest.is_empty() {
                    0
                } else {
                    text[end..].len() - rest.len()
                };
                1 + text[..end + blank].matches('\n').count()
            })
            .collect();
        assert_eq!(ours, ended, "seed {seed}:\n{text}\n{said}");
        compared += cut.len();
    }
    let _ = std::fs::remove_file(&file);
    assert!(runs < 150 || compared > 150, "{compared} statements");
}
