//! New names of constraints and indexes, in an order in which each is free.

use crate::Change;

use super::{Phase, Planner, verdicts};

/// A constraint or index that gets another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rename {
    table: String,
    from: String,
    to: String,
    /// An index that is no constraint.
    index: bool,
}

impl Rename {
    /// The renaming, where the names differ.
    pub(super) fn of(table: &str, from: &str, to: &str, index: bool) -> Option<Self> {
        (from != to).then(|| Self {
            table: table.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            index,
        })
    }
}

impl Planner<'_> {
    pub(super) fn rename_all(&mut self, renames: Vec<Rename>) {
        for rename in ordered(renames) {
            let Rename {
                table,
                from,
                to,
                index,
            } = rename;
            let change = if index {
                Change::RenameIndex { table, from, to }
            } else {
                Change::RenameConstraint { table, from, to }
            };
            self.push(Phase::RenameConstraint, verdicts::rename_constraint(), change);
        }
    }
}

/// Each after the one that leaves its name; where they wait for each other in a circle, one goes by way of a name that
/// nobody has.
fn ordered(mut waiting: Vec<Rename>) -> Vec<Rename> {
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let free = waiting
            .iter()
            .position(|rename| !waiting.iter().any(|other| other.from == rename.to));
        let Some(at) = free else {
            let mut aside = waiting.remove(0);
            let resting = crate::names::distinct(&aside.from, &[&aside.from, &aside.to], "moving");
            ordered.push(Rename {
                to: resting.clone(),
                ..aside.clone()
            });
            aside.from = resting;
            waiting.push(aside);
            continue;
        };
        ordered.push(waiting.remove(at));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::{Rename, ordered};

    fn names(renames: &[(&str, &str)]) -> Vec<(String, String)> {
        let renames = renames
            .iter()
            .filter_map(|(from, to)| Rename::of("t", from, to, true))
            .collect();
        ordered(renames)
            .into_iter()
            .map(|rename| (rename.from, rename.to))
            .collect()
    }

    #[test]
    fn a_name_is_taken_once_it_was_left() {
        let pairs = names(&[("a", "b"), ("b", "c"), ("x", "x")]);
        assert_eq!(pairs, [("b".into(), "c".into()), ("a".into(), "b".into())]);
    }

    #[test]
    fn a_circle_goes_by_way_of_a_third_name() {
        let pairs = names(&[("a", "b"), ("b", "a")]);
        assert_eq!(pairs.len(), 3);
        assert_eq!(pairs[1], ("b".into(), "a".into()));
        assert_eq!((&pairs[0].1, pairs[2].1.as_str()), (&pairs[2].0, "b"));
    }
}
