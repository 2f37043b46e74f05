//! Routes: the contracts of an application's endpoints.

use kit_router::{Method, RoutePath};
use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, HandlerSource, Security, Span};

/// A method and a path with a contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// HTTP method.
    pub method: Method,
    /// Final path, which includes the group's prefix.
    pub path: RoutePath,
    /// Key as written in the contract group, which is also the key in the handler map: `GET /notes/:id`.
    pub key: String,
    /// Name of the contract group.
    pub group: String,
    /// Names of the path's parameters in order; the name of a wildcard is last.
    pub parameters: Vec<String>,
    /// Types of the input and the output.
    pub slots: RouteSlots,
    /// HTTP status of a successful response.
    pub status: u16,
    /// One-line summary, from `@summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Groups of the route in the documentation, from `@tag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// `@throws code status`: errors that a client must expect. The errors of the route come first, then those of its
    /// middleware.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throws: Vec<DeclaredError>,
    /// Contents of the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Names of the middleware that runs before the handler, in the order of execution. See
    /// [`Application::middleware`](crate::Application::middleware).
    #[serde(default)]
    pub middleware: Vec<String>,
    /// Requirements of the route's middleware. A request must satisfy every inner list; it satisfies a list if it
    /// satisfies one item of the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<Security>>,
    /// Location of the handler; `None` if the compiler could not read the application factory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerSource>,
    /// Tests that mention the route: paths from the project's root, sorted. The compiler leaves the list empty; a
    /// caller that has the whole project fills it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Location of the route key.
    pub span: Span,
}

impl Route {
    /// Returns the name by which artifacts refer to the route: method and final path, such as `GET /notes/:id`.
    pub fn reference(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A contract group: an interface whose keys are routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractGroup {
    /// Name of the group, as in [`Route::group`].
    pub name: String,
    /// Contents of the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
}

/// The four members of a contract. `None` stands for `void`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteSlots {
    /// Path parameters: an object type with one property for each parameter of the path.
    pub params: Option<DeclarationId>,
    /// Query parameters: an object type.
    pub query: Option<DeclarationId>,
    /// Request body.
    pub body: Option<DeclarationId>,
    /// Response body.
    pub response: Option<DeclarationId>,
}

impl RouteSlots {
    /// Returns the declaration of a slot.
    pub fn get(&self, slot: Slot) -> Option<DeclarationId> {
        match slot {
            Slot::Params => self.params,
            Slot::Query => self.query,
            Slot::Body => self.body,
            Slot::Response => self.response,
        }
    }
}

/// A member of a contract.
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
    /// All slots, in the order in which a request is processed.
    pub const ALL: [Self; 4] = [Self::Params, Self::Query, Self::Body, Self::Response];

    /// Returns the name of the contract's member.
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
    /// Text of the tag after the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
