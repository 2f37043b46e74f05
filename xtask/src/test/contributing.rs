//! Parses the table "change X, run Y" of `CONTRIBUTING.md`.

use super::OTHER_SERVERS;

/// Row of the table in `CONTRIBUTING.md`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Row {
    /// Files and directories, relative to the root.
    pub(super) places: Vec<String>,
    pub(super) commands: Vec<TestCommand>,
}

/// Command of the table that this runner can run.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TestCommand {
    /// `cargo test -p a -p b --test c`: all test binaries of the crates, or only the named binaries.
    Crates {
        names: Vec<String>,
        binaries: Vec<String>,
    },
    /// `node --test "glob"`, with the value of `KIT_E2E_SERVER`.
    Node {
        globs: Vec<String>,
        server: Option<&'static str>,
    },
}

/// Returns the rows of the table below the heading "If you change X, run Y".
pub(super) fn rows(contributing: &str) -> Vec<Row> {
    contributing
        .lines()
        .skip_while(|line| !line.starts_with("## If you change X"))
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
            let texts = |cell: usize| cells.get(cell).map(|cell| code_texts(cell)).unwrap_or_default();
            Row {
                places: texts(1),
                commands: texts(2).iter().filter_map(|text| command(text)).collect(),
            }
        })
        .collect()
}

/// Returns the texts between backticks.
fn code_texts(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Parses a command of the table. Returns `None` for other commands, which take too long or need a person.
fn command(text: &str) -> Option<TestCommand> {
    let mut words = text.split_whitespace().peekable();
    let mut server = None;
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        if name == "KIT_BLESS" {
            return None;
        }
        if name == "KIT_E2E_SERVER" {
            server = OTHER_SERVERS
                .into_iter()
                .chain(["rust"])
                .find(|server| *server == value);
        }
        words.next();
    }
    let rest: Vec<&str> = words.collect();
    match rest.as_slice() {
        ["cargo", "test", arguments @ ..] => {
            let values = |option: &str| {
                arguments
                    .windows(2)
                    .filter(|pair| pair[0] == option)
                    .map(|pair| pair[1].to_owned())
                    .collect()
            };
            Some(TestCommand::Crates {
                names: values("-p"),
                binaries: values("--test"),
            })
        }
        ["node", "--test", globs @ ..] => Some(TestCommand::Node {
            globs: globs
                .iter()
                .map(|glob| glob.trim_matches('"').to_owned())
                .collect(),
            server,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{TestCommand, command, rows};
    use crate::repository::Repository;

    #[test]
    fn parses_servers_globs_and_crates_of_commands() {
        assert_eq!(
            command(r#"KIT_E2E_SERVER=express node --test "tests/e2e/servers/*.test.ts""#),
            Some(TestCommand::Node {
                globs: vec!["tests/e2e/servers/*.test.ts".to_owned()],
                server: Some("express"),
            })
        );
        assert_eq!(
            command("cargo test -p a -p b"),
            Some(TestCommand::Crates {
                names: vec!["a".to_owned(), "b".to_owned()],
                binaries: Vec::new(),
            })
        );
        assert_eq!(command("KIT_BLESS=1 cargo test -p a"), None);
        assert_eq!(command("cargo xtask fuzz http"), None);
    }

    #[test]
    fn the_table_has_a_command_for_each_crate_and_package() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let rows = rows(&std::fs::read_to_string(repository.path("CONTRIBUTING.md")).unwrap());
        let mut missing = Vec::new();
        for directory in ["crates", "packages"] {
            for entry in std::fs::read_dir(repository.path(directory)).unwrap() {
                let entry = entry.unwrap();
                let place = format!("{directory}/{}", entry.file_name().to_string_lossy());
                let is_listed = rows
                    .iter()
                    .any(|row| row.places.contains(&place) && !row.commands.is_empty());
                if entry.path().join("src").is_dir() && !is_listed {
                    missing.push(place);
                }
            }
        }
        assert!(
            missing.is_empty(),
            "no row of the table in CONTRIBUTING.md has these places with a command: {missing:?}"
        );
    }
}
