//! Lists of the modules and declarations in a syntax tree. They depend only on the tree.

use std::rc::Rc;

use oxc_ast::ast::{
    BindingPattern, Class, Declaration, ExportDefaultDeclarationKind, Expression, Function,
    ImportDeclaration, ImportDeclarationSpecifier, ModuleExportName, Statement, TSEnumDeclaration,
    TSImportEqualsDeclaration, TSInterfaceDeclaration, TSModuleReference, TSNamespaceDeclaration,
    TSNamespaceDeclarationBody, VariableDeclaration,
};
use oxc_span::{GetSpan, Span};

use super::module::{Decl, DeclKind, ImportedName, Module, ModuleKind, NameTarget, Source, Value};
use super::{DeclId, ModuleId, expression_path, type_path};

/// Modules and type declarations of a file. The first module is the file itself, and the others are its
/// blocks.
pub(super) struct Tables<'a> {
    pub(super) modules: Vec<Module<'a>>,
    pub(super) decls: Vec<Decl<'a>>,
}

/// Lists the modules and declarations of a file. Their ids start at `first_module` and `first_decl`, after
/// the ids of the graph.
pub(super) fn tables<'a>(source: &Rc<Source<'a>>, first_module: usize, first_decl: usize) -> Tables<'a> {
    let body = source.program.body.as_slice();
    let script = !body.iter().any(makes_a_module);
    let mut builder = Builder {
        source: Rc::clone(source),
        first_module,
        first_decl,
        tables: Tables {
            modules: Vec::new(),
            decls: Vec::new(),
        },
    };
    let file = builder.add_module(ModuleKind::File { script });
    let ambient = source.display.ends_with(".d.ts")
        || source.display.ends_with(".d.mts")
        || source.display.ends_with(".d.cts");
    builder.body(file, body, ambient);
    builder.tables
}

/// Returns true if a statement makes its file a module and not a script: an import or an export.
fn makes_a_module(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::TSImportEqualsDeclaration(import) => {
            matches!(
                import.module_reference,
                TSModuleReference::ExternalModuleReference(_)
            )
        }
        Statement::TSNamespaceExportDeclaration(_) => false,
        other => other.as_module_declaration().is_some(),
    }
}

/// Returns true if a statement specifies exports, such as `export { a }`. A `declare` block without such a
/// statement exports all its declarations.
fn says_what_is_exported(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::ExportNamedDeclaration(_)
        | Statement::ExportFromDeclaration(_)
        | Statement::ExportAllDeclaration(_)
        | Statement::TSExportAssignment(_) => true,
        Statement::ExportDefaultDeclaration(export) => export.declaration.as_expression().is_some(),
        _ => false,
    }
}

struct Builder<'a> {
    source: Rc<Source<'a>>,
    first_module: usize,
    first_decl: usize,
    tables: Tables<'a>,
}

impl<'a> Builder<'a> {
    fn add_module(&mut self, kind: ModuleKind<'a>) -> ModuleId {
        let index = self.first_module + self.tables.modules.len();
        self.tables
            .modules
            .push(Module::new(Rc::clone(&self.source), kind));
        ModuleId(u32::try_from(index).expect("fewer than 2^32 modules"))
    }

    fn module(&mut self, id: ModuleId) -> &mut Module<'a> {
        &mut self.tables.modules[id.0 as usize - self.first_module]
    }

    /// Reads the statements of a module. If `ambient` is true (a `declare` block or a `.d.ts` file), all
    /// declarations are exported, unless a statement specifies the exports.
    fn body(&mut self, id: ModuleId, statements: &'a [Statement<'a>], ambient: bool) {
        let everything = ambient && !statements.iter().any(says_what_is_exported);
        for statement in statements {
            self.statement(id, statement, ambient, everything);
        }
    }

    fn statement(&mut self, id: ModuleId, statement: &'a Statement<'a>, ambient: bool, everything: bool) {
        let start = statement.span().start;
        match statement {
            Statement::ImportDeclaration(import) => self.import(id, import),
            Statement::ExportDeclaration(export) => {
                for name in self.declaration(id, &export.declaration, start, ambient) {
                    self.module(id).exports.insert(name, NameTarget::Local(name));
                }
            }
            Statement::ExportNamedDeclaration(export) => {
                for specifier in &export.specifiers {
                    let link = NameTarget::Local(name_of(&specifier.local));
                    self.module(id).exports.insert(name_of(&specifier.exported), link);
                }
            }
            Statement::ExportFromDeclaration(export) => {
                for specifier in &export.specifiers {
                    let link = NameTarget::Imported(ImportedName {
                        source: export.source.value.as_str(),
                        name: Some(name_of(&specifier.local)),
                        span: specifier.span,
                        require: false,
                    });
                    self.module(id).exports.insert(name_of(&specifier.exported), link);
                }
            }
            Statement::ExportAllDeclaration(export) => {
                let (source, span) = (export.source.value.as_str(), export.source.span);
                if let Some(name) = &export.exported {
                    let link = NameTarget::Imported(ImportedName {
                        source,
                        name: None,
                        span,
                        require: false,
                    });
                    self.module(id).exports.insert(name_of(name), link);
                } else {
                    self.module(id).stars.push((source, span));
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                self.export_default(id, &export.declaration, start);
            }
            Statement::TSExportAssignment(assignment) => {
                let link = self.expression_link(id, "export=", &assignment.expression);
                self.module(id).assigned = Some(link);
            }
            Statement::TSNamespaceExportDeclaration(export) => {
                self.module(id).global_name = Some(export.id.name.as_str());
            }
            other => {
                if let Some(declaration) = other.as_declaration() {
                    let names = self.declaration(id, declaration, start, ambient);
                    if everything {
                        for name in names {
                            self.module(id)
                                .exports
                                .entry(name)
                                .or_insert(NameTarget::Local(name));
                        }
                    }
                }
            }
        }
    }

    fn export_default(
        &mut self,
        id: ModuleId,
        declaration: &'a ExportDefaultDeclarationKind<'a>,
        start: u32,
    ) {
        let link = match declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                self.interface(id, interface, start);
                NameTarget::Local(interface.id.name.as_str())
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                NameTarget::Local(self.class(id, class, start))
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                NameTarget::Local(self.function(id, function))
            }
            other => match other.as_expression() {
                Some(expression) => self.expression_link(id, "default", expression),
                None => return,
            },
        };
        self.module(id).exports.insert("default", link);
    }

    /// Returns the target of `export default` or `export =`. An expression that is not a name with dots
    /// becomes a value with the name `own`.
    fn expression_link(
        &mut self,
        id: ModuleId,
        own: &'static str,
        expression: &'a Expression<'a>,
    ) -> NameTarget<'a> {
        match expression_path(expression) {
            Some(path) if path.len() == 1 => NameTarget::Local(path[0].text),
            Some(path) => NameTarget::Path(path),
            None => {
                self.module(id).values.insert(own, Value::Default(expression));
                NameTarget::Local(own)
            }
        }
    }

    fn import(&mut self, id: ModuleId, import: &'a ImportDeclaration<'a>) {
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
            let link = NameTarget::Imported(ImportedName {
                source,
                name,
                span: specifier.span(),
                require: false,
            });
            self.module(id).imports.insert(local.name.as_str(), link);
        }
    }

    fn import_equals(&mut self, id: ModuleId, import: &'a TSImportEqualsDeclaration<'a>) -> &'a str {
        let name = import.id.name.as_str();
        let link = match &import.module_reference {
            TSModuleReference::ExternalModuleReference(reference) => {
                Some(NameTarget::Imported(ImportedName {
                    source: reference.expression.value.as_str(),
                    name: None,
                    span: import.span,
                    require: true,
                }))
            }
            TSModuleReference::IdentifierReference(identifier) => Some(NameTarget::Path(vec![super::Name {
                text: identifier.name.as_str(),
                span: identifier.span,
            }])),
            TSModuleReference::QualifiedName(qualified) => {
                let mut path = type_path(&qualified.left);
                if let Some(path) = &mut path {
                    path.push(super::Name {
                        text: qualified.right.name.as_str(),
                        span: qualified.right.span,
                    });
                }
                path.map(NameTarget::Path)
            }
        };
        if let Some(link) = link {
            self.module(id).imports.insert(name, link);
        }
        name
    }

    /// Adds a declaration to the module, and returns the names that it declares.
    fn declaration(
        &mut self,
        id: ModuleId,
        declaration: &'a Declaration<'a>,
        start: u32,
        ambient: bool,
    ) -> Vec<&'a str> {
        match declaration {
            Declaration::TSInterfaceDeclaration(interface) => {
                self.interface(id, interface, start);
                vec![interface.id.name.as_str()]
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                let name = alias.id.name.as_str();
                self.add(id, name, DeclKind::Alias(alias), alias.id.span, start);
                vec![name]
            }
            Declaration::TSEnumDeclaration(declared) => vec![self.enumeration(id, declared, start)],
            Declaration::ClassDeclaration(class) => vec![self.class(id, class, start)],
            Declaration::VariableDeclaration(variables) => self.variables(id, variables),
            Declaration::FunctionDeclaration(function) => vec![self.function(id, function)],
            Declaration::TSImportEqualsDeclaration(import) => vec![self.import_equals(id, import)],
            Declaration::TSNamespaceDeclaration(namespace) => {
                self.namespace(id, namespace, ambient);
                vec![namespace.id.name.as_str()]
            }
            Declaration::TSExternalModuleDeclaration(module) => {
                let kind = ModuleKind::Ambient {
                    parent: id,
                    specifier: module.id.value.as_str(),
                };
                let block = self.add_module(kind);
                let body = module.body.as_ref().map_or(&[][..], |body| body.body.as_slice());
                self.body(block, body, true);
                Vec::new()
            }
            Declaration::TSGlobalDeclaration(global) => {
                let block = self.add_module(ModuleKind::Global { parent: id });
                self.body(block, &global.body.body, true);
                Vec::new()
            }
        }
    }

    /// Adds the modules of `namespace A.B.C { … }`: one for each name.
    fn namespace(&mut self, id: ModuleId, namespace: &'a TSNamespaceDeclaration<'a>, ambient: bool) {
        let (mut parent, mut current, mut ambient) = (id, namespace, ambient);
        loop {
            let name = current.id.name.as_str();
            ambient |= current.declare;
            let block = self.add_module(ModuleKind::Namespace { parent, name });
            self.module(parent)
                .namespaces
                .entry(name)
                .or_default()
                .push(block);
            match &current.body {
                TSNamespaceDeclarationBody::TSModuleBlock(body) => {
                    self.body(block, &body.body, ambient);
                    return;
                }
                TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                    let inner_name = inner.id.name.as_str();
                    self.module(block)
                        .exports
                        .insert(inner_name, NameTarget::Local(inner_name));
                    (parent, current) = (block, inner);
                }
            }
        }
    }

    fn variables(&mut self, id: ModuleId, variables: &'a VariableDeclaration<'a>) -> Vec<&'a str> {
        let mut names = Vec::new();
        for declarator in &variables.declarations {
            let BindingPattern::BindingIdentifier(identifier) = &declarator.id else {
                for identifier in declarator.id.get_binding_identifiers() {
                    names.push(identifier.name.as_str());
                    self.module(id)
                        .values
                        .insert(identifier.name.as_str(), Value::Destructured(declarator));
                }
                continue;
            };
            let value = if variables.kind.is_const() {
                Value::Const(declarator)
            } else {
                Value::Variable(declarator)
            };
            names.push(identifier.name.as_str());
            self.module(id).values.insert(identifier.name.as_str(), value);
        }
        names
    }

    /// Adds a function and returns its name. A function without a name has the name `default`, because it is
    /// the default export.
    fn function(&mut self, id: ModuleId, function: &'a Function<'a>) -> &'a str {
        let name = function
            .id
            .as_ref()
            .map_or("default", |identifier| identifier.name.as_str());
        let module = self.module(id);
        let all = module.functions.entry(name).or_default();
        all.push(function);
        // At most one declaration has a body, and the function is located there.
        if all.len() == 1 || function.body.is_some() {
            module.values.insert(name, Value::Function(function));
        }
        name
    }

    fn class(&mut self, id: ModuleId, class: &'a Class<'a>, start: u32) -> &'a str {
        let (name, span) = class.id.as_ref().map_or(
            ("default", Span::new(class.span.start, class.span.start)),
            |identifier| (identifier.name.as_str(), identifier.span),
        );
        let decl = self.add(id, name, DeclKind::Class(class), span, start);
        self.module(id).values.insert(name, Value::Declared(decl));
        name
    }

    fn enumeration(&mut self, id: ModuleId, declared: &'a TSEnumDeclaration<'a>, start: u32) -> &'a str {
        let name = declared.id.name.as_str();
        if let Some(earlier) = self.earlier(id, name)
            && let Decl {
                kind: DeclKind::Enum(parts),
                statements,
                ..
            } = earlier
        {
            parts.push(declared);
            statements.push(start);
            return name;
        }
        let decl = self.add(id, name, DeclKind::Enum(vec![declared]), declared.id.span, start);
        self.module(id).values.insert(name, Value::Declared(decl));
        name
    }

    fn interface(&mut self, id: ModuleId, interface: &'a TSInterfaceDeclaration<'a>, start: u32) {
        let name = interface.id.name.as_str();
        if let Some(earlier) = self.earlier(id, name)
            && let Decl {
                kind: DeclKind::Interface(parts),
                statements,
                ..
            } = earlier
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
        );
    }

    /// Returns an earlier declaration of a type with the same name in the module, or `None` if no earlier
    /// type has this name.
    fn earlier(&mut self, id: ModuleId, name: &str) -> Option<&mut Decl<'a>> {
        let decl = *self.module(id).types.get(name)?;
        Some(&mut self.tables.decls[decl.0 as usize - self.first_decl])
    }

    /// Adds a type declaration. If the name was declared before, the name keeps referring to the first
    /// declaration. The graph merges a class and an interface with the same name. TypeScript reports all
    /// other duplicates.
    fn add(&mut self, module: ModuleId, name: &'a str, kind: DeclKind<'a>, span: Span, start: u32) -> DeclId {
        let index = self.first_decl + self.tables.decls.len();
        let id = DeclId(u32::try_from(index).expect("fewer than 2^32 declarations"));
        self.tables.decls.push(Decl {
            module,
            name,
            kind,
            span,
            statements: vec![start],
        });
        self.module(module).types.entry(name).or_insert(id);
        id
    }
}

fn name_of<'a>(name: &ModuleExportName<'a>) -> &'a str {
    match name {
        ModuleExportName::IdentifierName(identifier) => identifier.name.as_str(),
        ModuleExportName::IdentifierReference(identifier) => identifier.name.as_str(),
        ModuleExportName::StringLiteral(literal) => literal.value.as_str(),
    }
}
