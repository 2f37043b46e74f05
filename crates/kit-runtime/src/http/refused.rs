//! The log of requests that the router or the validation refuses. Any client can cause them, so the log has a limited number of them.

use std::sync::LazyLock;

use crate::sampler::Sampler;

/// Number of single entries for each route, status and minute.
const PER_MINUTE: u64 = 10;

/// A route, or none, and a status. Requests that no route takes are one kind for each status, so the number of kinds is bounded by the
/// application and not by clients.
type Kind = (Option<&'static str>, u16);

static SAMPLER: LazyLock<Sampler<Kind>> = LazyLock::new(|| Sampler::new(PER_MINUTE, tell_rest));

/// Counts a refused request. Returns true if the caller logs it: each route and status has ten entries a minute, and one more with the
/// number of the others.
pub(super) fn takes(route: Option<&'static str>, status: u16) -> bool {
    SAMPLER.takes((route, status))
}

/// Tells what was not told yet; for the end of the server.
pub(crate) fn flush() {
    SAMPLER.flush();
}

fn tell_rest((route, status): &Kind, count: u64) {
    let requests = match route {
        Some(route) => format!("requests of {route}"),
        None => "requests that no route takes".to_owned(),
    };
    tracing::warn!(
        status,
        count,
        "{count} more {requests} were refused with {status} within a minute"
    );
}
