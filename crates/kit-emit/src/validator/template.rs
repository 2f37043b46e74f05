//! Template literal types as lists of segments, which the codec of the runtime matches.

use kit_analysis::{Segment, segments};
use kit_ir::{Program, TemplatePart};

use crate::context::Context;
use crate::text::{Module, PURE, Path, literal};

/// Returns the name of a constant: a function that tests if a string matches a template literal type. It uses no
/// regular expression, because an invalid string could take a regular expression exponential time.
pub(crate) fn test(
    program: &Program,
    parts: &[TemplatePart],
    path: &Path<'_>,
    module: &mut Module,
) -> String {
    let parts = list(&segments(program, parts));
    let template = module.helper("template");
    module.item(
        "texts",
        "const ",
        &format!(" = {PURE} {template}({parts});\n"),
        path,
    )
}

/// Returns an expression for the segments of a template, in the form that the codec expects.
fn list(segments: &[Segment]) -> String {
    literal::list("[", segments.iter().map(segment_text), "]")
}

fn segment_text(segment: &Segment) -> String {
    let placeholder = |name: &str| literal::object([("hole".to_owned(), literal::string(name))]);
    match segment {
        Segment::Text(text) => literal::string(text),
        Segment::String => placeholder("string"),
        Segment::Number => placeholder("number"),
        Segment::Integer => placeholder("bigint"),
        Segment::OneOf(sequences) => {
            let sequences = sequences.iter().map(|sequence| list(sequence));
            literal::object([("either".to_owned(), literal::list("[", sequences, "]"))])
        }
    }
}

/// Returns the type as in TypeScript, without the backticks: `note-${number}`.
pub(crate) fn source(context: Context<'_>, parts: &[TemplatePart]) -> String {
    kit_analysis::template_source(context.program, parts)
}
