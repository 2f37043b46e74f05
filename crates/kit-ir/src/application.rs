//! The program as a whole: types, routes, and what the application factory says.

use serde::{Deserialize, Serialize};

use crate::{
    Arena, Constraints, ContractGroup, Declaration, DeclarationId, Entity, EntityId, Property, Route,
    RouteId, Security, SourceFile, SourceId, Span, Type, TypeId, TypeKind,
};

/// Everything the compiler learned about an application.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Program {
    /// Source files in the order they were read (sorted by path).
    pub sources: Arena<SourceId, SourceFile>,
    /// All types.
    pub types: Arena<TypeId, Type>,
    /// All named types, sorted by source path and position; instances and slots after them in order of first use.
    pub declarations: Arena<DeclarationId, Declaration>,
    /// The stored ones.
    pub entities: Arena<EntityId, Entity>,
    /// All routes, in the order of registration where the factory could be read, else of their groups.
    pub routes: Arena<RouteId, Route>,
    /// The contract groups of the routes, in order of first use.
    #[serde(default)]
    pub groups: Vec<ContractGroup>,
    /// What `createApp` says.
    pub application: Application,
}

impl Program {
    /// Version of the serialized form. It changes when a field changes its meaning or goes away.
    pub const VERSION: u32 = 2;

    /// Adds a type to the arena.
    pub fn add_type(&mut self, r#type: impl Into<Type>) -> TypeId {
        self.types.push(r#type.into())
    }

    /// The declaration of that name.
    pub fn declaration(&self, name: &str) -> Option<(DeclarationId, &Declaration)> {
        self.declarations
            .iter_ids()
            .find(|(_, declaration)| declaration.name == name)
    }

    /// The type itself where it is a reference: the referenced declaration's type.
    pub fn resolve(&self, id: TypeId) -> &Type {
        match self.types[id].kind {
            TypeKind::Reference { declaration } => &self.types[self.declarations[declaration].r#type],
            _ => &self.types[id],
        }
    }

    /// Returns true if a type is what `{}` is on the wire: a string, a number, a boolean, any array or any object.
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

    /// The properties of an object type (through a reference); empty for every other kind.
    pub fn properties(&self, id: TypeId) -> &[Property] {
        match &self.resolve(id).kind {
            TypeKind::Object(object) => &object.properties,
            _ => &[],
        }
    }

    /// The path of a source file.
    pub fn path(&self, span: Span) -> &str {
        &self.sources[span.source].path
    }
}

/// What the compiler read from `createApp({ … })` without running it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    /// Where the factory is called; nothing where no call was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Every middleware that is registered, by ascending priority.
    pub middleware: Vec<MiddlewareSource>,
}

/// A middleware entry as registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MiddlewareSource {
    /// Its name.
    pub name: String,
    /// Lower runs earlier.
    pub priority: f64,
    /// How far it reaches.
    pub kind: MiddlewareKind,
    /// What it asks of a request: its `@security` tags, each of which suffices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Security>,
    /// Paths below `ctx` that this middleware adds, of those that an `@owner` names: `userId`, `user.id`. The compiler looks for
    /// no other ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adds: Vec<String>,
    /// Where it was registered.
    pub span: Span,
}

/// How far a middleware reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MiddlewareKind {
    /// In the `middleware` option of `createApp`.
    Global,
    /// In the `middleware` option of a route group.
    Route,
    /// Defined with `defineMiddleware` and not seen in any chain.
    Registered,
    /// Part of kit.
    BuiltIn,
}

/// Where a route's handler is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerSource {
    /// The exported name of the handler map.
    pub export: String,
    /// Where the handler's property stands.
    pub span: Span,
}
