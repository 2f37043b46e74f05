//! The program: all types and routes of an application, and the options of `createApp`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Arena, Constraints, ContractGroup, Cors, Declaration, DeclarationId, DeclaredFormat, Entity, EntityId,
    EnvironmentVariables, ErrorFormat, ErrorRules, Errors, Jobs, LiteralOption, Property, Route, RouteId,
    Security, SecurityHeaders, SourceFile, SourceId, Span, Type, TypeId, TypeKind,
};

/// Complete description of an application, as the compiler understood it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Program {
    /// Source files, sorted by path.
    pub sources: Arena<SourceId, SourceFile>,
    /// All types of the program. They refer to each other by id.
    pub types: Arena<TypeId, Type>,
    /// All named types, sorted by source path and position. Instances of generic types and the anonymous
    /// types of routes follow, in the order of their first use.
    pub declarations: Arena<DeclarationId, Declaration>,
    /// Entities: the declarations with `@table`, which are stored in the database.
    pub entities: Arena<EntityId, Entity>,
    /// All routes. The routes have the order of registration if the compiler could read the call of
    /// `createApp`, otherwise the order of their groups.
    pub routes: Arena<RouteId, Route>,
    /// Groups of the routes, in the order of their first use.
    #[serde(default)]
    pub groups: Vec<ContractGroup>,
    /// Options of `createApp`.
    pub application: Application,
}

impl Program {
    /// Version of the serialized program. The number changes when a field is removed or changes its meaning.
    pub const VERSION: u32 = 2;

    /// Adds a type to the arena and returns its id.
    ///
    /// ```
    /// use kit_ir::{Program, TypeKind};
    ///
    /// let mut program = Program::default();
    /// let text = program.add_type(TypeKind::String);
    /// assert_eq!(program.types[text].kind, TypeKind::String);
    /// ```
    pub fn add_type(&mut self, r#type: impl Into<Type>) -> TypeId {
        self.types.push(r#type.into())
    }

    /// Returns the declaration with the given name, and its id.
    ///
    /// ```
    /// use kit_ir::{Program, TypeKind};
    ///
    /// # use kit_ir::{Declaration, DeclarationOrigin, Documentation, SourceId, Span};
    /// # let declare = |program: &mut Program, name: &str, r#type| {
    /// #     let span = Span { source: SourceId(0), start: 0, end: 0, line: 1, column: 1 };
    /// #     let origin = DeclarationOrigin::Slot;
    /// #     let documentation = Documentation::default();
    /// #     program.declarations.push(Declaration { name: name.to_owned(), r#type, origin, documentation, span })
    /// # };
    /// let mut program = Program::default();
    /// let title = program.add_type(TypeKind::String);
    /// let id = declare(&mut program, "Title", title);
    /// assert_eq!(program.declaration("Title").map(|(id, _)| id), Some(id));
    /// assert_eq!(program.declaration("Note"), None);
    /// ```
    pub fn declaration(&self, name: &str) -> Option<(DeclarationId, &Declaration)> {
        self.declarations
            .iter_ids()
            .find(|(_, declaration)| declaration.name == name)
    }

    /// Returns the type with the given id. For a reference, returns the type of the declaration that it
    /// refers to.
    ///
    /// ```
    /// use kit_ir::{Program, TypeKind};
    ///
    /// # use kit_ir::{Declaration, DeclarationOrigin, Documentation, SourceId, Span};
    /// # let declare = |program: &mut Program, name: &str, r#type| {
    /// #     let span = Span { source: SourceId(0), start: 0, end: 0, line: 1, column: 1 };
    /// #     let origin = DeclarationOrigin::Slot;
    /// #     let documentation = Documentation::default();
    /// #     program.declarations.push(Declaration { name: name.to_owned(), r#type, origin, documentation, span })
    /// # };
    /// let mut program = Program::default();
    /// let title = program.add_type(TypeKind::String);
    /// let declaration = declare(&mut program, "Title", title);
    /// let reference = program.add_type(TypeKind::Reference { declaration });
    /// assert_eq!(program.resolve(reference).kind, TypeKind::String);
    /// ```
    pub fn resolve(&self, id: TypeId) -> &Type {
        match self.types[id].kind {
            TypeKind::Reference { declaration } => &self.types[self.declarations[declaration].r#type],
            _ => &self.types[id],
        }
    }

    /// Returns true if a type is the compiler's form of TypeScript's `{}`, which accepts every value but
    /// `null`: a union of string, number, boolean, any array and any object.
    ///
    /// ```
    /// use kit_ir::{Constraints, IndexKey, IndexSignature, ObjectType, Program, TypeKind};
    ///
    /// let mut program = Program::default();
    /// let unknown = program.add_type(TypeKind::Unknown);
    /// let any = IndexSignature { key: IndexKey::String, rules: Constraints::default(), value: unknown };
    /// let members = [
    ///     TypeKind::String,
    ///     TypeKind::Number,
    ///     TypeKind::Boolean,
    ///     TypeKind::Array { element: unknown },
    ///     TypeKind::Object(ObjectType { properties: vec![], index: vec![any] }),
    /// ]
    /// .map(|kind| program.add_type(kind));
    /// let union = program.add_type(TypeKind::Union { members: members.to_vec() });
    /// assert!(program.is_anything_but_null(union));
    /// assert!(!program.is_anything_but_null(unknown));
    /// ```
    pub fn is_anything_but_null(&self, id: TypeId) -> bool {
        let TypeKind::Union { members } = &self.types[id].kind else {
            return false;
        };
        let kinds = members.iter().map(|member| &self.types[*member]);
        let kinds: Vec<&TypeKind> = kinds
            .filter(|member| member.constraints == Constraints::default())
            .map(|member| &member.kind)
            .collect();
        let unknown = |id: TypeId| matches!(self.types[id].kind, TypeKind::Unknown);
        match kinds.as_slice() {
            [
                TypeKind::String,
                TypeKind::Number,
                TypeKind::Boolean,
                TypeKind::Array { element },
                TypeKind::Object(object),
            ] => {
                unknown(*element)
                    && object.properties.is_empty()
                    && object.index.len() == 1
                    && object.string_index().is_some_and(unknown)
            }
            _ => false,
        }
    }

    /// Returns the properties of an object type, or of the object type that a reference refers to. Returns an
    /// empty list for any other type.
    ///
    /// ```
    /// use kit_ir::{ObjectType, Program, Property, TypeKind};
    ///
    /// let id: Property = serde_json::from_str(
    ///     r#"{ "name": "id", "type": 0, "optional": false,
    ///          "span": { "source": 0, "start": 0, "end": 2, "line": 1, "column": 1 } }"#,
    /// )?;
    /// let mut program = Program::default();
    /// let text = program.add_type(TypeKind::String);
    /// let note = program.add_type(TypeKind::Object(ObjectType { properties: vec![id], index: vec![] }));
    /// assert_eq!(program.properties(note)[0].name, "id");
    /// assert!(program.properties(text).is_empty());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn properties(&self, id: TypeId) -> &[Property] {
        match &self.resolve(id).kind {
            TypeKind::Object(object) => &object.properties,
            _ => &[],
        }
    }

    /// Returns the path of a span's source file.
    ///
    /// ```
    /// use kit_ir::{Program, SourceFile, Span};
    ///
    /// let mut program = Program::default();
    /// let source = program.sources.push(SourceFile { path: "src/notes.types.ts".to_owned() });
    /// let span = Span { source, start: 0, end: 9, line: 1, column: 1 };
    /// assert_eq!(program.path(span), "src/notes.types.ts");
    /// ```
    pub fn path(&self, span: Span) -> &str {
        &self.sources[span.source].path
    }
}

/// Options of `createApp({ … })` or `declareApi({ … })`. The compiler reads them from the source, without running the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    /// Location of the call of `createApp` or `declareApi`; `None` if the compiler found no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// True if the call is one of `declareApi`: a server that is not written in TypeScript has the handlers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_declared: bool,
    /// All registered middleware, in ascending order of priority.
    pub middleware: Vec<MiddlewareSource>,
    /// The option `cors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    /// The option `securityHeaders`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub security_headers: Option<SecurityHeaders>,
    /// The option `errors`; `None` for kit's envelope and the status 400.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Errors>,
    /// Type of the variables that the application reads with `env`; `None` if it does not call this function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<EnvironmentVariables>,
    /// Jobs that the application declares with `createJobs`; `None` if it does not call this function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Jobs>,
    /// The option `compression`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<LiteralOption>,
    /// The option `etag`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<LiteralOption>,
    /// The option `staticFiles`; `None` if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_files: Option<LiteralOption>,
    /// The option `requestLog`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_log: Option<LiteralOption>,
    /// The option `csrf`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csrf: Option<LiteralOption>,
    /// The option `limits`; `None` if it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LiteralOption>,
    /// The option `tls` of a call of `listen`; `None` if no call has the option. A path that is known only when the application
    /// runs is `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<LiteralOption>,
    /// All other options with their values, by name, such as `requestTimeoutMs`. `routes`, `plugins` and `compiled` are left
    /// out. The value of `server` is the object that the adapter's function receives. In an object, a property whose value is
    /// known only when the application runs is `null`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, LiteralOption>,
    /// True if the compiler could not read all options: the options, or an object that is spread into them, are known only
    /// when the application runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_unread_options: bool,
}

impl Application {
    /// Returns the format and the status of error responses. If the option is known only when the application
    /// runs, returns the default.
    ///
    /// ```
    /// use kit_ir::{Application, ErrorRules};
    ///
    /// assert_eq!(Application::default().error_rules(), &ErrorRules::DEFAULT);
    /// ```
    pub fn error_rules(&self) -> &ErrorRules {
        let rules = self.errors.as_ref().and_then(|errors| errors.rules.as_ref());
        rules.unwrap_or(&ErrorRules::DEFAULT)
    }

    /// Returns the format that the application declares with `defineErrorFormat`. Returns `None` if the
    /// application does not call this function.
    ///
    /// ```
    /// use kit_ir::{Application, Errors};
    ///
    /// let mut application = Application::default();
    /// assert_eq!(application.declared_format(), None);
    /// let errors: Errors = serde_json::from_str(
    ///     r#"{ "rules": { "format": { "kind": "declared", "body": 3, "contentType": "application/json" },
    ///                     "validationStatus": 422 },
    ///          "span": { "source": 0, "start": 0, "end": 2, "line": 1, "column": 1 } }"#,
    /// )?;
    /// application.errors = Some(errors);
    /// assert_eq!(application.declared_format().unwrap().body.0, 3);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn declared_format(&self) -> Option<&DeclaredFormat> {
        match &self.error_rules().format {
            ErrorFormat::Declared(declared) => Some(declared),
            ErrorFormat::Envelope | ErrorFormat::ProblemDetails => None,
        }
    }
}

/// A registered middleware.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MiddlewareSource {
    /// Name of the middleware.
    pub name: String,
    /// Priority: middleware with a lower number runs earlier.
    pub priority: f64,
    /// Reason why the middleware runs for a route.
    pub kind: MiddlewareKind,
    /// Authentication that the middleware requires, from its `@security` tags. A request needs to satisfy
    /// only one entry of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Security>,
    /// Paths of values that the middleware adds to `ctx`, such as `userId` or `user.id`. The list has only
    /// paths that an `@owner` tag names, because the compiler searches for no other paths.
    #[serde(rename = "adds", default, skip_serializing_if = "Vec::is_empty")]
    pub added_context: Vec<String>,
    /// True if the middleware is a wrapper: it is created with `defineWrapper`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_wrapper: bool,
    /// Location at which the middleware is registered.
    pub span: Span,
}

/// Reason why a middleware runs for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MiddlewareKind {
    /// The middleware is in the `middleware` option of `createApp`: it runs for every route.
    Global,
    /// The middleware is in the `middleware` option of a route group: it runs for the routes of the group.
    Route,
    /// The middleware is created with `defineMiddleware` or `defineWrapper`, but it is in no `middleware` option that the
    /// compiler could read.
    Registered,
    /// The middleware is a part of kit.
    BuiltIn,
}
