//! A file below `models/` while its Rust types are being generated.

use std::collections::BTreeSet;

use kit_ir::DeclarationId;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::source::{Imports, ident, path, string_literal};
use crate::types::{Form, RuntimeItem, RuntimeType, Types};

/// A file below `models/` while its Rust types are being generated.
#[derive(Default)]
pub(crate) struct Module {
    pub(super) name: String,
    /// Generated Rust items, in their order in the file.
    pub(super) items: Vec<TokenStream>,
    /// Imports, except for models of other files.
    pub(super) imports: Imports,
    /// Names of the models of other files that this file imports.
    pub(super) models: BTreeSet<String>,
    /// Regular expressions for which the file has constants.
    pub(super) patterns: Vec<String>,
    /// Template literal types for which the file has constants, each with its source and the expression that
    /// creates the constant's value.
    pub(super) templates: Vec<(String, TokenStream)>,
    /// Names of the types that the file declares.
    pub(super) declared: Vec<String>,
}

impl Module {
    /// Returns the Rust name of a declared type. Imports the type if another file declares it.
    pub(crate) fn model(&mut self, types: &Types<'_>, id: DeclarationId, form: Form) -> String {
        let name = types.name_in(id, form).to_owned();
        if types.module(id) != self.name {
            self.models.insert(name.clone());
        }
        name
    }

    /// Returns the name to write for an item of `kit_runtime`, and imports the item. If a type of the application has
    /// the same name, imports only the item's module.
    pub(crate) fn runtime(&mut self, types: &Types<'_>, item: &str) -> TokenStream {
        let name = item.rsplit("::").next().unwrap_or(item);
        if types.declares(name) {
            let Some((module, _)) = item.split_once("::") else {
                let item = ident(item);
                return quote!(kit_runtime::#item);
            };
            self.imports.add("kit_runtime", module);
            return path(item);
        }
        self.imports.add_path(&format!("kit_runtime::{item}"));
        path(name)
    }

    /// Returns a type of `kit_runtime` in the same way as [`Self::runtime`].
    pub(super) fn runtime_type(&mut self, types: &Types<'_>, item: RuntimeItem) -> RuntimeType {
        let is_qualified = types.declares(item.name());
        if !is_qualified {
            self.imports.add("kit_runtime", item.name());
        }
        RuntimeType { item, is_qualified }
    }

    /// Returns the name to write for an item of serde, in the same way as [`Self::runtime`].
    pub(super) fn serde(&mut self, types: &Types<'_>, name: &str) -> TokenStream {
        let item = ident(name);
        if types.declares(name) {
            return quote!(serde::#item);
        }
        self.imports.add("serde", name);
        quote!(#item)
    }

    /// Returns the name of the constant for a regular expression, and adds the constant to the file.
    pub(crate) fn pattern(&mut self, source: &str) -> TokenStream {
        let place = self.patterns.iter().position(|known| known == source);
        let number = place.unwrap_or_else(|| {
            self.patterns.push(source.to_owned());
            self.patterns.len() - 1
        });
        let name = format_ident!("PATTERN_{}", number + 1);
        quote!(#name)
    }

    /// Returns the name of the constant for a template literal type, and adds the constant to the file.
    pub(crate) fn template(&mut self, source: String, template: TokenStream) -> TokenStream {
        let place = self.templates.iter().position(|(known, _)| *known == source);
        let number = place.unwrap_or_else(|| {
            self.templates.push((source, template));
            self.templates.len() - 1
        });
        let name = format_ident!("TEMPLATE_{}", number + 1);
        quote!(#name)
    }

    /// Returns the complete content of the file.
    pub(super) fn finish(mut self, types: &Types<'_>) -> TokenStream {
        let pattern = (!self.patterns.is_empty()).then(|| self.runtime(types, "shape::Pattern"));
        let template = (!self.templates.is_empty()).then(|| self.runtime(types, "shape::Template"));
        let mut models = Imports::default();
        for name in &self.models {
            models.add("crate::models", name);
        }
        let patterns = self.patterns.iter().enumerate().map(|(number, source)| {
            let name = format_ident!("PATTERN_{}", number + 1);
            let text = string_literal(source);
            if let Some(greedy) = kit_pattern::greedy(source).filter(|greedy| greedy != source) {
                let greedy = string_literal(&greedy);
                return quote!(static #name: #pattern = #pattern::tested_as(#text, #greedy););
            }
            quote!(static #name: #pattern = #pattern::new(#text);)
        });
        let templates = self.templates.iter().enumerate().map(|(number, (_, value))| {
            let name = format_ident!("TEMPLATE_{}", number + 1);
            quote!(static #name: #template = #value;)
        });
        let (imports, items) = (&self.imports, &self.items);
        quote!(#imports #models #(#patterns)* #(#templates)* #(#items)*)
    }
}
