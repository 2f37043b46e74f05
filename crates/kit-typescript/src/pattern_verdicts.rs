//! Cache of the results of checking `@pattern`, which all builds of a session share.

use std::cell::RefCell;
use std::rc::Rc;

use kit_pattern::{Verdict, check};
use rustc_hash::FxHashMap;

/// Maximum number of patterns in the cache.
const MAX_VERDICTS: usize = 10_000;

/// Cache of the results of checking patterns. Checking a pattern takes long, and a project uses the same few
/// patterns often.
#[derive(Default)]
pub(crate) struct Verdicts(RefCell<FxHashMap<String, Rc<Verdict>>>);

impl Verdicts {
    /// Returns the result of checking a pattern.
    pub(crate) fn of(&self, pattern: &str) -> Rc<Verdict> {
        if let Some(verdict) = self.0.borrow().get(pattern) {
            return Rc::clone(verdict);
        }
        let verdict = Rc::new(check(pattern));
        let mut known = self.0.borrow_mut();
        if known.len() >= MAX_VERDICTS {
            known.clear();
        }
        known.insert(pattern.to_owned(), Rc::clone(&verdict));
        verdict
    }
}
