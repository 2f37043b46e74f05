//! Formats and types of the bodies of a route.

use crate::{BodyFormat, DeclarationId, Route, Slot};

impl Route {
    /// Returns the types of request bodies: of the slot, or of each format of a union.
    ///
    /// ```
    /// use kit_ir::{BodyFormat, DeclarationId, FormatChoice, Route};
    ///
    /// # let mut route = serde_json::from_str::<Route>(
    /// #     r#"{ "method": "POST", "path": "/notes", "key": "POST /notes", "group": "notes", "parameters": [],
    /// #           "slots": { "params": null, "query": null, "body": null, "response": 1 }, "status": 200,
    /// #           "span": { "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 } }"#,
    /// # ).unwrap();
    /// let choice = |format, id| FormatChoice { format, body: Some(DeclarationId(id)) };
    /// route.body_format = BodyFormat::OneOf {
    ///     choices: vec![choice(BodyFormat::Json, 3), choice(BodyFormat::Form, 4)],
    /// };
    /// assert_eq!(route.body_types(), [DeclarationId(3), DeclarationId(4)]);
    /// ```
    pub fn body_types(&self) -> Vec<DeclarationId> {
        let inner = self.body_format.inner_types();
        self.slots.body.into_iter().chain(inner).collect()
    }

    /// Returns the types that the server reads from requests: of all slots but the response.
    pub fn read(&self) -> Vec<DeclarationId> {
        let slots = Slot::INPUTS.into_iter().filter_map(|slot| self.slots.get(slot));
        slots.chain(self.body_format.inner_types()).collect()
    }

    /// Returns true if the header `accept` of a request chooses the format of a response of the contract.
    pub fn negotiates(&self) -> bool {
        let mut replies = self.replies.iter().map(|reply| &reply.format);
        self.response_format.is_union() || replies.any(BodyFormat::is_union)
    }
}
