//! Words with which `kit migrate:status` describes the state of a database.

use kit_database::Problem;
use kit_migrate::{Difference, Half, MigrationStatus, State, Status};

use crate::console::quantity;

/// Types of the project compared with its migrations.
pub(crate) enum Types {
    /// The migrations contain all changes of the types, or the directory has no types, as in production.
    Same,
    /// Description of the changes that no migration contains.
    Ahead(String),
    /// Changes that no migration contains, and for which kit cannot plan a migration.
    Refused(Vec<Problem>),
    /// Reason why the types were not compared.
    Unknown(String),
}

impl Types {
    /// Returns true if the types have changes that no migration contains.
    pub(crate) fn are_ahead(&self) -> bool {
        matches!(self, Self::Ahead(_) | Self::Refused(_))
    }
}

/// Returns the descriptions of problems as one text.
pub(crate) fn text_of(problems: &[Problem]) -> String {
    let texts = problems.iter();
    let texts: Vec<String> = texts
        .map(|one| format!("{}: {}", one.place, one.message))
        .collect();
    texts.join("; ")
}

/// Returns the word for a state, with which its line begins.
pub(crate) fn word(state: &State) -> &'static str {
    match state {
        State::Applied { .. } => "applied",
        State::Pending { .. } => "pending",
        State::Edited { .. } => "edited",
        State::Missing { .. } => "missing",
        State::Later { .. } => "later",
        State::Expanded { .. } => "expanded",
        State::PartlyApplied { .. } | State::PartlyUndone => "half way",
        State::PartlyReplaced { .. } => "in part",
    }
}

/// Returns details of a state; an empty text if there are none.
pub(crate) fn facts(state: &State) -> String {
    match state {
        State::Applied { at, .. }
        | State::Edited { at }
        | State::Missing { at: Some(at) }
        | State::Later { at: Some(at) } => at.clone(),
        State::Missing { at: None } | State::Later { at: None } => "partly applied".to_owned(),
        State::Expanded { since } => format!("since {since}; the second half is missing"),
        State::PartlyUndone => "its first half is being undone".to_owned(),
        State::PartlyReplaced { missing, different } => {
            let lists = [("not applied", missing), ("applied with another text", different)];
            let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
            let lists = lists.map(|(title, names)| format!("{title}: {}", names.join(", ")));
            lists.collect::<Vec<_>>().join("; ")
        }
        State::Pending {
            destructive,
            out_of_order,
        } => [
            destructive.then_some("destructive"),
            out_of_order.then_some("older than the newest applied migration"),
        ]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; "),
        State::PartlyApplied {
            done,
            of,
            edited,
            half,
        } => {
            let half = match half {
                Some(Half::First) => "; stopped in the first half",
                Some(Half::Second) => "; stopped in the second half",
                _ => "",
            };
            let edited = if *edited { "; edited since" } else { "" };
            format!("{done} of {of} steps are done{half}{edited}")
        }
    }
}

/// Returns the description of a difference.
pub(crate) fn describe(difference: &Difference) -> String {
    let Difference {
        object,
        expected,
        found,
        ..
    } = difference;
    match (expected, found) {
        (Some(expected), Some(found)) => format!("{object}: is {found}, should be {expected}"),
        (Some(expected), None) => format!("{object}: is missing, should be {expected}"),
        (None, found) => format!(
            "{object}: is {}, but should not exist",
            found.as_deref().unwrap_or("there")
        ),
    }
}

/// Returns the steps that repair all differences. Steps that are equal are listed once.
pub(crate) fn repairs(status: &Status, types: &Types) -> Vec<String> {
    let mut all = Vec::new();
    // A migration must be deleted first; the conflict says which one.
    let has_conflict = status.branches.is_err();
    if matches!(types, Types::Ahead(_)) && !has_conflict {
        all.push(
            "`kit migrate:generate --name <name>` writes the changes of the types into a migration"
                .to_owned(),
        );
    }
    if let Types::Refused(problems) = types
        && !has_conflict
    {
        all.extend(problems.iter().map(|one| format!("{}: {}", one.place, one.help)));
    }
    let mut pending = false;
    for MigrationStatus { name, state } in &status.migrations {
        match state {
            State::Applied { .. } | State::Later { .. } => {}
            State::Pending { .. } => pending = true,
            State::Edited { .. } => all.push(format!(
                "restore migration.sql and snapshot.json in migrations/{name} as they were when the migration was applied \
                 (`git log -- migrations/{name}` finds this version), and put the change into a new migration"
            )),
            State::Missing { .. } => all.push(format!(
                "get migrations/{name}/ from the branch or version that has it (`git log --all -- migrations/{name}` finds it), or \
                 use a database of this branch's own"
            )),
            State::PartlyApplied {
                done, edited, half, ..
            } => {
                let command = match half {
                    Some(Half::First) => "expand",
                    Some(Half::Second) => "contract",
                    _ => "apply",
                };
                let first = if *edited {
                    let steps = quantity(*done, "step");
                    format!("restore the first {steps} of migrations/{name}/migration.sql, then ")
                } else {
                    String::new()
                };
                all.push(format!("{first}`kit migrate:{command}` continues {name} at the failed step"));
            }
            State::Expanded { .. } => all.push(format!(
                "`kit migrate:contract` completes {name}, if no process of the old build is left; with `--abort`, it goes back to the tables of the old build"
            )),
            State::PartlyUndone => all.push(format!("`kit migrate:contract --abort` continues to undo {name}")),
            State::PartlyReplaced { .. } => all.push(format!(
                "{name} replaces several migrations: apply the missing ones with a version of the project from before the squash (`git log -- migrations` finds it), \
                 or create the database anew"
            )),
        }
    }
    if pending && !has_conflict {
        all.insert(0, "`kit migrate:apply` applies the pending migrations".to_owned());
    }
    if let Ok(drift) = &status.drift {
        all.extend(
            drift
                .differences
                .iter()
                .map(|difference| format!("{}: {}", difference.object, difference.repair)),
        );
    }
    all
}
