//! Warns of unions whose members cannot be distinguished. Such a union may decode a value as the wrong member and
//! lose properties that the client sent.

use kit_analysis::{Ambiguity, AmbiguitySearch, Outcome, describe};
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use kit_ir::Program;

/// Warns about each union that has a value matching two of its members. The warning shows an example of this
/// value.
pub(crate) fn check(search: &mut AmbiguitySearch, program: &Program, diagnostics: &mut Diagnostics) {
    for found in search.ambiguities(program) {
        diagnostics.push(warning(program, &found));
    }
}

fn warning(program: &Program, found: &Ambiguity) -> Diagnostic {
    let (read_as, other) = (describe(program, found.read_as), describe(program, found.other));
    let note = match found.outcome {
        Outcome::Dropped => format!(
            "`{}` matches both members; it is decoded as `{read_as}`, and kit then drops the properties that only `{other}` declares",
            found.witness
        ),
        Outcome::Converted => format!(
            "`{}` matches both members; it is decoded as `{read_as}`, even if `{other}` was intended",
            found.witness
        ),
    };
    let help = match found.outcome {
        Outcome::Dropped => {
            "give each member a property with a different literal, such as `kind: \"a\"`, or write one type with optional properties"
        }
        Outcome::Converted => {
            "keep only one of the two members, or put each into an object that has a property with a different literal, such as `kind: \"a\"`"
        }
    };
    let span = found.span;
    let range = span.start as usize..span.end as usize;
    let label = Label::primary(program.path(span), range).at(span.line, span.column);
    let message = format!("`{read_as}` and `{other}` cannot be told apart");
    Diagnostic::warning(codes::AMBIGUOUS_UNION, message)
        .label(label)
        .note(note)
        .help(help)
}
