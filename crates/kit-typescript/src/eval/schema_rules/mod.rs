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

use kit_diagnostics::{Code, Diagnostic, Diagnostics, Label, Severity, codes};
use kit_ir::Constraints;
use oxc_ast::ast::{Expression, ObjectPropertyKind, TSIndexedAccessType, TSLiteral, TSType};
use oxc_span::GetSpan;

use self::reader::Reader;
use self::rules::{Rule, SchemaRules};
use super::types::{Element, Object};
use super::{Evaluator, ScopeId, Ty, TyId};
use crate::docs::{Doc, Tag, TagName, check_pattern};
use crate::modules::{DeclId, Location, ModuleId, Name, Symbol, Value, type_path};

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
const INFERRING_PROPERTIES: [&str; 9] = [
    "infer", "inferIn", "inferOut", "Type", "Encoded", "static", "_output", "_input", "_type",
];

/// Functions of schemas whose results have the type of the schema: `ReturnType<typeof user.parse>`.
const PARSING: [&str; 8] = [
    "parse",
    "safeParse",
    "parseAsync",
    "safeParseAsync",
    "assert",
    "validate",
    "validateSync",
    "cast",
];

/// Errors about doc tags.
const OF_TAGS: [Code; 4] = [
    codes::INVALID_TAG_ARGUMENT,
    codes::TAG_DOES_NOT_FIT,
    codes::CONFLICTING_TAGS,
    codes::UNKNOWN_FORMAT,
];

const SCHEMA_HELP: &str =
    "kit checks the types and the rules that doc tags can state; check the rest in the handler";

/// A schema in the source.
struct SchemaSource<'a> {
    module: ModuleId,
    expression: &'a Expression<'a>,
    /// Names after the schema: `shape` and `name` for `user.shape.name`.
    parts: Vec<&'a str>,
}

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
    /// unchanged if `decl` is no such type.
    pub(super) fn with_schema_rules(
        &mut self,
        ty: TyId,
        decl: DeclId,
        argument: &'a TSType<'a>,
        scope: ScopeId,
    ) -> TyId {
        let declared = self.graph.decl(decl);
        let Some(library) = Library::of_path(&self.graph.module(declared.module).path) else {
            return ty;
        };
        let module = self.store.module_of(scope);
        if !INFERRING.contains(&declared.name) || self.is_of_package(module) {
            return ty;
        }
        let source = match argument.without_parenthesized() {
            TSType::TSTypeQuery(query) => {
                let path = query.expr_name.as_ts_type_name().and_then(type_path);
                path.and_then(|path| self.schema_source(module, &path))
            }
            _ => None,
        };
        match source {
            Some(source) => self.with_rules_of(ty, &source),
            None => {
                self.only_shape(ty, library, reader::location(module, argument.span()));
                ty
            }
        }
    }

    /// Adds the rules of a schema to the type of one of its properties that gives the type of the schema: `typeof user.infer`.
    pub(super) fn with_property_rules(
        &mut self,
        ty: TyId,
        symbol: &Symbol<'a>,
        property: &str,
        location: Location,
    ) -> TyId {
        let (Symbol::Value(module, _, Value::Const(declarator)), false) =
            (symbol, self.is_of_package(location.module))
        else {
            return ty;
        };
        let Some(library) = declarator
            .init
            .as_ref()
            .and_then(|init| self.library_of(init, *module))
        else {
            return ty;
        };
        if INFERRING_PROPERTIES.contains(&property) {
            match self.schema_of_symbol(symbol, &[]) {
                Some(source) => return self.with_rules_of(ty, &source),
                None => self.only_shape(ty, library, location),
            }
        } else if PARSING.contains(&property) {
            self.only_shape(ty, library, location);
        }
        ty
    }

    /// Adds the rules of a schema to `(typeof user)["_output"]`, like [`Evaluator::with_property_rules`].
    pub(super) fn with_indexed_rules(
        &mut self,
        ty: TyId,
        access: &'a TSIndexedAccessType<'a>,
        scope: ScopeId,
    ) -> TyId {
        let TSType::TSTypeQuery(query) = access.object_type.without_parenthesized() else {
            return ty;
        };
        let TSType::TSLiteralType(index) = &access.index_type else {
            return ty;
        };
        let (TSLiteral::StringLiteral(name), Some(path)) = (
            &index.literal,
            query.expr_name.as_ts_type_name().and_then(type_path),
        ) else {
            return ty;
        };
        let location = self.location(scope, access.span);
        let (symbol, used) = self.graph.value_path(location.module, &path);
        if used < path.len() {
            return ty;
        }
        self.with_property_rules(ty, &symbol, name.value.as_str(), location)
    }

    /// Returns true if a file belongs to an installed package, whose own types use `infer` too.
    fn is_of_package(&self, module: ModuleId) -> bool {
        let path = &self.graph.module(module).path;
        path.components().any(|part| part.as_os_str() == "node_modules")
    }

    /// Warns that kit checks only the shape of a type that a library infers.
    fn only_shape(&mut self, ty: TyId, library: Library, location: Location) {
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return;
        }
        let text = self.graph.module(location.module).slice(location.span);
        let line = text.lines().next().unwrap_or_default();
        let name = library.name();
        let what = format!("the rules of `{line}`, of which kit knows only the shape ({name})");
        self.warn_unread(vec![(location, what)]);
    }

    /// Returns the schema that `typeof user`, `typeof schemas.user` or `typeof user.shape.name` names; `None` if the source does
    /// not write the schema out, or the type of the constant is written.
    fn schema_source(&mut self, module: ModuleId, path: &[Name<'a>]) -> Option<SchemaSource<'a>> {
        let (symbol, used) = self.graph.value_path(module, path);
        let rest: Vec<&'a str> = path.get(used..)?.iter().map(|name| name.text).collect();
        self.schema_of_symbol(&symbol, &rest)
    }

    fn schema_of_symbol(&mut self, symbol: &Symbol<'a>, path: &[&'a str]) -> Option<SchemaSource<'a>> {
        let (mut module, mut expression) = match *symbol {
            Symbol::Value(module, _, Value::Const(declarator)) if declarator.type_annotation.is_none() => {
                (module, declarator.init.as_ref()?)
            }
            Symbol::Value(module, _, Value::Default(expression)) => (module, expression),
            _ => return None,
        };
        let mut rest = path;
        for _ in 0..reader::MAX_DEPTH {
            expression = expression.get_inner_expression();
            match expression {
                Expression::Identifier(name) => {
                    let symbol = self.graph.value_symbol(module, name.name.as_str());
                    match symbol {
                        Symbol::Value(found, _, Value::Const(declarator))
                            if declarator.type_annotation.is_none() =>
                        {
                            module = found;
                            expression = declarator.init.as_ref()?;
                        }
                        _ => return None,
                    }
                }
                Expression::ObjectExpression(object) => {
                    let (first, others) = rest.split_first()?;
                    let mut found = None;
                    for property in &object.properties {
                        let ObjectPropertyKind::ObjectProperty(property) = property else {
                            return None;
                        };
                        if property.computed {
                            return None;
                        }
                        if reader::static_name(&property.key) == Some(first) {
                            found = Some(&property.value);
                        }
                    }
                    expression = found?;
                    rest = others;
                }
                _ => {
                    return Some(SchemaSource {
                        module,
                        expression,
                        parts: rest.to_vec(),
                    });
                }
            }
        }
        None
    }

    fn with_rules_of(&mut self, ty: TyId, source: &SchemaSource<'a>) -> TyId {
        // The mistake in a type is reported, and rules do not matter.
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return ty;
        }
        let mut reader = Reader::new(self);
        let rules = reader.read_part(source);
        let unread = std::mem::take(&mut reader.unread);
        self.warn_unread(unread);
        self.overlay(ty, &rules, false)
    }

    fn warn_unread(&mut self, unread: Vec<(Location, String)>) {
        for (location, what) in unread {
            let message = format!("kit does not check this part of the schema: {what}");
            let diagnostic = Diagnostic::warning(codes::SCHEMA_RULE, message)
                .label(self.graph.label(location))
                .help(SCHEMA_HELP);
            if !self.schema_warnings.contains(&diagnostic) {
                self.schema_warnings.push(diagnostic);
            }
        }
    }

    /// Warns of each rule and each tag that kit cannot attach to a type.
    fn warn_rules(&mut self, rules: &SchemaRules) {
        let mut unread = Vec::new();
        self.list_rules(rules, &mut unread);
        self.warn_unread(unread);
    }

    /// Adds each rule of a schema, and each comment with tags, to a list of parts that kit does not check.
    fn list_rules(&mut self, rules: &SchemaRules, unread: &mut Vec<(Location, String)>) {
        for Rule { location, .. } in &rules.rules {
            let text = self.graph.module(location.module).slice(location.span);
            unread.push((*location, format!("`{text}`")));
        }
        for (name, location, part) in &rules.properties {
            if let Some(tag) = self
                .doc_before(*location)
                .and_then(|doc| doc.tags.first().cloned())
            {
                unread.push((tag.location, format!("`@{}` of `{name}`", tag.name.name())));
            }
            self.list_rules(part, unread);
        }
        if let Some(element) = &rules.element {
            self.list_rules(element, unread);
        }
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

    /// Returns true if a schema or a part of it states a rule, a description or a comment.
    fn has_content(&mut self, rules: &SchemaRules) -> bool {
        !rules.rules.is_empty()
            || rules.description.is_some()
            || rules
                .properties
                .iter()
                .any(|(_, location, part)| self.doc_before(*location).is_some() || self.has_content(part))
            || rules.element.as_ref().is_some_and(|part| self.has_content(part))
    }

    /// Returns a type with the rules of a schema. `is_property` is true for the type of a property, which may have rules that
    /// only properties can have.
    fn overlay(&mut self, ty: TyId, rules: &SchemaRules, is_property: bool) -> TyId {
        let of_properties = SchemaRules {
            properties: rules.properties.clone(),
            ..SchemaRules::default()
        };
        let mut ty = ty;
        if self.has_content(&of_properties) {
            ty = self.overlay_properties(ty, &of_properties);
        }
        if let Some(element) = &rules.element
            && self.has_content(element)
        {
            ty = self.overlay_elements(ty, element);
        }
        if is_property {
            return ty;
        }
        let doc = self.doc_of_rules(rules, Doc::default());
        match self.shape_of(ty) {
            // A property `name?: Name` removes `undefined` from the union, and must keep the rules.
            Ty::Union(members) if doc.is_some() && self.single_member(&members) => {
                let members = members
                    .iter()
                    .map(|member| match self.shape_of(*member) {
                        Ty::Null | Ty::Undefined => *member,
                        _ => self.constrained(*member, doc),
                    })
                    .collect();
                self.union(members)
            }
            _ => self.constrained(ty, doc),
        }
    }

    /// Returns the members of a union if at most one of them is neither `null` nor `undefined`. The rules of a schema do not
    /// say to which of several members they belong.
    fn single_member(&mut self, members: &[TyId]) -> bool {
        let mut others = 0;
        for member in members {
            if !matches!(self.shape_of(*member), Ty::Null | Ty::Undefined) {
                others += 1;
            }
        }
        others <= 1
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
            Ty::Union(members) if self.single_member(&members) => {
                let members = members
                    .iter()
                    .map(|member| match self.shape_of(*member) {
                        Ty::Null | Ty::Undefined => *member,
                        _ => self.overlay_properties(*member, rules),
                    })
                    .collect();
                self.union(members)
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
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
            Ty::Union(members) if self.single_member(&members) => {
                let members = members
                    .iter()
                    .map(|member| match self.shape_of(*member) {
                        Ty::Null | Ty::Undefined => *member,
                        _ => self.overlay_elements(*member, rules),
                    })
                    .collect();
                self.union(members)
            }
            _ => {
                self.warn_rules(rules);
                ty
            }
        }
    }

    /// Returns the doc comment before a property of a schema; `None` if there is none.
    fn doc_before(&mut self, location: Location) -> Option<Doc> {
        let module = self.graph.module(location.module);
        let span = module.doc(location.span.start)?;
        let id = self.store.doc_at(location.module, module.text, span);
        Some((*self.store.doc(id)).clone())
    }

    /// Returns a doc comment with the rules of a schema; `None` if there is nothing to write. `doc` has what the source says
    /// in a comment.
    fn doc_of_rules(&mut self, rules: &SchemaRules, mut doc: Doc) -> Option<super::DocId> {
        for rule in &rules.rules {
            if let Some(reason) = self.unusable(rule, rules) {
                let text = self.graph.module(rule.location.module).slice(rule.location.span);
                self.warn_unread(vec![(rule.location, format!("`{text}`{reason}"))]);
                continue;
            }
            // A doc comment in the source has precedence.
            if !doc.has(rule.name) {
                self.schema_rules.insert(rule.location);
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

    /// Returns the reason why a pattern cannot be a doc tag; `None` for a pattern that can, and for any other rule.
    fn unusable(&self, rule: &Rule, rules: &SchemaRules) -> Option<&'static str> {
        if rule.name != TagName::Pattern {
            return None;
        }
        if rule.argument.is_empty() || check_pattern(&rule.argument).is_err() {
            return Some(", which is not valid with the flag `u`");
        }
        let longest = rules.rules.iter().find(|rule| rule.name == TagName::MaxLength);
        let limits = Constraints {
            max_length: longest.and_then(|rule| rule.argument.parse().ok()),
            ..Constraints::default()
        };
        let verdict = self.graph.verdicts().of(&rule.argument);
        (!verdict.is_harmless(limits.effective_max_length()))
            .then_some(", which takes too long for some texts")
    }

    /// Turns errors about rules of schemas into warnings: the schema is valid for its library, and cannot be written as doc
    /// tags.
    pub(crate) fn soften_schema_rules(&self, diagnostics: &mut Diagnostics) {
        let labels: Vec<Label> = self.schema_rules.iter().map(|at| self.graph.label(*at)).collect();
        for diagnostic in diagnostics {
            let of_rule = OF_TAGS.contains(&diagnostic.code)
                && diagnostic.primary().is_some_and(|label| {
                    labels
                        .iter()
                        .any(|known| known.path == label.path && known.range == label.range)
                });
            if of_rule {
                let reason = std::mem::replace(
                    &mut diagnostic.message,
                    "kit does not check this part of the schema".to_owned(),
                );
                diagnostic.code = codes::SCHEMA_RULE;
                diagnostic.severity = Severity::Warning;
                diagnostic.help = Some(SCHEMA_HELP.to_owned());
                diagnostic.notes.insert(0, format!("as a doc tag: {reason}"));
            }
        }
    }
}
