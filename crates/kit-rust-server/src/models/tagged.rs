//! Generates enums with `#[serde(tag = "…")]` for tagged unions.

use kit_ir::{TypeId, TypeKind};
use proc_macro2::TokenStream;
use quote::quote;

use super::renames::Renames;
use super::unions::unique;
use super::{Models, UseSite};
use crate::names;
use crate::source::{code_span, doc, ident, string_literal};
use crate::types::{Definition, ObjectId, RustType, TaggedUnion, Variant};

impl Models<'_, '_> {
    /// Generates the enum for a tagged union. `members` are the members of the flattened union. The names of the variants
    /// come from the texts of the tag.
    pub(super) fn tagged_enum(
        &mut self,
        name: &str,
        comment: &TokenStream,
        members: &[TypeId],
        union: &TaggedUnion,
        site: &UseSite<'_>,
    ) {
        let mut names: Vec<String> = Vec::new();
        for text in &union.texts {
            names.push(unique(names::variant(text), &names));
        }
        let Renames { all, single } = Renames::new(&names, &union.texts);
        let mut body = Vec::new();
        let mut variants = Vec::new();
        for ((member, variant), rename) in members.iter().zip(names).zip(single) {
            let inner = self.inside_of_tagged(*member, &format!("{name}{variant}"), site);
            let about = kit_analysis::describe(self.types.program, *member);
            let comment = doc(&code_span(&about));
            let own = ident(&variant);
            let value = inner.as_ref().map(|inner| quote!((#inner)));
            body.push(quote!(#comment #rename #own #value));
            variants.push(Variant {
                member: *member,
                name: variant,
                inner,
            });
        }
        let (reads, writes) = self.derives();
        let more = if variants.iter().all(|variant| variant.inner.is_none()) {
            quote!(Clone, Copy, PartialEq, Eq, Hash)
        } else {
            let eq = self.equality(members);
            quote!(Clone, #eq)
        };
        let (model, tag) = (ident(name), string_literal(&union.property));
        let all = all.map(|rule| quote!(, rename_all = #rule));
        self.module.items.push(quote! {
            #comment
            #[derive(Debug, #more, #reads, #writes)]
            #[serde(tag = #tag #all)]
            pub enum #model {
                #(#body),*
            }
        });
        self.module.declared.push(name.to_owned());
        self.types
            .definitions
            .insert(name.to_owned(), Definition::Union(variants));
    }

    /// Returns the type of the value in a variant. Returns `None` for an object without a name that has no properties
    /// besides the tag.
    fn inside_of_tagged(&mut self, member: TypeId, name: &str, site: &UseSite<'_>) -> Option<RustType> {
        if let TypeKind::Object(object) = &self.types.program.types[member].kind
            && self.properties_of(object, ObjectId::Anonymous(member)).is_empty()
        {
            return None;
        }
        let inner_site = UseSite {
            name,
            display_name: site.display_name.clone(),
            span: site.span,
        };
        Some(self.rust_type(member, &inner_site, false))
    }
}
