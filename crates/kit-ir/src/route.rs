//! Routes: the contracts of an application's endpoints.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Documentation, HandlerSource, Security, Span};

/// HTTP methods a route key may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// OPTIONS
    Options,
}

impl Method {
    /// Every method, in the order `Allow` lists them.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }

    /// The method of that name, upper case as in a route key.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// The method.
    pub method: Method,
    /// The final path: the group's prefix applied, no trailing slash (but `/` itself), parameters as `:name`, a wildcard
    /// tail as `*name`.
    pub path: String,
    /// The key as written in the contract group, which is the key of the handler map: `GET /notes/:id`.
    pub key: String,
    /// The name of the contract group.
    pub group: String,
    /// Names of the path's parameters in order, a wildcard's last.
    pub parameters: Vec<String>,
    /// What the contract says of input and output.
    pub slots: RouteSlots,
    /// Status of a successful response.
    pub status: u16,
    /// `@summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// `@tag`s.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// `@throws code status`: the errors a client must expect, those of its middleware after its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throws: Vec<Throws>,
    /// What the doc comment says.
    #[serde(default)]
    pub documentation: Documentation,
    /// Names of the middleware that runs before the handler, in order of running; see
    /// [`Application::middleware`](crate::Application::middleware).
    #[serde(default)]
    pub middleware: Vec<String>,
    /// What its middleware asks of a request: of each list one, and all lists together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<Security>>,
    /// The handler, where the application factory could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerSource>,
    /// Tests that mention it: paths from the project's root, in their order. The compiler leaves it empty; whoever sees the whole
    /// project fills it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Where the route key was written.
    pub span: Span,
}

impl Route {
    /// How artifacts refer to it: `GET /notes/:id`, with the final path.
    pub fn reference(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// A contract group: an interface whose keys are routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractGroup {
    /// Its name, as in [`Route::group`].
    pub name: String,
    /// What its doc comment says.
    #[serde(default)]
    pub documentation: Documentation,
}

/// The four members of a contract. `None` is `void`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteSlots {
    /// Path parameters: an object type, one property for each of the path's parameters.
    pub params: Option<DeclarationId>,
    /// Query parameters: an object type.
    pub query: Option<DeclarationId>,
    /// The request body.
    pub body: Option<DeclarationId>,
    /// The response body.
    pub response: Option<DeclarationId>,
}

impl RouteSlots {
    /// The declaration in a slot.
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
    /// Every slot, in the order the pipeline meets them.
    pub const ALL: [Self; 4] = [Self::Params, Self::Query, Self::Body, Self::Response];

    /// The member's name.
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
pub struct Throws {
    /// Error code such as `NOTE_NOT_FOUND`.
    pub code: String,
    /// HTTP status.
    pub status: u16,
    /// The rest of the tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
