//! Limit for the number of steps, so that the build of every program terminates.
//!
//! A step is an evaluation, a comparison of two types, or a member that is read, copied or lowered. Steps do
//! not depend on time, so that a program is refused on every machine or on none. The steps are counted for
//! the exported type, entity or route that needs them, and an error names this type, entity or route.

use kit_diagnostics::codes;

use super::{Evaluator, TyId};
use crate::modules::Location;

/// Maximum number of steps for one exported type, entity or route, including the types that it needs first.
/// The largest example of kit takes 73 steps. The largest type of the comparison with TypeScript, which is
/// made to be difficult, takes 736.
const MAX_STEPS: usize = 100_000;

/// Maximum number of steps for a program, in addition to the steps for the size of its sources.
const MAX_PROGRAM_STEPS: usize = 2_000_000;

/// Number of steps that are allowed for each byte of a program's sources.
const STEPS_PER_BYTE: usize = 16;

/// Index of a [`Subject`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubjectId(usize);

/// Exported type, entity or route for which steps are counted.
#[derive(Debug)]
struct Subject {
    /// Name as it is written in messages, with backticks: `` `Note` ``.
    name: String,
    /// Location of the declaration; `None` for the whole application.
    location: Option<Location>,
    /// Number of steps that the subject may still take. The number is updated when another subject is
    /// started.
    left: usize,
    /// Error that the subject takes too many steps. The error is created once.
    refused: Option<TyId>,
}

/// Counts the steps of an evaluation, so that a type that expands without end is refused.
#[derive(Debug)]
pub(crate) struct Steps {
    count: usize,
    /// Maximum number of evaluation steps for all types of the project.
    program_limit: usize,
    /// Value of `count` at which the current subject has taken too many steps.
    subject_limit: usize,
    subjects: Vec<Subject>,
    current: usize,
}

impl Steps {
    /// Creates a counter for a program whose sources have the given number of bytes. Before the first subject
    /// is started, steps are counted for the application.
    pub(super) fn new(bytes: usize) -> Self {
        let program_limit = MAX_PROGRAM_STEPS + STEPS_PER_BYTE * bytes;
        let first = Subject {
            name: "the application".to_owned(),
            location: None,
            left: program_limit,
            refused: None,
        };
        Self {
            count: 0,
            program_limit,
            subject_limit: program_limit,
            subjects: vec![first],
            current: 0,
        }
    }

    fn change_to(&mut self, next: usize) {
        self.subjects[self.current].left = self.subject_limit.saturating_sub(self.count);
        self.current = next;
        self.subject_limit = self.count + self.subjects[next].left;
    }
}

impl Evaluator<'_> {
    pub(super) fn too_deep(&mut self, location: Location) -> TyId {
        if self.is_exhausted() {
            return self.exhausted(location);
        }
        self.recursion(location, "the type is nested too deeply to be evaluated")
    }

    pub(super) fn recursion(&mut self, location: Location, message: &str) -> TyId {
        self.reject(
            codes::RECURSIVE_ALIAS,
            location,
            message,
            "a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`",
        )
    }

    /// Starts to count steps for an exported type, an entity or a route.
    pub(crate) fn start_subject(&mut self, name: String, location: Location) {
        self.steps.subjects.push(Subject {
            name,
            location: Some(location),
            left: MAX_STEPS,
            refused: None,
        });
        self.steps.change_to(self.steps.subjects.len() - 1);
    }

    /// Returns the subject for which steps are counted.
    pub(crate) fn subject(&self) -> SubjectId {
        SubjectId(self.steps.current)
    }

    /// Counts steps again for a subject that was started before.
    pub(crate) fn continue_subject(&mut self, subject: SubjectId) {
        self.steps.change_to(subject.0);
    }

    /// Adds to the number of steps of the current subject.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.steps.count += steps;
    }

    /// Counts the steps for adding `added` members to an object that has `known` members. The number grows
    /// with the object, because the name of each new member is compared with the known names.
    pub(crate) fn spend_members(&mut self, added: usize, known: usize) {
        self.spend(added * (1 + known / 64));
    }

    /// Returns true if the current subject or the program has taken too many steps.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.count >= self.steps.subject_limit || self.steps.count >= self.steps.program_limit
    }

    /// Returns an invalid type with the error that the current type, entity or route takes too many
    /// steps. `location` is where the evaluation stopped.
    pub(crate) fn exhausted(&mut self, location: Location) -> TyId {
        let Subject {
            name,
            location: own,
            refused,
            ..
        } = &self.steps.subjects[self.steps.current];
        if let Some(known) = *refused {
            return known;
        }
        let own = own.unwrap_or(location);
        let message = if self.steps.count < self.steps.subject_limit {
            format!("the types of this project take too many steps to compile; {name} reaches the limit")
        } else {
            format!("{name} takes more than {MAX_STEPS} steps to compile")
        };
        let mut diagnostic = self.diagnostic(codes::TOO_LARGE_TYPE, own, message);
        if own != location {
            let mut label = self.graph.label(location).message("stopped here");
            label.primary = false;
            diagnostic = diagnostic.label(label);
        }
        let diagnostic = diagnostic.help(if self.graph.is_in_package(location.module) {
            "declare the properties that you need with types of the project: the types of this package refer to each other, and \
             kit needs all of them"
        } else {
            "write a smaller type: name the members that you need of a large union, or write the result of a type that \
             calls itself many times over"
        });
        let invalid = self.store.reject(diagnostic);
        self.steps.subjects[self.steps.current].refused = Some(invalid);
        invalid
    }

    /// Returns an invalid type with the error that the current type, entity or route takes too many
    /// steps. The error is at the location of the current evaluation.
    pub(super) fn exhausted_here(&mut self) -> TyId {
        let location = self.current_location();
        self.exhausted(location)
    }
}
