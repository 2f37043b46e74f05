//! A module of models under construction.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kit_ir::DeclarationId;

use crate::names;
use crate::print::{import, imports};
use crate::types::Types;

/// A module of models under construction.
#[derive(Default)]
pub(crate) struct Module {
    pub(super) name: String,
    /// Items in order.
    pub(super) items: Vec<String>,
    /// What is imported: items of the runtime, of serde, and models of other modules.
    pub(super) runtime: BTreeSet<String>,
    pub(super) serde: BTreeSet<String>,
    pub(super) models: BTreeSet<String>,
    pub(super) others: BTreeSet<&'static str>,
    /// Constants of regular expressions.
    pub(super) patterns: Vec<String>,
    /// Types that it has.
    pub(super) declared: Vec<String>,
}

impl Module {
    /// The name of a model, which is imported where it stands in another module.
    pub(crate) fn model(&mut self, types: &Types<'_>, id: DeclarationId) -> String {
        let name = types.name(id).to_owned();
        if types.module(id) != self.name {
            self.models.insert(name.clone());
        }
        name
    }

    /// Imports something of the runtime.
    pub(crate) fn runtime(&mut self, item: &str) {
        self.runtime.insert(item.to_owned());
    }

    pub(super) fn serde(&mut self, items: &[&str]) {
        self.serde.extend(items.iter().map(|item| (*item).to_owned()));
    }

    /// The constant of a regular expression.
    pub(crate) fn pattern(&mut self, source: &str) -> String {
        let place = self.patterns.iter().position(|known| known == source);
        let number = place.unwrap_or_else(|| {
            self.patterns.push(source.to_owned());
            self.patterns.len() - 1
        });
        self.runtime("shape::Pattern");
        format!("PATTERN_{}", number + 1)
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let others = self.others.iter().map(|other| (*other).to_owned());
        let runtime = self.runtime.iter().map(|item| format!("kit_runtime::{item}"));
        let serde = self.serde.iter().map(|item| format!("serde::{item}"));
        let all: Vec<String> = others.chain(runtime).chain(serde).collect();
        let (std, rest): (Vec<&str>, Vec<&str>) = all
            .iter()
            .map(String::as_str)
            .partition(|item| item.starts_with("std::"));
        text.push_str(&imports(std));
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&imports(rest));
        let models: Vec<_> = self.models.iter().cloned().collect();
        if !models.is_empty() {
            text.push('\n');
            text.push_str(&import("crate::models", &models));
        }
        for (number, source) in self.patterns.iter().enumerate() {
            let source = names::text(source);
            let _ = write!(
                text,
                "\nstatic PATTERN_{}: Pattern = Pattern::new({source});\n",
                number + 1
            );
        }
        for item in &self.items {
            text.push('\n');
            text.push_str(item);
        }
        text
    }
}
