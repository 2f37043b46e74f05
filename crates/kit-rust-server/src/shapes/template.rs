//! Generates template literal types as constants of the runtime's type `Template`.

use kit_analysis::{Segment, segments};
use kit_ir::TemplatePart;
use proc_macro2::TokenStream;
use quote::quote;

use crate::models::Module;
use crate::source::string_literal;
use crate::types::Types;

/// Returns the name of the constant for a template literal type, and adds the constant to the file.
pub(super) fn constant(types: &Types<'_>, parts: &[TemplatePart], module: &mut Module) -> TokenStream {
    let source = kit_analysis::template_source(types.program, parts);
    let base = module.runtime(types, "shape::Template");
    let path = module.runtime(types, "shape::TemplatePart");
    let (text, list) = (
        string_literal(&source),
        list(&segments(types.program, parts), &path),
    );
    module.template(source, quote!(#base::new(#text, #list)))
}

fn list(segments: &[Segment], path: &TokenStream) -> TokenStream {
    let segments = segments.iter().map(|segment| match segment {
        Segment::Text(text) => {
            let text = string_literal(text);
            quote!(#path::Fixed(#text))
        }
        Segment::String => quote!(#path::Text),
        Segment::Number => quote!(#path::Number),
        Segment::Integer => quote!(#path::Integer),
        Segment::OneOf(sequences) => {
            let sequences = sequences.iter().map(|sequence| list(sequence, path));
            quote!(#path::OneOf(&[#(#sequences),*]))
        }
    });
    quote!(&[#(#segments),*])
}
