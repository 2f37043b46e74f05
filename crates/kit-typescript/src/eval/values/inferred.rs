//! Types of values that the source files do not write out: only TypeScript can infer them. kit reads these types from
//! the declaration files that TypeScript emits. Without these files, the types are invalid, and the output of the
//! compiler lists the source files.

use std::path::PathBuf;

use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use oxc_ast::ast::{
    Class, ClassElement, Expression, PropertyDefinition, TSAnyKeyword, TSTypeParameterInstantiation,
};
use oxc_ast_visit::Visit;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Widening;
use crate::eval::{Evaluator, ScopeId, TyId};
use crate::modules::{DeclKind, Location, ModuleId, Symbol, Value, declaration_path};

/// Types that only TypeScript can infer.
#[derive(Debug, Default)]
pub(in crate::eval) struct Uninferred {
    /// Invalid types of expressions whose types only TypeScript can infer, with the locations of the expressions.
    types: FxHashMap<TyId, Location>,
    /// Types in `types` that no declaration file of TypeScript replaced, in the order of the evaluation.
    pub(super) unreplaced: Vec<TyId>,
    /// Files whose types an exported type or an `@owner` needs.
    wanted: FxHashSet<ModuleId>,
    /// Files with middleware without a type that kit can read.
    untyped_middleware: FxHashSet<ModuleId>,
}

/// Finds `any` in the type arguments of a type: true if there is one.
struct AnyInArguments(bool);

impl<'a> Visit<'a> for AnyInArguments {
    fn visit_ts_type_parameter_instantiation(&mut self, arguments: &TSTypeParameterInstantiation<'a>) {
        let mut inside = AnyInside(false);
        inside.visit_ts_types(&arguments.params);
        self.0 |= inside.0;
    }
}

/// Finds `any` in a type: true if there is one.
struct AnyInside(bool);

impl Visit<'_> for AnyInside {
    fn visit_ts_any_keyword(&mut self, _: &TSAnyKeyword) {
        self.0 = true;
    }
}

impl Uninferred {
    pub(super) fn contains(&self, ty: TyId) -> bool {
        self.types.contains_key(&ty)
    }
}

impl<'a> Evaluator<'a> {
    /// Returns an invalid type for an expression whose type only TypeScript can infer, with the error that is reported
    /// if no declaration file of TypeScript has the type.
    pub(super) fn needs_typescript(&mut self, diagnostic: Diagnostic, location: Location) -> TyId {
        let ty = self.store.reject(diagnostic);
        self.uninferred.types.insert(ty, location);
        self.uninferred.unreplaced.push(ty);
        ty
    }

    /// Returns the type of a value from the declaration file that TypeScript emits for the value's source file. Returns
    /// `None` if TypeScript was not run for the file, or if the declaration file does not contain the value.
    /// `unreplaced` is the number of types in `self.uninferred.unreplaced` before the value was evaluated.
    pub(super) fn inferred_value(
        &mut self,
        module: ModuleId,
        name: &'a str,
        location: Location,
        unreplaced: usize,
    ) -> Option<TyId> {
        let file = self.graph.file(module);
        let declarations = self.graph.declarations_of(file)?;
        if let Some(Symbol::Value(declared_in, name, value)) =
            self.graph.declared_value(module, declarations, name)
        {
            self.uninferred.unreplaced.truncate(unreplaced);
            self.warn_of_inferred_any(name, value, location);
            return Some(self.value_once(declared_in, name, value, location));
        }
        self.note_missing(name, unreplaced);
        None
    }

    /// Warns if TypeScript inferred `any` inside of the type of a value, for example because an import failed. A type that is
    /// computed from `any` can be any type, and nobody would notice.
    fn warn_of_inferred_any(&mut self, name: &str, value: Value<'a>, location: Location) {
        let (Value::Const(declarator) | Value::Variable(declarator)) = value else {
            return;
        };
        let Some(annotation) = &declarator.type_annotation else {
            return;
        };
        let mut arguments = AnyInArguments(false);
        arguments.visit_ts_type(&annotation.type_annotation);
        if arguments.0 {
            let message =
                format!("TypeScript infers `any` in the type of `{name}`, and kit checks nothing there");
            let diagnostic = Diagnostic::warning(codes::ANY_IN_PACKAGE, message)
                .label(self.graph.label(location))
                .help("correct the import or the value that has no type, or write the type of the value");
            self.warn_once(diagnostic);
        }
    }

    /// Adds to the errors about types that a declaration of TypeScript does not contain the name.
    fn note_missing(&mut self, name: &str, unreplaced: usize) {
        let note = format!(
            "TypeScript emits no declaration of `{name}`, because the file neither exports it nor uses it in an exported type"
        );
        for ty in &self.uninferred.unreplaced[unreplaced..] {
            self.store.add_note(*ty, &note);
        }
    }

    /// Returns the type of a property of a class from the value of the property. If only TypeScript can infer the type, the
    /// type comes from the declaration of the class that TypeScript emits.
    pub(in crate::eval) fn initializer_type(
        &mut self,
        class: &'a Class<'a>,
        property: &'a PropertyDefinition<'a>,
        value: &'a Expression<'a>,
        scope: ScopeId,
        widening: Widening,
    ) -> TyId {
        let unreplaced = self.uninferred.unreplaced.len();
        let ty = self.expression_type(value, scope, widening);
        if self.uninferred.unreplaced.len() == unreplaced {
            return ty;
        }
        let (Some(name), module) = (class.id.as_ref(), self.store.module_of(scope)) else {
            return ty;
        };
        let file = self.graph.file(module);
        let Some(declarations) = self.graph.declarations_of(file) else {
            return ty;
        };
        let name = name.name.as_str();
        if let Some(found) = self.declared_property(module, declarations, name, property) {
            self.uninferred.unreplaced.truncate(unreplaced);
            return found;
        }
        self.note_missing(name, unreplaced);
        ty
    }

    /// Returns the type of a property of a class in the declarations of TypeScript; `None` if they do not contain the
    /// property, or the class has type parameters.
    fn declared_property(
        &mut self,
        module: ModuleId,
        declarations: ModuleId,
        class: &'a str,
        property: &PropertyDefinition<'a>,
    ) -> Option<TyId> {
        let Some(Symbol::Value(_, _, Value::Declared(decl))) =
            self.graph.declared_value(module, declarations, class)
        else {
            return None;
        };
        let decl = self.graph.decl(decl);
        let (DeclKind::Class(declared), module) = (&decl.kind, decl.module) else {
            return None;
        };
        let declared = *declared;
        if declared.type_parameters.is_some() {
            return None;
        }
        let name = property.key.static_name()?;
        let annotation = declared.body.body.iter().find_map(|element| match element {
            ClassElement::PropertyDefinition(found)
                if found.r#static == property.r#static && found.key.static_name().as_ref() == Some(&name) =>
            {
                found.type_annotation.as_ref()
            }
            _ => None,
        })?;
        let scope = self.module_scope(module);
        Some(self.evaluate(&annotation.type_annotation, scope))
    }

    /// Records that an exported type has no JSON form because of an invalid type.
    pub(in crate::eval) fn want(&mut self, invalid: TyId) {
        if let Some(location) = self.uninferred.types.get(&invalid) {
            self.uninferred.wanted.insert(self.graph.file(location.module));
        }
    }

    /// Records a file with middleware without a type that kit can read.
    pub(crate) fn add_untyped_middleware(&mut self, module: ModuleId) {
        let file = self.graph.file(module);
        self.uninferred.untyped_middleware.insert(file);
    }

    /// Records that the program needs the types of the middleware that has no type which kit can read.
    pub(crate) fn want_types_of_middleware(&mut self) {
        let Uninferred {
            wanted,
            untyped_middleware,
            ..
        } = &mut self.uninferred;
        wanted.extend(untyped_middleware.iter());
    }

    /// Returns the sorted paths of the source files with types that the program needs and only TypeScript can
    /// infer: the files of the reported diagnostics about such types, and the files that exported types need.
    pub(crate) fn files_without_types(&self, reported: &Diagnostics) -> Vec<PathBuf> {
        let labels: FxHashSet<&str> = reported
            .iter()
            .filter(|diagnostic| diagnostic.code == codes::UNINFERRED_TYPE)
            .filter_map(|diagnostic| Some(diagnostic.primary()?.path.as_str()))
            .collect();
        let files = self.graph.files().filter(|(id, module)| {
            let needed = self.uninferred.wanted.contains(id) || labels.contains(module.display.as_str());
            needed && declaration_path(&module.path).is_some()
        });
        let mut paths: Vec<PathBuf> = files.map(|(_, module)| module.path.clone()).collect();
        paths.sort();
        paths
    }
}
