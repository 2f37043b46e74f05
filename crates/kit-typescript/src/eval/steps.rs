//! A bound on the work for each type: whatever a program says, its build ends.
//!
//! Work is counted in steps and not in time, so that the same program is refused on every machine, or on none. A step is an
//! evaluation, a comparison of two types, or a member that is looked at, copied or lowered. What is made for one exported
//! type, entity or route counts for that one, which a refusal names.

use kit_diagnostics::codes;

use super::{Evaluator, TyId};
use crate::modules::Place;

/// Steps that one exported type, entity or route may take, with all that is first needed for it. The largest of kit's examples
/// takes 73, the largest of the oracle's fixtures, which are made to be difficult, 736.
const MOST_STEPS: usize = 100_000;

/// Steps of a whole program.
const MOST_STEPS_OF_ALL: usize = 2_000_000;

/// Additional steps of a whole program for each byte of its sources.
const STEPS_PER_BYTE: usize = 16;

/// The number of a [`Subject`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SubjectId(usize);

/// Subject that steps are counted for: an exported type, an entity or a route.
#[derive(Debug)]
struct Subject {
    /// As a message names it: `` `Note` ``.
    name: String,
    /// Place of the declaration.
    place: Option<Place>,
    /// The steps that it has left; up to date only while another subject is being compiled.
    left: usize,
    /// The mistake that it takes too many; one for each subject.
    refused: Option<TyId>,
}

/// The steps that were made.
#[derive(Debug)]
pub(crate) struct Steps {
    made: usize,
    /// The whole program ends here.
    most: usize,
    /// The current subject ends here.
    limit: usize,
    subjects: Vec<Subject>,
    current: usize,
}

impl Steps {
    /// No steps yet, of a program with so many bytes of source. They count for nothing in particular until a subject begins.
    pub(super) fn new(bytes: usize) -> Self {
        let most = MOST_STEPS_OF_ALL + STEPS_PER_BYTE * bytes;
        let first = Subject {
            name: "the application".to_owned(),
            place: None,
            left: most,
            refused: None,
        };
        Self {
            made: 0,
            most,
            limit: most,
            subjects: vec![first],
            current: 0,
        }
    }

    fn change_to(&mut self, next: usize) {
        self.subjects[self.current].left = self.limit.saturating_sub(self.made);
        self.current = next;
        self.limit = self.made + self.subjects[next].left;
    }
}

impl Evaluator<'_> {
    /// Counts all steps from here on for a new subject.
    pub(crate) fn begin(&mut self, name: String, place: Place) {
        self.steps.subjects.push(Subject {
            name,
            place: Some(place),
            left: MOST_STEPS,
            refused: None,
        });
        self.steps.change_to(self.steps.subjects.len() - 1);
    }

    /// The subject for which steps are counted.
    pub(crate) fn subject(&self) -> SubjectId {
        SubjectId(self.steps.current)
    }

    /// Counts all steps from here on for a subject that began before.
    pub(crate) fn resume(&mut self, subject: SubjectId) {
        self.steps.change_to(subject.0);
    }

    /// Counts steps.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.steps.made += steps;
    }

    /// Counts the steps of adding `added` members to `known` ones, among which each is looked for.
    pub(crate) fn spend_members(&mut self, added: usize, known: usize) {
        self.spend(added * (1 + known / 64));
    }

    /// Returns true if the current subject may make no more steps.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps.made >= self.steps.limit || self.steps.made >= self.steps.most
    }

    /// The mistake that the current subject takes too many steps, and the place at which it was given up.
    pub(crate) fn exhausted(&mut self, place: Place) -> TyId {
        let Subject {
            name,
            place: own,
            refused,
            ..
        } = &self.steps.subjects[self.steps.current];
        if let Some(known) = *refused {
            return known;
        }
        let own = own.unwrap_or(place);
        let message = if self.steps.made < self.steps.limit {
            format!(
                "the types of this project take too many steps to compile, of which {name} takes the last"
            )
        } else {
            format!("{name} takes more than {MOST_STEPS} steps to compile")
        };
        let mut diagnostic = self.diagnostic(codes::TOO_LARGE_TYPE, own, message);
        if own != place {
            let mut label = self.graph.label(place).message("given up here");
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

    /// The same, where the evaluation stands.
    pub(super) fn exhausted_here(&mut self) -> TyId {
        let place = self.some_place();
        self.exhausted(place)
    }
}
