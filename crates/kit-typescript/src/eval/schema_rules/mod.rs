//! Rules of the schemas of validation libraries: `z.string().min(1)` becomes `@minLength 1`.
//!
//! The types of schemas do not contain their rules. kit reads the rules from the source of a schema, without running the
//! source, if the source writes the schema out. For each rule that kit cannot read, a warning says that kit checks only the
//! shape.

mod arktype;
mod members;
mod overlay;
mod parts;
mod reader;
mod rules;
mod source;
mod typebox;
mod valibot;
mod zod;

use kit_diagnostics::{Code, Diagnostic, codes};
use oxc_ast::ast::{Expression, TSIndexedAccessType, TSType};
use oxc_span::GetSpan;

use self::reader::Reader;
use self::rules::{Rule, SchemaRules};
use self::source::{SchemaSource, literal_index};
use super::{Evaluator, ScopeId, Ty, TyId};
use crate::modules::{DeclId, Location, ModuleId, Symbol, Value};

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
const INFERRING_PROPERTIES: [&str; 13] = [
    "infer",
    "inferIn",
    "inferOut",
    "Type",
    "Encoded",
    "static",
    "_output",
    "_input",
    "_type",
    "_A",
    "_O",
    "TYPE",
    "__outputType",
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
const DECLARED_HELP: &str = "a declaration file has no rules of schemas; let kit read the source of the package, with `customConditions` in tsconfig.json, or check the rules in the handler";

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
        let is_inferring = INFERRING.contains(&declared.name)
            // `Schema.Schema.Type<typeof user>`. In other libraries, `Type` is the type of schemas.
            || library == Library::Other("effect") && matches!(declared.name, "Type" | "Encoded");
        if !is_inferring {
            return ty;
        }
        let named = self.schema_path(argument, scope);
        if let Some((symbol, path)) = &named
            && let Some(source) = self.schema_of_symbol(symbol, path)
        {
            return self.with_rules_of(ty, &source);
        }
        let location = reader::location(module, argument.span());
        self.without_rules(ty, library, location, named.as_ref().map(|(symbol, _)| symbol));
        ty
    }

    /// Adds the rules of a schema to the type of one of its properties that gives the type of the schema: `typeof user.infer`.
    /// `path` has the names of the properties after the symbol, and `owner` is the type that has the last property.
    pub(super) fn with_property_rules(
        &mut self,
        ty: TyId,
        owner: TyId,
        symbol: &Symbol<'a>,
        path: &[&'a str],
        location: Location,
    ) -> TyId {
        let Some((property, before)) = path.split_last() else {
            return ty;
        };
        let is_inferring = INFERRING_PROPERTIES.contains(property);
        if !(is_inferring || PARSING.contains(property)) {
            return ty;
        }
        // Types of a library itself have no rules.
        if Library::of_path(&self.graph.module(location.module).path).is_some() {
            return ty;
        }
        let source = self.schema_of_symbol(symbol, before);
        let root = source
            .as_ref()
            .and_then(|source| Reader::new(self).root_schema(source.expression, source.module));
        let Some(library) = root.or_else(|| self.library_of_property(owner, property)) else {
            return ty;
        };
        match source {
            Some(source) if is_inferring => self.with_rules_of(ty, &source),
            _ => {
                self.without_rules(ty, library, location, Some(symbol));
                ty
            }
        }
    }

    /// Returns the library that declares a property of a type, such as `ArkType` for `infer` of its types.
    fn library_of_property(&mut self, owner: TyId, name: &str) -> Option<Library> {
        let object = self.as_object(owner)?;
        let declared = object.property(name)?.location.module;
        Library::of_path(&self.graph.module(declared).path)
    }

    /// Adds the rules of a schema to `(typeof user)["_output"]`, like [`Evaluator::with_property_rules`]. `owner` is the type
    /// before the brackets.
    pub(super) fn with_indexed_rules(
        &mut self,
        ty: TyId,
        owner: TyId,
        access: &'a TSIndexedAccessType<'a>,
        scope: ScopeId,
    ) -> TyId {
        let Some(name) = literal_index(access) else {
            return ty;
        };
        let Some((symbol, mut path)) = self.schema_path(&access.object_type, scope) else {
            return ty;
        };
        path.push(name);
        let location = self.location(scope, access.span);
        self.with_property_rules(ty, owner, &symbol, &path, location)
    }

    /// Warns that kit checks only the shape of a type that a library infers, because kit cannot read the source of the schema.
    /// `location` is that of the schema, and `symbol` its name, if it has one.
    fn without_rules(&mut self, ty: TyId, library: Library, location: Location, symbol: Option<&Symbol<'a>>) {
        let help = match symbol {
            Some(Symbol::Value(_, _, Value::Const(declarator))) if declarator.init.is_none() => DECLARED_HELP,
            _ => SCHEMA_HELP,
        };
        if !self.graph.is_in_package(location.module) {
            self.only_shape(ty, library, location, (location, help));
        } else if symbol.is_some()
            && let Some(used_at) = self.location_in_project()
        {
            // People can edit only the project. Types of packages that take any schema, such as `Body<T>`, have no rules of their own.
            self.only_shape(ty, library, location, (used_at, help));
        }
    }

    /// Warns that kit checks only the shape of a type that a library infers. `location` is that of the schema, and the warning has
    /// a location and a help of its own.
    fn only_shape(&mut self, ty: TyId, library: Library, location: Location, (at, help): (Location, &str)) {
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return;
        }
        let text = self.graph.module(location.module).slice(location.span);
        let line = text.lines().next().unwrap_or_default();
        let name = library.name();
        let what = format!("the rules of `{line}`, of which kit knows only the shape ({name})");
        self.warn_part(at, &what, help);
    }

    fn with_rules_of(&mut self, ty: TyId, source: &SchemaSource<'a>) -> TyId {
        // The mistake in a type is reported, and rules do not matter.
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return ty;
        }
        let mut reader = Reader::new(self);
        let mut rules = reader.read_part(source);
        if source.is_annotated {
            reader.refuse_rules(&rules);
            rules = SchemaRules::default();
        }
        let unread = std::mem::take(&mut reader.unread);
        self.warn_unread(unread);
        self.overlay(ty, &rules, false)
    }

    fn warn_unread(&mut self, unread: Vec<(Location, String)>) {
        for (location, what) in unread {
            self.warn_part(location, &what, SCHEMA_HELP);
        }
    }

    fn warn_part(&mut self, location: Location, what: &str, help: &str) {
        let message = format!("kit does not check this part of the schema: {what}");
        let diagnostic = Diagnostic::warning(codes::SCHEMA_RULE, message)
            .label(self.graph.label(location))
            .help(help);
        self.warn_once(diagnostic);
    }

    /// Adds a warning, unless the same warning was added before.
    pub(in crate::eval) fn warn_once(&mut self, warning: Diagnostic) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
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
        for part in rules.unnamed_parts() {
            self.list_rules(part, unread);
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
}
