//! Names of the Rust types that bodies of replies have because of their format.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::DeclaredReply;

use crate::names;
use crate::status::variant_name;

/// Names of types, by the status of the reply with the body.
pub(crate) type NamesByStatus = BTreeMap<u16, String>;

/// Names of the types of the bodies of replies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReplyNames {
    /// Enums of events.
    pub(crate) events: NamesByStatus,
    /// Structs with the formats of a body.
    pub(crate) contents: NamesByStatus,
}

impl ReplyNames {
    pub(crate) fn new(replies: &[DeclaredReply], owner: &str, taken: &mut BTreeSet<String>) -> Self {
        let has_events = |reply: &DeclaredReply| reply.format.events().is_some();
        let is_union = |reply: &DeclaredReply| reply.format.is_union();
        Self {
            events: names_by_status(replies, has_events, owner, "Event", taken),
            contents: names_by_status(replies, is_union, owner, "Contents", taken),
        }
    }
}

/// Chooses names for a type of some replies: `GetWatchEvent`, or `GetWatchOkEvent` if several replies have the type.
fn names_by_status(
    replies: &[DeclaredReply],
    has_type: impl Fn(&DeclaredReply) -> bool,
    owner: &str,
    suffix: &str,
    taken: &mut BTreeSet<String>,
) -> NamesByStatus {
    let replies = replies.iter().filter(|reply| has_type(reply));
    let statuses: Vec<u16> = replies.map(|reply| reply.status).collect();
    let is_only = statuses.len() == 1;
    let names = statuses.into_iter().map(|status| {
        let variant = if is_only {
            String::new()
        } else {
            variant_name(status)
        };
        let wanted = format!("{owner}{variant}{suffix}");
        (status, names::unique_type(wanted, taken))
    });
    names.collect()
}
