//! Lines of the output that describe changes of a migration.

use std::fmt::Write as _;

use kit_database::PlannedChange;

/// Adds lines with a change, the reason of its risks, and its alternative.
pub(crate) fn describe(change: &PlannedChange, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\n  {}", change.summary());
    if !change.risks().is_empty() {
        let _ = write!(text, "\n    {}", change.reason);
    }
    if let Some(alternative) = &change.alternative {
        let _ = write!(text, "\n    instead ({}):", alternative.summary);
        for step in &alternative.steps {
            let _ = write!(text, "\n      {}", step.replace('\n', "\n      "));
        }
    }
}
