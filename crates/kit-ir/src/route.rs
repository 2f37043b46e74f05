//! Routes and their contracts.

use kit_router::{Method, RoutePath};
use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, HandlerSource, Security, Span};

/// A method and a path pattern with a contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// HTTP method.
    pub method: Method,
    /// Path pattern, which includes the prefix of the route's group.
    pub path: RoutePath,
    /// Key of the route in the interface of its group, and in the handler map: `GET /notes/:id`.
    pub key: String,
    /// Name of the group that declares the route.
    pub group: String,
    /// Names of the path's parameters in order. A wildcard is the last segment of a path, so its name is
    /// last.
    pub parameters: Vec<String>,
    /// Types of the params, the query, the body and the response.
    pub slots: RouteSlots,
    /// HTTP status of a response without an error.
    pub status: u16,
    /// One-line summary, from `@summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Names of the sections of the documentation that list the route, from `@tag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Errors that a client must expect, from `@throws code status`. The errors of the route come first, then
    /// those of its middleware.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throws: Vec<DeclaredError>,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Names of the middleware that runs before the handler, in the order of execution. See
    /// [`Application::middleware`](crate::Application::middleware).
    #[serde(default)]
    pub middleware: Vec<String>,
    /// Authentication that the route's middleware requires. A request must satisfy at least one item of each
    /// inner list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<Security>>,
    /// Location of the handler; `None` if the compiler could not read the call of `createApp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerSource>,
    /// Paths of the tests that mention the route, relative to the project's root and sorted. The compiler
    /// leaves the list empty; `kit-build` fills it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Location of the route key.
    pub span: Span,
}

impl Route {
    /// Returns the name of the route in artifacts: the method and the path pattern, such as `GET /notes/:id`.
    pub fn reference(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A group: an interface whose keys are routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractGroup {
    /// Name of the group, equal to [`Route::group`].
    pub name: String,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
}

/// Types of the four properties of a contract. A property is `None` if its type is `void`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteSlots {
    /// Path parameters: an object type with one property for each parameter of the path pattern.
    pub params: Option<DeclarationId>,
    /// Query parameters: an object type.
    pub query: Option<DeclarationId>,
    /// Request body.
    pub body: Option<DeclarationId>,
    /// Response body.
    pub response: Option<DeclarationId>,
}

impl RouteSlots {
    /// Returns the type of one of the four properties; `None` for `void`.
    pub fn get(&self, slot: Slot) -> Option<DeclarationId> {
        match slot {
            Slot::Params => self.params,
            Slot::Query => self.query,
            Slot::Body => self.body,
            Slot::Response => self.response,
        }
    }
}

/// One of the four properties of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Slot {
    /// Path parameters.
    Params,
    /// Query parameters.
    Query,
    /// Request body.
    Body,
    /// Response body.
    Response,
}

impl Slot {
    /// All properties of a contract, in the order in which a request is processed.
    pub const ALL: [Self; 4] = [Self::Params, Self::Query, Self::Body, Self::Response];

    /// Returns the name of the property in the contract, such as `params`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Query => "query",
            Self::Body => "body",
            Self::Response => "response",
        }
    }
}

/// An error that a route declares with `@throws`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredError {
    /// Error code such as `NOTE_NOT_FOUND`.
    pub code: String,
    /// HTTP status.
    pub status: u16,
    /// Description of the error: the text after the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
