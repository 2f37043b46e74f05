//! Errors for names that cannot be resolved.

use kit_diagnostics::{Code, Diagnostic, closest, codes};

use super::module::ModuleKind;
use super::symbol::{Meaning, Visited};
use super::{Graph, Location, ModuleId, Symbol};

impl<'a> Graph<'a> {
    /// Returns the error for a name that a module does not export as a type, a value or a namespace.
    /// `meaning` tells which of the three is needed.
    pub(super) fn not_exported(
        &mut self,
        location: Location,
        target: ModuleId,
        name: &'a str,
        meaning: Meaning,
        message: String,
    ) -> Symbol<'a> {
        let module = self.module(target);
        if let Some(error) = &module.syntax_error {
            return Symbol::Broken(Box::new(error.clone()));
        }
        let display = module.display.clone();
        let known: Vec<&str> = module.exports.keys().copied().collect();
        let hidden = module.types.contains_key(name) && !module.exports.contains_key(name);
        let value = meaning != Meaning::Value
            && matches!(
                self.exported(target, name, Meaning::Value, &mut Visited::default()),
                Some(Symbol::Value(..))
            );
        if value {
            let message = format!(
                "`{name}` of {} is a value, not a {}",
                self.module_title(target),
                meaning.name()
            );
            return self.broken(
                codes::UNKNOWN_TYPE,
                location,
                message,
                format!("write `typeof {name}` for the type of the value"),
            );
        }
        let near = closest(name, known.iter().copied());
        let help = if known.contains(&name) {
            Some(format!(
                "the files export `{name}` from each other, but no file declares `{name}`: declare it in one of the files"
            ))
        } else if hidden {
            Some(format!("write `export` before `{name}` in {display}"))
        } else {
            near.map(|near| format!("did you mean `{near}`?"))
        };
        let near = near.filter(|_| !known.contains(&name) && !hidden);
        let mut diagnostic = Diagnostic::new(codes::UNKNOWN_EXPORT, message).label(self.label(location));
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        if let Some(near) = near {
            diagnostic = diagnostic.replacement(self.correction(location, name, near));
        }
        Symbol::Broken(Box::new(diagnostic))
    }

    /// Returns the error for an import specifier that does not resolve to a module.
    pub(super) fn unresolved(&self, location: Location, specifier: &str, reason: String) -> Symbol<'a> {
        let message = format!("cannot find the module `{specifier}`");
        let diagnostic = Diagnostic::new(codes::UNRESOLVED_IMPORT, message)
            .label(self.label(location).message("imported here"))
            .help(reason);
        Symbol::Broken(Box::new(diagnostic))
    }

    /// Returns the error for a name with dots, such as `A.B`, whose first name is not a namespace.
    pub(super) fn no_namespace(&self, location: Location, name: &'a str) -> Symbol<'a> {
        // Checks only declarations in the file: following imports could lead back to this function.
        let declared = |meaning: Meaning| {
            let mut current = Some(location.module);
            while let Some(id) = current {
                if self.own(id, name, meaning).is_some() {
                    return true;
                }
                current = self.module(id).parent();
            }
            false
        };
        let other = if declared(Meaning::Type) {
            Some("a type")
        } else {
            declared(Meaning::Value).then_some("a value")
        };
        if let Some(other) = other {
            let message = format!("`{name}` is {other}, not a namespace");
            let help = format!("write `{name}[\"…\"]` for the type of a property");
            return self.broken(codes::UNKNOWN_TYPE, location, message, help);
        }
        let message = format!("the namespace `{name}` is not declared");
        let help = format!("import it: `import type * as {name} from \"…\"`");
        self.broken(codes::UNKNOWN_TYPE, location, message, help)
    }

    /// Returns the name of a module as it is written in a sentence, such as ``the namespace `Api` ``.
    pub(super) fn module_title(&self, id: ModuleId) -> String {
        let module = self.module(id);
        match module.kind {
            ModuleKind::File { .. } | ModuleKind::Global { .. } => module.display.clone(),
            ModuleKind::Namespace { name, .. } => format!("the namespace `{name}`"),
            ModuleKind::Ambient { specifier, .. } => format!("the module `{specifier}`"),
        }
    }

    pub(super) fn broken(&self, code: Code, location: Location, message: String, help: String) -> Symbol<'a> {
        let diagnostic = Diagnostic::new(code, message)
            .label(self.label(location))
            .help(help);
        Symbol::Broken(Box::new(diagnostic))
    }
}
