//! Subprotocols of WebSockets in generated documents.

use kit_ir::Subprotocols;

/// Returns the description of the header with which a client offers subprotocols.
pub(crate) fn offered_protocols(subprotocols: &Subprotocols) -> String {
    format!(
        "Subprotocols that the client offers, separated by commas: {}",
        subprotocols.names.join(", ")
    )
}
