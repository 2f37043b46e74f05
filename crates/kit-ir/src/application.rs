//! The program: all types and routes of an application, and the options of `createApp`.

use serde::{Deserialize, Serialize};

use crate::{
    Arena, Constraints, ContractGroup, Cors, Declaration, DeclarationId, DeclaredFormat, Entity, EntityId,
    ErrorFormat, ErrorRules, Errors, LiteralOption, Property, Route, RouteId, Security, SecurityHeaders,
    SourceFile, SourceId, Span, Type, TypeId, TypeKind,
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
    pub fn add_type(&mut self, r#type: impl Into<Type>) -> TypeId {
        self.types.push(r#type.into())
    }

    /// Returns the declaration with the given name, and its id.
    pub fn declaration(&self, name: &str) -> Option<(DeclarationId, &Declaration)> {
        self.declarations
            .iter_ids()
            .find(|(_, declaration)| declaration.name == name)
    }

    /// Returns the type with the given id. For a reference, returns the type of the declaration that it
    /// refers to.
    pub fn resolve(&self, id: TypeId) -> &Type {
        match self.types[id].kind {
            TypeKind::Reference { declaration } => &self.types[self.declarations[declaration].r#type],
            _ => &self.types[id],
        }
    }

    /// Returns true if a type is the compiler's form of TypeScript's `{}`, which accepts every value but
    /// `null`: a union of string, number, boolean, any array and any object.
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
    pub fn properties(&self, id: TypeId) -> &[Property] {
        match &self.resolve(id).kind {
            TypeKind::Object(object) => &object.properties,
            _ => &[],
        }
    }

    /// Returns the path of a span's source file.
    pub fn path(&self, span: Span) -> &str {
        &self.sources[span.source].path
    }
}

/// Options of `createApp({ … })`. The compiler reads them from the source, without running the program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    /// Location of the call of `createApp`; `None` if the compiler found no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
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
    /// The option `compression`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<LiteralOption>,
    /// The option `etag`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<LiteralOption>,
    /// The option `requestLog`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_log: Option<LiteralOption>,
    /// The option `csrf`; `None` if it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub csrf: Option<LiteralOption>,
}

impl Application {
    /// Returns the format and the status of error responses. If the option is known only when the application
    /// runs, returns the default.
    pub fn error_rules(&self) -> &ErrorRules {
        let rules = self.errors.as_ref().and_then(|errors| errors.rules.as_ref());
        rules.unwrap_or(&ErrorRules::DEFAULT)
    }

    /// Returns the format that the application declares with `defineErrorFormat`. Returns `None` if the
    /// application does not call this function.
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
