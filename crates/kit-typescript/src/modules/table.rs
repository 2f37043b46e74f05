//! What one module declares, imports and exports.

use std::collections::HashMap;
use std::path::PathBuf;

use indexmap::IndexMap;
use kit_diagnostics::Diagnostic;
use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclarationKind, Expression, Function, ImportDeclaration,
    ImportDeclarationSpecifier, ModuleExportName, Program, Statement, TSInterfaceDeclaration,
    TSTypeAliasDeclaration, VariableDeclarator,
};
use oxc_span::{GetSpan, Span};

use super::{DeclId, ModuleId};
use crate::source::LineIndex;

/// A parsed file with its symbol tables. Iterating any of them follows the source.
pub(crate) struct Module<'a> {
    pub(crate) path: PathBuf,
    /// Path relative to the project's root.
    pub(crate) display: String,
    pub(crate) text: &'a str,
    pub(crate) lines: LineIndex,
    pub(crate) program: &'a Program<'a>,
    /// The first syntax error. What such a file seems not to declare may only not have been understood.
    pub(crate) syntax_error: Option<Diagnostic>,
    /// Types declared at the top level.
    pub(crate) types: IndexMap<&'a str, DeclId>,
    /// Values declared at the top level.
    pub(crate) values: IndexMap<&'a str, Value<'a>>,
    /// Local names that come from elsewhere.
    pub(super) imports: HashMap<&'a str, Import<'a>>,
    /// Exported names.
    pub(crate) exports: IndexMap<&'a str, Export<'a>>,
    /// `export * from "…"`.
    pub(super) stars: Vec<(&'a str, Span)>,
    /// The last doc comment in front of each token that has one.
    docs: HashMap<u32, Span>,
}

/// A declared type.
pub(crate) struct Decl<'a> {
    pub(crate) module: ModuleId,
    pub(crate) name: &'a str,
    pub(crate) kind: DeclKind<'a>,
    /// Of the name.
    pub(crate) span: Span,
    /// Starts of the declaring statements, where doc comments attach.
    pub(crate) statements: Vec<u32>,
}

/// How a type is declared.
pub(crate) enum DeclKind<'a> {
    /// One or more merged `interface`s.
    Interface(Vec<&'a TSInterfaceDeclaration<'a>>),
    /// A `type`.
    Alias(&'a TSTypeAliasDeclaration<'a>),
    /// What kit does not evaluate: its keyword.
    Unsupported(&'static str),
}

/// A value at the top level of a module.
#[derive(Clone, Copy)]
pub(crate) enum Value<'a> {
    /// A variable that holds the expression for good, as only `const` does.
    Const(&'a VariableDeclarator<'a>),
    /// A function.
    Function(&'a Function<'a>),
    /// The expression of `export default`.
    Default(&'a Expression<'a>),
    /// Anything else: `let`, a class, a destructuring.
    Opaque,
}

/// A local name for something of another module.
pub(super) struct Import<'a> {
    pub(super) source: &'a str,
    /// The exported name there; nothing for the module as a whole.
    pub(super) name: Option<&'a str>,
    pub(super) span: Span,
}

/// What stands behind an exported name.
pub(crate) enum Export<'a> {
    /// Something of this module under its local name.
    Local(&'a str),
    /// Something of another module; the module as a whole where the name is missing.
    From {
        source: &'a str,
        name: Option<&'a str>,
        span: Span,
    },
}

impl<'a> Module<'a> {
    /// Reads the tables off a syntax tree. Declarations go into `decls`, which all modules share.
    pub(super) fn new(
        id: ModuleId,
        path: PathBuf,
        display: String,
        text: &'a str,
        lines: LineIndex,
        program: &'a Program<'a>,
        decls: &mut Vec<Decl<'a>>,
    ) -> Self {
        let docs = program
            .comments
            .iter()
            .filter(|comment| comment.is_block() && comment.is_leading())
            .filter(|comment| text[comment.span.start as usize..].starts_with("/**"))
            .map(|comment| (comment.attached_to, comment.span))
            .collect();
        let mut module = Self {
            path,
            display,
            text,
            lines,
            program,
            syntax_error: None,
            types: IndexMap::new(),
            values: IndexMap::new(),
            imports: HashMap::new(),
            exports: IndexMap::new(),
            stars: Vec::new(),
            docs,
        };
        for statement in &program.body {
            module.statement(id, statement, decls);
        }
        module
    }

    /// The doc comment in front of the token at that offset.
    pub(crate) fn doc(&self, offset: u32) -> Option<Span> {
        self.docs.get(&offset).copied()
    }

    /// A stretch of the text.
    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The name under which a local name is exported, `default` last.
    pub(crate) fn exported_as(&self, local: &str) -> Option<&'a str> {
        let mut names = self
            .exports
            .iter()
            .filter(|(_, export)| matches!(export, Export::Local(name) if *name == local))
            .map(|(name, _)| *name);
        let first = names.next()?;
        if first == "default" {
            names.next().or(Some(first))
        } else {
            Some(first)
        }
    }

    fn statement(&mut self, id: ModuleId, statement: &'a Statement<'a>, decls: &mut Vec<Decl<'a>>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => {
                for name in self.declaration(id, &export.declaration, statement.span().start, decls) {
                    self.exports.insert(name, Export::Local(name));
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let local = name_of(&specifier.local);
                    self.exports
                        .insert(name_of(&specifier.exported), Export::Local(local));
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let from = Export::From {
                        source: export.source.value.as_str(),
                        name: Some(name_of(&specifier.local)),
                        span: specifier.span,
                    };
                    self.exports.insert(name_of(&specifier.exported), from);
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let (source, span) = (export.source.value.as_str(), export.source.span);
                match &export.exported {
                    Some(name) => {
                        let from = Export::From {
                            source,
                            name: None,
                            span,
                        };
                        self.exports.insert(name_of(name), from);
                    }
                    None => self.stars.push((source, span)),
                }
            }
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                    self.interface(id, interface, statement.span().start, decls);
                    self.exports
                        .insert("default", Export::Local(interface.id.name.as_str()));
                }
                ExportDefaultDeclarationKind::Identifier(identifier) => {
                    self.exports
                        .insert("default", Export::Local(identifier.name.as_str()));
                }
                other => {
                    let value = other.as_expression().map_or(Value::Opaque, Value::Default);
                    self.values.insert("default", value);
                    self.exports.insert("default", Export::Local("default"));
                }
            },
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(id, declaration, statement.span().start, decls);
                }
            }
        }
    }

    fn import(&mut self, import: &'a ImportDeclaration<'a>) {
        let source = import.source.value.as_str();
        for specifier in import.specifiers.iter().flatten() {
            let (local, name) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(specifier) => {
                    (&specifier.local, Some(name_of(&specifier.imported)))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(specifier) => {
                    (&specifier.local, Some("default"))
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(specifier) => (&specifier.local, None),
            };
            let span = specifier.span();
            self.imports
                .insert(local.name.as_str(), Import { source, name, span });
        }
    }

    /// Adds a declaration and returns the names that it declares.
    fn declaration(
        &mut self,
        id: ModuleId,
        declaration: &'a Declaration<'a>,
        start: u32,
        decls: &mut Vec<Decl<'a>>,
    ) -> Vec<&'a str> {
        let unsupported = match declaration {
            Declaration::TSInterfaceDeclaration(interface) => {
                self.interface(id, interface, start, decls);
                return vec![interface.id.name.as_str()];
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                let name = alias.id.name.as_str();
                self.add(id, name, DeclKind::Alias(alias), alias.id.span, start, decls);
                return vec![name];
            }
            Declaration::VariableDeclaration(variables) => {
                let mut names = Vec::new();
                for declarator in &variables.declarations {
                    let BindingPattern::BindingIdentifier(identifier) = &declarator.id else {
                        for identifier in declarator.id.get_binding_identifiers() {
                            names.push(identifier.name.as_str());
                            self.values.insert(identifier.name.as_str(), Value::Opaque);
                        }
                        continue;
                    };
                    let value = if variables.kind.is_const() {
                        Value::Const(declarator)
                    } else {
                        Value::Opaque
                    };
                    names.push(identifier.name.as_str());
                    self.values.insert(identifier.name.as_str(), value);
                }
                return names;
            }
            Declaration::FunctionDeclaration(function) => {
                let Some(identifier) = &function.id else {
                    return Vec::new();
                };
                self.values
                    .insert(identifier.name.as_str(), Value::Function(function));
                return vec![identifier.name.as_str()];
            }
            Declaration::ClassDeclaration(_) => "class",
            Declaration::TSEnumDeclaration(_) => "enum",
            Declaration::TSNamespaceDeclaration(_) => "namespace",
            _ => return Vec::new(),
        };
        let Some(identifier) = declaration.id() else {
            return Vec::new();
        };
        let name = identifier.name.as_str();
        self.add(
            id,
            name,
            DeclKind::Unsupported(unsupported),
            identifier.span,
            start,
            decls,
        );
        self.values.insert(name, Value::Opaque);
        vec![name]
    }

    fn interface(
        &mut self,
        id: ModuleId,
        interface: &'a TSInterfaceDeclaration<'a>,
        start: u32,
        decls: &mut Vec<Decl<'a>>,
    ) {
        let name = interface.id.name.as_str();
        if let Some(earlier) = self.types.get(name)
            && let Decl {
                kind: DeclKind::Interface(parts),
                statements,
                ..
            } = &mut decls[earlier.0 as usize]
        {
            parts.push(interface);
            statements.push(start);
            return;
        }
        self.add(
            id,
            name,
            DeclKind::Interface(vec![interface]),
            interface.id.span,
            start,
            decls,
        );
    }

    /// The first of several declarations of a name counts; TypeScript reports the others.
    fn add(
        &mut self,
        module: ModuleId,
        name: &'a str,
        kind: DeclKind<'a>,
        span: Span,
        start: u32,
        decls: &mut Vec<Decl<'a>>,
    ) {
        let id = DeclId(u32::try_from(decls.len()).expect("fewer than 2^32 declarations"));
        decls.push(Decl {
            module,
            name,
            kind,
            span,
            statements: vec![start],
        });
        self.types.entry(name).or_insert(id);
    }
}

fn name_of<'a>(name: &ModuleExportName<'a>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(identifier) => identifier.name.as_str(),
        ModuleExportName::IdentifierReference(identifier) => identifier.name.as_str(),
        ModuleExportName::StringLiteral(literal) => literal.value.as_str(),
    }
}
