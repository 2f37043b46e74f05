//! Comparison of WebSockets.

use kit_ir::Route;
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
        self.written("out", old.slots.response, new.slots.response);
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
}
