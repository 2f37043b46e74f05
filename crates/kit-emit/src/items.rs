//! Code of the modules of types, which other files include.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::fingerprint::Fingerprint;
use crate::text::{Exported, Imports, NO_CHECK};

/// The functions and constants of a generated module, which another module can include.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Items {
    pub(crate) text: Arc<String>,
    /// Byte offset at which the code starts: first the shared functions and constants.
    pub(crate) code: usize,
    /// Byte offset at which the functions and constants of the module itself start.
    pub(crate) start: usize,
    /// Texts of the shared functions and constants, by name.
    pub(crate) shared: IndexMap<String, String>,
    pub(crate) imports: Imports,
    /// Fingerprint of the imports from packages.
    pub(crate) package_imports: Fingerprint,
    pub(crate) exported: Vec<Exported>,
}

impl Items {
    /// Returns the text of the functions and constants of the module itself. Each starts with an empty line.
    pub(crate) fn own_code(&self) -> &str {
        &self.text[self.start..]
    }

    /// Returns the text of all functions and constants, for a file that contains no other module.
    pub(crate) fn code(&self) -> &str {
        &self.text[self.code..]
    }

    /// Returns the first line, which names the source of the module, with its line break.
    pub(crate) fn header(&self) -> &str {
        let end = self.text.find('\n').map_or(self.text.len(), |end| end + 1);
        &self.text[..end]
    }
}

/// Code of a generated validator as one module for `validators/`. Plugins may change the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorSource {
    items: Arc<Items>,
    /// Directory of the modules from which the code imports the validators of other types.
    modules: &'static str,
}

impl ValidatorSource {
    pub(crate) fn new(items: Arc<Items>, modules: &'static str) -> Self {
        Self { items, modules }
    }

    /// Returns the text of the module.
    pub fn text(&self) -> String {
        let Self { items, modules } = self;
        let imports = moved(&items.imports, |file| Some(format!("../{modules}{file}")));
        let mut code = items.code().to_owned();
        for exported in &items.exported {
            let constant = format!("export const {}", exported.name);
            let (plain, typed) = (
                format!("{constant} ="),
                format!("{constant}: {} =", exported.r#type),
            );
            code = code.replacen(&plain, &typed, 1);
        }
        let types = type_imports(&items.exported, "../types.ts");
        [items.header(), NO_CHECK, "\n", &types, &imports.print(), &code].concat()
    }
}

/// Returns the imports of the types of exported constants.
pub(crate) fn type_imports<'a>(
    exported: impl IntoIterator<Item = &'a Exported> + Clone,
    types: &str,
) -> String {
    let interfaces: BTreeSet<&str> = exported.clone().into_iter().map(|of| of.interface).collect();
    if interfaces.is_empty() {
        return String::new();
    }
    let interfaces: Vec<&str> = interfaces.into_iter().collect();
    let mut text = format!(
        "import type {{ {} }} from \"@kit/types\";\n",
        interfaces.join(", ")
    );
    if exported.into_iter().any(|of| of.r#type.contains("Types.")) {
        text.extend(["import type * as Types from \"", types, "\";\n"]);
    }
    text
}

/// Returns imports in which `place` moves modules of other types. Modules for which `place` returns `None` stay.
pub(crate) fn moved(imports: &Imports, place: impl Fn(&str) -> Option<String>) -> Imports {
    let mut moved = Imports::default();
    for (from, names) in &imports.values {
        let new = from.strip_prefix("./").and_then(&place);
        let names = names.iter().map(|(name, local)| (name.clone(), local.clone()));
        moved
            .values
            .entry(new.unwrap_or_else(|| from.clone()))
            .or_default()
            .extend(names);
    }
    moved
}
