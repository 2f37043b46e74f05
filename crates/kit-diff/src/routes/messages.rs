//! Comparison of WebSockets.

use kit_ir::{BodyFormat, DeclarationId, Route};
use serde_json::json;

use super::Comparison;
use crate::graph::{State, Travel};
use crate::report::Consequence;

impl Comparison<'_, '_> {
    pub(super) fn messages(&mut self, old: &Route, new: &Route) {
        if let (Some(before), Some(after)) = (old.slots.body, new.slots.body) {
            let sent = self.solver.graph.declared(State::Old, Travel::Request, before);
            let accepted = self.solver.graph.declared(State::New, Travel::Request, after);
            self.explain(Consequence::BreaksRequests, "in", sent, accepted);
        }
        if new.slots.response.is_some() {
            self.written("out", old.slots.response, new.slots.response);
        }
        self.message_kinds(old, new);
        let before = old.subprotocols.clone();
        let Some(after) = new.subprotocols.clone() else {
            if let Some(name) = before.and_then(|before| before.names.first().cloned()) {
                let message = "the route has no subprotocols any more";
                self.add(
                    Consequence::BreaksRequests,
                    "subprotocol-removed",
                    &format!("protocols {name}"),
                    message,
                    Some(json!(name)),
                );
            }
            return;
        };
        let may_be_absent = before.as_ref().is_none_or(|before| before.optional);
        if may_be_absent && !after.optional {
            let message = "clients must offer a subprotocol now";
            self.add(
                Consequence::BreaksRequests,
                "subprotocol-required",
                "protocols",
                message,
                None,
            );
        }
        for name in before.into_iter().flat_map(|before| before.names) {
            if !after.names.contains(&name) {
                let message = format!("the subprotocol `{name}` is removed");
                self.add(
                    Consequence::BreaksRequests,
                    "subprotocol-removed",
                    &format!("protocols {name}"),
                    message,
                    Some(json!(name)),
                );
            }
        }
    }

    /// Reports kinds of messages that the server refuses now, and those that it may send now.
    fn message_kinds(&mut self, old: &Route, new: &Route) {
        let received = |route: &Route| kinds(&route.body_format, route.slots.body);
        let sent = |route: &Route| kinds(&route.response_format, route.slots.response);
        let (before, after) = (received(old), received(new));
        for kind in before.into_iter().filter(|kind| !after.contains(kind)) {
            self.add(
                Consequence::BreaksRequests,
                "message-kind-removed",
                "in",
                format!("clients could send {}, which the server refuses now", name(kind)),
                Some(json!(kind)),
            );
        }
        let (before, after) = (sent(old), sent(new));
        for kind in after.into_iter().filter(|kind| !before.contains(kind)) {
            self.add(
                Consequence::BreaksAnswers,
                "message-kind-added",
                "out",
                format!("the server may send {} now", name(kind)),
                Some(json!(kind)),
            );
        }
    }
}

fn kinds(format: &BodyFormat, body: Option<DeclarationId>) -> Vec<&'static str> {
    format.message_kinds(body).unwrap_or_else(|| vec!["json"])
}

fn name(kind: &str) -> &'static str {
    match kind {
        "text" => "plain text",
        "bytes" => "binary messages",
        _ => "JSON",
    }
}
