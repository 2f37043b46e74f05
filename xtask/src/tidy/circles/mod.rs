//! Rules about import circles: modules of a crate, files of a package, and folders of a package do not import each other
//! in a circle. Whoever reads one part of a circle must read all of it.
//!
//! `exceptions.txt` beside this file lists the circles that stay for a reason. An exception without a circle is a problem
//! too.

mod packages;
mod rust_modules;

use std::collections::{BTreeMap, BTreeSet};

use super::{TextFile, Tree};

/// Path of the list of exceptions.
const EXCEPTIONS: &str = "xtask/src/tidy/circles/exceptions.txt";

/// Places (files or folders), and the places that each imports, with one name that it imports from there.
#[derive(Debug, Default, PartialEq, Eq)]
struct Imports(BTreeMap<String, BTreeMap<String, String>>);

impl Imports {
    /// Adds an import. A place that imports from itself adds nothing.
    fn add(&mut self, from: &str, to: &str, name: &str) {
        if from != to {
            self.0
                .entry(from.to_owned())
                .or_default()
                .entry(to.to_owned())
                .or_insert_with(|| name.to_owned());
        }
    }

    /// Returns the circles: sets of places of which each imports all others, directly or through others of the set.
    fn circles(&self) -> Vec<BTreeSet<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .0
            .keys()
            .map(|place| (place.as_str(), self.reached_from(place)))
            .collect();
        let mut circles: Vec<BTreeSet<&str>> = Vec::new();
        for (place, others) in &reached {
            if !others.contains(place) || circles.iter().any(|circle| circle.contains(place)) {
                continue;
            }
            let returns = |other: &&str| reached.get(other).is_some_and(|back| back.contains(place));
            circles.push(others.iter().copied().filter(returns).collect());
        }
        circles
    }

    /// Returns all places that a place imports, directly or through others.
    fn reached_from(&self, place: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![place];
        while let Some(next) = waiting.pop() {
            for other in self.0.get(next).into_iter().flat_map(BTreeMap::keys) {
                if reached.insert(other.as_str()) {
                    waiting.push(other);
                }
            }
        }
        reached
    }

    /// Returns the imports within a circle, for people.
    fn within(&self, circle: &BTreeSet<&str>) -> String {
        let mut lines = Vec::new();
        for from in circle {
            let imported = self.0.get(*from).into_iter().flatten();
            for (to, name) in imported.filter(|(to, _)| circle.contains(to.as_str())) {
                lines.push(format!("  {from} imports {name} from {to}"));
            }
        }
        lines.join("\n")
    }
}

/// Reports circles of modules in crates.
pub(super) fn modules_have_no_circles(tree: &Tree) -> Vec<String> {
    problems(tree, "module", &rust_modules::imports(tree))
}

/// Reports circles of files and of folders in packages.
pub(super) fn folders_have_no_circles(tree: &Tree) -> Vec<String> {
    let (files, folders) = packages::imports(tree);
    let mut problems = problems(tree, "file", &files);
    problems.extend(self::problems(tree, "folder", &folders));
    problems
}

/// Returns the circles without an exception, and the exceptions of this kind without a circle. An exception is a line
/// `kind: member, member`.
fn problems(tree: &Tree, kind: &str, imports: &Imports) -> Vec<String> {
    let list = tree.text(EXCEPTIONS).unwrap_or_default();
    let mut exceptions: Vec<(usize, &str)> = list
        .lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let (of_kind, members) = line.split_once(": ")?;
            (of_kind == kind).then_some((index + 1, members))
        })
        .collect();
    let mut problems = Vec::new();
    for circle in imports.circles() {
        let members = circle.iter().copied().collect::<Vec<_>>().join(", ");
        let known = exceptions.iter().position(|(_, excepted)| *excepted == members);
        match known {
            Some(index) => drop(exceptions.remove(index)),
            None => problems.push(format!(
                "{members}: a circle of imports; move the item that both sides need to the side that is imported, or below both\n{}",
                imports.within(&circle)
            )),
        }
    }
    problems.extend(
        exceptions
            .iter()
            .map(|(line, members)| format!("{EXCEPTIONS}:{line}: there is no such circle: {members}")),
    );
    problems
}
