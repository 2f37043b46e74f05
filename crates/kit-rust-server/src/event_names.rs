//! Names of the enums of events that replies have.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{BodyFormat, DeclaredReply};

use crate::names;
use crate::status::variant_name;

/// Names of enums of events, by the status of the reply with the events.
pub(crate) type EventNames = BTreeMap<u16, String>;

/// Chooses names for the enums of the events in replies: `GetWatchEvent`, or `GetWatchOkEvent` if several replies have
/// events.
pub(crate) fn event_names(
    replies: &[DeclaredReply],
    owner: &str,
    taken: &mut BTreeSet<String>,
) -> EventNames {
    let is_event = |reply: &&DeclaredReply| matches!(reply.format, BodyFormat::Events { .. });
    let statuses: Vec<u16> = replies
        .iter()
        .filter(is_event)
        .map(|reply| reply.status)
        .collect();
    let is_only = statuses.len() == 1;
    let names = statuses.into_iter().map(|status| {
        let variant = if is_only {
            String::new()
        } else {
            variant_name(status)
        };
        (
            status,
            names::unique_type(format!("{owner}{variant}Event"), taken),
        )
    });
    names.collect()
}
