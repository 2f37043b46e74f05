//! A module of models under construction.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kit_ir::DeclarationId;

use crate::names;
use crate::print::{Expression, import, imports};
use crate::types::{Form, Types};

/// A module of models under construction.
#[derive(Default)]
pub(crate) struct Module {
    pub(super) name: String,
    /// Items in order.
    pub(super) items: Vec<String>,
    /// Imported items of the runtime. The next fields contain those of serde, models of other modules, and other
    /// imports.
    pub(super) runtime: BTreeSet<String>,
    pub(super) serde: BTreeSet<String>,
    pub(super) models: BTreeSet<String>,
    pub(super) others: BTreeSet<&'static str>,
    /// Sources of regular expressions that become constants.
    pub(super) patterns: Vec<String>,
    /// Template literal types that become constants: the source of each, and the expression that creates it.
    pub(super) templates: Vec<(String, Expression)>,
    /// Names of the types that the module declares.
    pub(super) declared: Vec<String>,
}

impl Module {
    /// Returns the name of a model. Imports it if it is in another module.
    pub(crate) fn model(&mut self, types: &Types<'_>, id: DeclarationId, form: Form) -> String {
        let name = types.name_in(id, form).to_owned();
        if types.module(id) != self.name {
            self.models.insert(name.clone());
        }
        name
    }

    /// Returns the name of an item of the runtime. Imports it unless a type of the application has the same name.
    pub(crate) fn runtime(&mut self, types: &Types<'_>, item: &str) -> String {
        let name = item.rsplit("::").next().unwrap_or(item);
        if types.declares(name) {
            let Some((module, _)) = item.split_once("::") else {
                return format!("kit_runtime::{item}");
            };
            self.runtime.insert(module.to_owned());
            return item.to_owned();
        }
        self.runtime.insert(item.to_owned());
        name.to_owned()
    }

    /// Returns the name of an item of serde, under the same rule.
    pub(super) fn serde(&mut self, types: &Types<'_>, name: &str) -> String {
        if types.declares(name) {
            return format!("serde::{name}");
        }
        self.serde.insert(name.to_owned());
        name.to_owned()
    }

    /// Returns the constant of a regular expression.
    pub(crate) fn pattern(&mut self, source: &str) -> String {
        let place = self.patterns.iter().position(|known| known == source);
        let number = place.unwrap_or_else(|| {
            self.patterns.push(source.to_owned());
            self.patterns.len() - 1
        });
        format!("PATTERN_{}", number + 1)
    }

    /// Returns the constant of a template literal type.
    pub(crate) fn template(&mut self, source: String, template: Expression) -> String {
        let place = self.templates.iter().position(|(known, _)| *known == source);
        let number = place.unwrap_or_else(|| {
            self.templates.push((source, template));
            self.templates.len() - 1
        });
        format!("TEMPLATE_{}", number + 1)
    }

    pub(super) fn text(mut self, types: &Types<'_>) -> String {
        let pattern = (!self.patterns.is_empty()).then(|| self.runtime(types, "shape::Pattern"));
        let template = (!self.templates.is_empty()).then(|| self.runtime(types, "shape::Template"));
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
            let pattern = pattern.as_deref().unwrap_or_default();
            let call = Expression::call(
                format!("{pattern}::new"),
                vec![Expression::plain(names::text(source))],
            );
            let target = format!("static PATTERN_{}: {pattern}", number + 1);
            let _ = write!(text, "\n{}", call.assigned(0, &target));
        }
        for (number, (_, made)) in self.templates.iter().enumerate() {
            let template = template.as_deref().unwrap_or_default();
            let target = format!("static TEMPLATE_{}: {template}", number + 1);
            let _ = write!(text, "\n{}", made.assigned(0, &target));
        }
        for item in self.items.iter().filter(|item| !item.is_empty()) {
            text.push('\n');
            text.push_str(item);
        }
        text
    }
}
