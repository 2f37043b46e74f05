//! Locations of mistakes in declaration files.

use kit_diagnostics::{Code, Diagnostic, Label, codes};
use kit_ir::TypeId;

use super::Lowering;
use crate::modules::Location;

impl Lowering<'_> {
    /// Reports that `any` in an installed package is read as `unknown`.
    pub(super) fn warn_of_any(&mut self) {
        let location = self.eval.current_location();
        let message = "this type of an installed package contains `any`, which kit reads as `unknown`";
        let diagnostic = Diagnostic::warning(codes::ANY_IN_PACKAGE, message)
            .label(self.graph().label(location))
            .help("to check these values, declare the type in the project");
        let diagnostic = self.at_use(diagnostic);
        self.report(diagnostic);
    }

    /// Reports a type that JSON cannot represent, at the location of the current evaluation.
    pub(super) fn refused(&mut self, code: Code, message: &str, help: &str) -> TypeId {
        let location = self.eval.current_location();
        self.refused_at(code, message, help, location)
    }

    pub(super) fn refused_at(&mut self, code: Code, message: &str, help: &str, location: Location) -> TypeId {
        let diagnostic = self.eval.diagnostic(code, location, message).help(help);
        let diagnostic = self.at_use(diagnostic);
        self.report(diagnostic);
        self.failed()
    }

    /// Moves a diagnostic about a type in a declaration file to the location in the project that uses the type, because people
    /// can edit only the project. The declaration in a package stays a second location.
    pub(super) fn at_use(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let (Some(used_at), Some(main)) = (
            self.eval.location_in_project(),
            diagnostic.labels.iter().position(|label| label.primary),
        ) else {
            return diagnostic;
        };
        let kind = FileKind::of(&diagnostic.labels[main].path);
        if kind == FileKind::Project {
            return diagnostic;
        }
        let declared = diagnostic.labels.remove(main);
        diagnostic.labels.insert(0, self.graph().label(used_at));
        if kind == FileKind::Package {
            let declared = Label {
                primary: false,
                ..declared.message("declared here")
            };
            diagnostic.labels.push(declared);
        }
        let mut path = self.path.first().cloned().unwrap_or_default();
        for name in &self.properties {
            path.push('.');
            path.push_str(name);
        }
        diagnostic.note(format!("the type is that of `{path}`"))
    }
}

/// Kind of file that contains a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Project,
    Package,
    /// A declaration file that TypeScript emits for kit, which nobody can open.
    Emitted,
}

impl FileKind {
    /// Returns the kind of a file from the path in a label.
    fn of(path: &str) -> Self {
        if path.split('/').any(|part| part == "node_modules") {
            return Self::Package;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        if [".inferred.d.ts", ".inferred.d.mts", ".inferred.d.cts"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            return Self::Emitted;
        }
        Self::Project
    }
}

#[cfg(test)]
mod tests {
    use super::FileKind;

    #[test]
    fn declaration_files_of_packages_and_of_typescript_are_no_files_of_the_project() {
        assert_eq!(FileKind::of("src/a.types.ts"), FileKind::Project);
        assert_eq!(FileKind::of("src/inferred.d.ts"), FileKind::Project);
        assert_eq!(FileKind::of("src/a.types.inferred.d.ts"), FileKind::Emitted);
        assert_eq!(FileKind::of("node_modules/zod/index.d.ts"), FileKind::Package);
        assert_eq!(FileKind::of("../node_modules/zod/index.d.cts"), FileKind::Package);
    }
}
