//! Slots of contracts: parts of a request, and the response.

use serde::{Deserialize, Serialize};

use crate::DeclarationId;

/// Types of the slots of a contract. A slot is `None` if its type is `void`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RouteSlots {
    /// Path parameters: an object type with one property for each parameter of the path pattern.
    pub params: Option<DeclarationId>,
    /// Query parameters: an object type.
    pub query: Option<DeclarationId>,
    /// Request headers: an object type with lower-case names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headers: Option<DeclarationId>,
    /// Cookies of the request: an object type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cookies: Option<DeclarationId>,
    /// Request body.
    pub body: Option<DeclarationId>,
    /// Response body of a contract without declared replies.
    pub response: Option<DeclarationId>,
}

impl RouteSlots {
    /// Returns the type of a slot; `None` for `void`.
    ///
    /// ```
    /// use kit_ir::{DeclarationId, RouteSlots, Slot};
    ///
    /// let slots = RouteSlots { query: Some(DeclarationId(4)), ..RouteSlots::default() };
    /// assert_eq!(slots.get(Slot::Query), Some(DeclarationId(4)));
    /// assert_eq!(slots.get(Slot::Body), None);
    /// ```
    pub fn get(&self, slot: Slot) -> Option<DeclarationId> {
        match slot {
            Slot::Params => self.params,
            Slot::Query => self.query,
            Slot::Headers => self.headers,
            Slot::Cookies => self.cookies,
            Slot::Body => self.body,
            Slot::Response => self.response,
        }
    }

    /// Returns the type of a slot, to set it.
    pub fn get_mut(&mut self, slot: Slot) -> &mut Option<DeclarationId> {
        match slot {
            Slot::Params => &mut self.params,
            Slot::Query => &mut self.query,
            Slot::Headers => &mut self.headers,
            Slot::Cookies => &mut self.cookies,
            Slot::Body => &mut self.body,
            Slot::Response => &mut self.response,
        }
    }
}

/// A slot of a contract: a part of a request, or the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Slot {
    /// Path parameters.
    Params,
    /// Query parameters.
    Query,
    /// Request headers.
    Headers,
    /// Cookies of the request.
    Cookies,
    /// Request body.
    Body,
    /// Response body.
    Response,
}

impl Slot {
    /// All slots, in the order in which a request is processed.
    pub const ALL: [Self; 6] = [
        Self::Params,
        Self::Query,
        Self::Headers,
        Self::Cookies,
        Self::Body,
        Self::Response,
    ];

    /// Slots of a request, in the order in which they are validated.
    pub const INPUTS: [Self; 5] = [
        Self::Params,
        Self::Query,
        Self::Headers,
        Self::Cookies,
        Self::Body,
    ];

    /// Slots of `RouteContract<…>`, in the order of its type arguments.
    pub const POSITIONAL: [Self; 4] = [Self::Params, Self::Query, Self::Body, Self::Response];

    /// Returns true if the values of the slot are read from strings, such as the values of the query.
    ///
    /// ```
    /// use kit_ir::Slot;
    ///
    /// assert!(Slot::Query.is_text());
    /// assert!(!Slot::Body.is_text());
    /// ```
    pub fn is_text(self) -> bool {
        match self {
            Self::Params | Self::Query | Self::Headers | Self::Cookies => true,
            Self::Body | Self::Response => false,
        }
    }

    /// Returns the name of the slot in the contract, such as `params`.
    ///
    /// ```
    /// use kit_ir::Slot;
    ///
    /// assert_eq!(Slot::Params.name(), "params");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Query => "query",
            Self::Headers => "headers",
            Self::Cookies => "cookies",
            Self::Body => "body",
            Self::Response => "response",
        }
    }
}
