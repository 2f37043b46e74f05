//! Migrations that do not fit a squashed migration.

use crate::{Migration, Problem, Replaced, Snapshot};

impl Migration {
    /// Returns the migrations that this migration replaces, in the order of their names; empty if the migration is not a
    /// squashed one.
    pub fn replaces(&self) -> &[Replaced] {
        self.snapshot.as_ref().map_or(&[], |snapshot| snapshot.replaces())
    }

    /// Describes this migration for the squashed migration that replaces it. `breaks` are the changes with which a build
    /// from before the migration may fail. If this migration is a squashed one, returns the migrations that it replaces.
    pub fn to_replaced(&self, breaks: String) -> Vec<Replaced> {
        let id = self.snapshot.as_ref().map(Snapshot::id);
        if self.replaces().is_empty() {
            return vec![Replaced {
                name: self.name.clone(),
                checksum: self.checksum(),
                snapshot: id,
                breaks,
            }];
        }
        let mut all = self.replaces().to_vec();
        if let Some(last) = all.last_mut() {
            last.snapshot = id;
        }
        all
    }
}

/// Returns the names of migrations that exist although a squashed migration replaces them, with the name of the squashed
/// migration. A squash was interrupted, or a merge brought the directories back.
///
/// ```
/// assert_eq!(kit_database::replaced_but_present(&[]), None);
/// ```
pub fn replaced_but_present(migrations: &[Migration]) -> Option<(String, Vec<String>)> {
    migrations.iter().find_map(|squashed| {
        let replaced = squashed.replaces();
        let present: Vec<String> = migrations
            .iter()
            .filter(|migration| replaced.iter().any(|one| one.name == migration.name))
            .map(|migration| migration.name.clone())
            .collect();
        (!present.is_empty()).then(|| (squashed.name.clone(), present))
    })
}

/// Returns a problem for each migration that cannot follow the squashed migration: those that it replaces, and those that
/// were planned from the middle of the replaced ones.
///
/// ```
/// assert_eq!(kit_database::squash_problems(&[]), []);
/// ```
pub fn squash_problems(migrations: &[Migration]) -> Vec<Problem> {
    if let Some((squashed, present)) = replaced_but_present(migrations) {
        let problem = |name: String| Problem {
            message: format!("`{squashed}` replaces this migration, but its directory is still there"),
            help: format!("delete the directory migrations/{name}"),
            place: name,
        };
        return present.into_iter().map(problem).collect();
    }
    let mut problems = Vec::new();
    for squashed in migrations {
        let ids: Vec<&String> = squashed
            .replaces()
            .iter()
            .filter_map(|one| one.snapshot.as_ref())
            .collect();
        let Some((_, inner)) = ids.split_last() else {
            continue;
        };
        for migration in migrations
            .iter()
            .filter(|migration| migration.name != squashed.name)
        {
            let parents = migration
                .snapshot
                .as_ref()
                .and_then(|snapshot| snapshot.parents());
            let is_inner = |parent: &String| inner.contains(&parent) && ids.last() != Some(&parent);
            if parents.unwrap_or_default().iter().any(is_inner) {
                problems.push(Problem {
                    place: migration.name.clone(),
                    message: format!(
                        "the migration was planned before some of the migrations that `{}` replaces",
                        squashed.name
                    ),
                    help: "if no database has the migration, delete its directory and run `kit migrate:generate` again; otherwise, undo the squash and squash \
                        only older migrations (`--to`)"
                        .to_owned(),
                });
            }
        }
    }
    problems
}
