//! Limit of the work for each type, so that the build of every program terminates.
//!
//! Work is counted in steps and not in time, so that a program is refused on every machine or on none. A step is an
//! evaluation, a comparison of two types, or a member that is read, copied or lowered. Steps are counted for the exported
//! type, entity or route that needs them, and the refusal names that subject.

use kit_diagnostics::codes;

use super::{Evaluator, TyId};
use crate::modules::Location;

/// Maximum number of steps of one exported type, entity or route, including all types that it is the first to need. The
/// largest example of kit takes 73 steps, and the largest fixture of the oracle, which is made to be difficult, takes 736.
const MAX_STEPS: usize = 100_000;

/// Maximum number of steps of a whole program.
const MAX_PROGRAM_STEPS: usize = 2_000_000;

/// Additional steps of a whole program for each byte of its sources.
const STEPS_PER_BYTE: usize = 16;

/// Id of a [`Subject`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubjectId(usize);

/// Subject that steps are counted for: an exported type, an entity or a route.
#[derive(Debug)]
struct Subject {
    /// Name in messages: `` `Note` ``.
    name: String,
    /// Location of the declaration.
    location: Option<Location>,
    /// Remaining steps; up to date only while another subject is being compiled.
    left: usize,
    /// Mistake that the subject takes too many steps; reported once for each subject.
    refused: Option<TyId>,
}

/// Step counter.
#[derive(Debug)]
pub(crate) struct Steps {
    count: usize,
    /// Maximum number of steps of the whole program.
    program_limit: usize,
    /// Number of steps at which the current subject reaches its limit.
    subject_limit: usize,
    subjects: Vec<Subject>,
    current: usize,
}

impl Steps {
    /// Creates a counter for a program with the given number of source bytes. Steps are counted for the whole application
    /// until a subject begins.
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
    /// Starts to count steps for a new subject.
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

    /// Continues to count steps for a subject that began before.
    pub(crate) fn continue_subject(&mut self, subject: SubjectId) {
        self.steps.change_to(subject.0);
    }

    /// Counts steps.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.steps.count += steps;
    }

    /// Counts the steps of adding `added` members to `known` members, because each added name is searched among the known
    /// ones.
    pub(crate) fn spend_members(&mut self, added: usize, known: usize) {
        self.spend(added * (1 + known / 64));
    }

    /// Returns true if the current subject has no steps left.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.count >= self.steps.subject_limit || self.steps.count >= self.steps.program_limit
    }

    /// Returns the mistake that the current subject takes too many steps, with the location at which evaluation stopped.
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
        let diagnostic = diagnostic.help(
            "write a smaller type: name the members that you need of a large union, or write the result of a type that \
             calls itself many times over",
        );
        let invalid = self.store.reject(diagnostic);
        self.steps.subjects[self.steps.current].refused = Some(invalid);
        invalid
    }

    /// Returns the same mistake with the location of the current evaluation.
    pub(super) fn exhausted_here(&mut self) -> TyId {
        let location = self.current_location();
        self.exhausted(location)
    }
}
