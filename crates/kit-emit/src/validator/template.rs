//! Template literal types as a list of segments for the codec.

use kit_analysis::{Segment, segments};
use kit_ir::{Program, TemplatePart};

use crate::context::Context;
use crate::text::{Module, Path, Writer, literal};

/// Returns the name of a constant that tests if a string matches a template literal type. The test uses no regular
/// expression, because an invalid string could make a backtracking engine slow.
pub(crate) fn test(
    program: &Program,
    parts: &[TemplatePart],
    path: &Path<'_>,
    module: &mut Module,
) -> String {
    let parts = list(&segments(program, parts));
    module.once("texts", parts.clone(), path, |module, name| {
        let (texts, template) = (module.codec_type("TextTest"), module.helper("template"));
        let mut writer = Writer::default();
        writer.line(format_args!("const {name}: {texts} = {template}({parts});"));
        module.push(writer);
    })
}

/// Returns the segments in the form of the codec.
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

/// Returns the template as in TypeScript, without the backticks.
pub(crate) fn source(context: Context<'_>, parts: &[TemplatePart]) -> String {
    kit_analysis::template_source(context.program, parts)
}
