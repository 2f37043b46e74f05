//! Rules of the schemas of validation libraries: `z.string().min(1)` becomes `@minLength 1`.
//!
//! The types of schemas do not contain their rules. kit reads the rules from the source of a schema, without running the
//! source, if the source writes the schema out. For each rule that kit cannot read, a warning says that kit checks only the
//! shape.

mod arktype;
mod reader;
mod rules;
mod typebox;
mod valibot;
mod zod;

use std::rc::Rc;

use kit_diagnostics::{Diagnostic, codes};
use oxc_ast::ast::{Expression, TSType};
use oxc_span::GetSpan;

use self::reader::Reader;
use self::rules::SchemaRules;
use super::types::{Element, Object};
use super::{Evaluator, ScopeId, Ty, TyId};
use crate::docs::{Doc, Tag};
use crate::modules::{DeclId, ModuleId, Symbol, Value, type_path};

/// A validation library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Library {
    Zod,
    Valibot,
    TypeBox,
    ArkType,
    /// A library whose rules kit does not read.
    Other(&'static str),
}

/// Packages of validation libraries. A subpath such as `zod/v4` belongs to its package.
const PACKAGES: [(&str, Library); 10] = [
    ("zod", Library::Zod),
    ("valibot", Library::Valibot),
    ("@sinclair/typebox", Library::TypeBox),
    ("typebox", Library::TypeBox),
    ("arktype", Library::ArkType),
    ("yup", Library::Other("yup")),
    ("effect", Library::Other("effect")),
    ("io-ts", Library::Other("io-ts")),
    ("superstruct", Library::Other("superstruct")),
    ("runtypes", Library::Other("runtypes")),
];

/// Names of the types with which libraries give the type of a schema: `z.infer<typeof user>`.
const INFERRING: [&str; 11] = [
    "infer",
    "input",
    "output",
    "TypeOf",
    "Infer",
    "InferOutput",
    "InferInput",
    "InferType",
    "Static",
    "StaticDecode",
    "OutputOf",
];

/// Properties that give the type of a schema: `typeof user.infer`.
const INFERRING_PROPERTIES: [&str; 6] = ["infer", "inferIn", "inferOut", "Type", "Encoded", "static"];

impl Library {
    /// Returns the name for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Zod => "zod",
            Self::Valibot => "valibot",
            Self::TypeBox => "TypeBox",
            Self::ArkType => "ArkType",
            Self::Other(name) => name,
        }
    }

    /// Returns an example of code that checks a schema against a declared type; `None` if the library cannot check
    /// this, or kit has no example.
    pub(super) fn annotation_example(self) -> Option<&'static str> {
        match self {
            Self::Zod => Some("const user: z.ZodType<User> = z.object({ … })"),
            Self::Valibot => Some("const user: v.GenericSchema<User> = v.object({ … })"),
            Self::Other("yup") => Some("const user: yup.ObjectSchema<User> = yup.object({ … })"),
            Self::Other("effect") => Some("const user: Schema.Schema<User> = Schema.Struct({ … })"),
            _ => None,
        }
    }

    /// Returns the library of an import, such as zod for `zod/v4`.
    fn of_specifier(specifier: &str) -> Option<Self> {
        PACKAGES.iter().find_map(|(package, library)| {
            let rest = specifier.strip_prefix(package)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(*library)
        })
    }

    /// Returns the library of a file in `node_modules`.
    fn of_path(path: &std::path::Path) -> Option<Self> {
        let text = path.to_str()?.replace('\\', "/");
        let (_, inside) = text.rsplit_once("/node_modules/")?;
        Self::of_specifier(inside)
    }
}

/// Reads the rules of a schema with the functions of a library.
fn read_of_library<'a>(
    reader: &mut Reader<'_, 'a>,
    library: Library,
    expression: &'a Expression<'a>,
    module: ModuleId,
) -> SchemaRules {
    match library {
        Library::Zod => zod::read(reader, expression, module),
        Library::Valibot => valibot::read(reader, expression, module),
        Library::TypeBox => typebox::read(reader, expression, module),
        Library::ArkType => arktype::read(reader, expression, module),
        Library::Other(name) => {
            let what = format!("the rules of `{name}`, of which kit knows only the shape");
            reader
                .unread
                .push((reader::location(module, expression.span()), what));
            SchemaRules::default()
        }
    }
}

impl<'a> Evaluator<'a> {
    /// Adds the rules of a schema to the type that a library infers from the schema: `z.infer<typeof user>`. Returns the type
    /// unchanged if `decl` is no such type, or the argument is not the type of a constant.
    pub(super) fn with_schema_rules(
        &mut self,
        ty: TyId,
        decl: DeclId,
        argument: &'a TSType<'a>,
        scope: ScopeId,
    ) -> TyId {
        let TSType::TSTypeQuery(query) = argument else {
            return ty;
        };
        let declared = self.graph.decl(decl);
        let library = Library::of_path(&self.graph.module(declared.module).path);
        if library.is_none() || !INFERRING.contains(&declared.name) {
            return ty;
        }
        let Some(path) = query.expr_name.as_ts_type_name().and_then(type_path) else {
            return ty;
        };
        let module = self.store.module_of(scope);
        let (symbol, used) = self.graph.value_path(module, &path);
        if used < path.len() {
            return ty;
        }
        self.with_rules_of(ty, &symbol)
    }

    /// Adds the rules of a schema to the type of one of its properties that gives the type of the schema: `typeof user.infer`.
    pub(super) fn with_property_rules(&mut self, ty: TyId, symbol: &Symbol<'a>, property: &str) -> TyId {
        let Symbol::Value(module, _, Value::Const(declarator)) = symbol else {
            return ty;
        };
        let Some(init) = &declarator.init else {
            return ty;
        };
        if INFERRING_PROPERTIES.contains(&property) && self.library_of(init, *module).is_some() {
            self.with_rules_of(ty, symbol)
        } else {
            ty
        }
    }

    fn with_rules_of(&mut self, ty: TyId, symbol: &Symbol<'a>) -> TyId {
        let Symbol::Value(module, _, Value::Const(declarator)) = *symbol else {
            return ty;
        };
        let (None, Some(init)) = (&declarator.type_annotation, &declarator.init) else {
            return ty;
        };
        // The mistake in a type is reported, and rules do not matter.
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return ty;
        }
        let mut reader = Reader::new(self);
        let rules = reader.read(init, module);
        let unread = std::mem::take(&mut reader.unread);
        for (location, what) in unread {
            let message = format!("kit does not check this part of the schema: {what}");
            let diagnostic = Diagnostic::warning(codes::SCHEMA_RULE, message)
                .label(self.graph.label(location))
                .help("kit checks the types and the rules that doc tags can state; check the rest in the handler");
            if !self.schema_warnings.contains(&diagnostic) {
                self.schema_warnings.push(diagnostic);
            }
        }
        self.overlay(ty, &rules, false)
    }

    /// Returns the library whose function a call calls, such as zod for `z.object(…).strict()`; `None` for any other
    /// expression.
    pub(super) fn library_of(&mut self, expression: &'a Expression<'a>, module: ModuleId) -> Option<Library> {
        let mut current = expression;
        loop {
            match current.get_inner_expression() {
                Expression::StaticMemberExpression(member) => current = &member.object,
                Expression::CallExpression(call) => current = &call.callee,
                Expression::Identifier(name) => {
                    let name = name.name.as_str();
                    if let Some(specifier) = self.graph.module(module).imported_from(name)
                        && let Some(library) = Library::of_specifier(specifier)
                    {
                        return Some(library);
                    }
                    return match self.graph.value_symbol(module, name) {
                        Symbol::Namespace(found) | Symbol::Value(found, ..) if found != module => {
                            Library::of_path(&self.graph.module(self.graph.file(found)).path)
                        }
                        _ => None,
                    };
                }
                _ => return None,
            }
        }
    }

    /// Returns a type with the rules of a schema. `is_property` is true for the type of a property, which may have rules that
    /// only properties can have.
    fn overlay(&mut self, ty: TyId, rules: &SchemaRules, is_property: bool) -> TyId {
        let mut ty = ty;
        if rules
            .properties
            .iter()
            .any(|(_, location, part)| part.has_rules() || self.doc_before(*location).is_some())
        {
            ty = self.overlay_properties(ty, rules);
        }
        if let Some(element) = rules.element.as_ref().filter(|element| element.has_rules()) {
            ty = self.overlay_elements(ty, element);
        }
        if is_property {
            return ty;
        }
        let doc = self.doc_of_rules(rules, Doc::default());
        self.constrained(ty, doc)
    }

    fn overlay_properties(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Object(id) => {
                let mut object: Object = (*self.store.object_at(id)).clone();
                for (name, location, part) in &rules.properties {
                    let Some(index) = object.properties.iter().position(|known| *known.name == **name) else {
                        continue;
                    };
                    let known = object.properties[index].clone();
                    let written = self.doc_before(*location).unwrap_or_default();
                    let doc = self.doc_of_rules(part, written);
                    let inner = self.overlay(known.ty, part, true);
                    let property = &mut object.properties[index];
                    property.ty = self.constrained(inner, doc);
                    if doc.is_some() {
                        property.doc = doc;
                        property.text_only_doc = false;
                    }
                }
                self.store.object(object)
            }
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| self.overlay_properties(*member, rules))
                    .collect();
                self.union(members)
            }
            _ => ty,
        }
    }

    fn overlay_elements(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        match self.shape_of(ty) {
            Ty::Array { element, readonly } => {
                let element = self.overlay(element, rules, false);
                self.store.add(Ty::Array { element, readonly })
            }
            // `.nonempty()` of zod 3 gives a tuple with a rest.
            Ty::Tuple { elements, readonly } => {
                let elements: Vec<Element> = elements
                    .iter()
                    .map(|element| Element {
                        ty: self.overlay(element.ty, rules, false),
                        ..element.clone()
                    })
                    .collect();
                self.store.add(Ty::Tuple {
                    elements: elements.into(),
                    readonly,
                })
            }
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| self.overlay_elements(*member, rules))
                    .collect();
                self.union(members)
            }
            _ => ty,
        }
    }

    /// Returns the doc comment before a property of a schema; `None` if there is none.
    fn doc_before(&mut self, location: crate::modules::Location) -> Option<Doc> {
        let module = self.graph.module(location.module);
        let span = module.doc(location.span.start)?;
        let id = self.store.doc_at(location.module, module.text, span);
        Some((*self.store.doc(id)).clone())
    }

    /// Returns a doc comment with the rules of a schema; `None` if there is nothing to write. `doc` has what the source says
    /// in a comment.
    fn doc_of_rules(&mut self, rules: &SchemaRules, mut doc: Doc) -> Option<super::DocId> {
        for rule in &rules.rules {
            // A doc comment in the source has precedence.
            if !doc.has(rule.name) {
                doc.tags.push(Tag {
                    name: rule.name,
                    argument: rule.argument.clone(),
                    location: rule.location,
                    in_template: false,
                });
            }
        }
        if doc.text.is_none() {
            doc.text.clone_from(&rules.description);
        }
        (doc != Doc::default()).then(|| self.store.add_doc(Rc::new(doc)))
    }
}
