//! Check of `@pattern` for regular expressions that take so long that a request could block a server.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::{Program, TypeId, TypeKind};
use kit_pattern::{Attack, Verdict};

use super::{Doc, TagName, problem};
use crate::modules::Graph;

/// Number of repetitions in the text that a message shows.
const SHOWN: usize = 3;

/// Returns an error for a pattern that is too slow: a text of the allowed length could keep a server busy for
/// too long. A low `@maxLength` makes some patterns harmless, because validators check the length first.
///
/// The error is reported for the comment with `@pattern`, or for a comment whose `@maxLength` replaces an
/// earlier `@maxLength`.
pub(super) fn unsafe_pattern(
    graph: &Graph<'_>,
    program: &Program,
    id: TypeId,
    doc: &Doc,
) -> Option<Diagnostic> {
    let tag = doc
        .all(TagName::Pattern)
        .last()
        .or_else(|| doc.all(TagName::MaxLength).last())?;
    let mut types = match &program.resolve(id).kind {
        TypeKind::Union { members } => members.clone(),
        _ => vec![id],
    };
    types.retain(|member| program.resolve(*member).constraints.pattern.is_some());
    let rules = &program.resolve(*types.first()?).constraints;
    let (pattern, longest) = (rules.pattern.as_deref()?, rules.effective_max_length());
    let verdict = graph.verdicts().of(pattern);
    if verdict.is_harmless(longest) {
        return None;
    }
    let report = |message: String| problem(graph, codes::UNSAFE_PATTERN, tag.location, message);
    let harmless = verdict.max_harmless_length();
    Some(match &*verdict {
        Verdict::Linear => return None,
        Verdict::Unsupported { reason } => report(format!(
            "kit cannot determine how long `@pattern {pattern}` takes: {reason}"
        ))
        .help("write the pattern without this part, or check the text in the handler"),
        Verdict::Exponential { attack } => report(format!(
            "`@pattern {pattern}` takes exponential time: for some texts each character doubles the time"
        ))
        .note(shown(attack))
        .help("write the repetition so that each text can match in only one way: `^[a-z]+(?:-[a-z]+)*$` instead of `^(?:[a-z]+-?)*$`"),
        Verdict::Polynomial { degree, attack, .. } => {
            let message = if *degree > 1 {
                format!("the time that `@pattern {pattern}` takes grows with the power {degree} of the text's length")
            } else {
                format!("`@pattern {pattern}` can match one text in too many ways")
            };
            let report = attack.iter().fold(report(message), |report, attack| report.note(shown(attack)));
            match harmless {
                Some(length) => report.help(format!(
                    "add `@maxLength {length}` or less, or anchor the pattern with `^` and make sure that the repetitions in the pattern match different characters"
                )),
                None => report.help("make sure that the optional parts and repetitions in the pattern match different characters"),
            }
        }
    })
}

/// Returns the start of a text that makes the pattern slow, as it is written in a note: `"aaa…!"`.
fn shown(attack: &Attack) -> String {
    let quoted = |text: &str| text.escape_debug().to_string();
    format!(
        "for example \"{}{}…{}\", where \"{}\" is repeated",
        quoted(&attack.prefix),
        quoted(&attack.pump).repeat(SHOWN),
        quoted(&attack.suffix),
        quoted(&attack.pump)
    )
}
