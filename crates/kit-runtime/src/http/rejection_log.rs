//! Log of requests that the router or the validation rejects. Any client can cause these entries, so their number is
//! limited.

use std::sync::LazyLock;

use crate::sampler::Sampler;

/// Number of single log entries for each route, status and minute.
const PER_MINUTE: u64 = 10;

/// A route (`None` for requests that match no route) and a status. The application limits the number of kinds, not the
/// clients, because all requests without a route count as one kind for each status.
type Kind = (Option<&'static str>, u16);

static SAMPLER: LazyLock<Sampler<Kind>> = LazyLock::new(|| Sampler::new(PER_MINUTE, log_remaining));

/// Counts a rejected request. Returns true if the caller must log it: each route and status has ten entries a minute,
/// and one more entry with the number of the others.
pub(super) fn should_log(route: Option<&'static str>, status: u16) -> bool {
    SAMPLER.should_log((route, status))
}

/// Logs the counts that were not logged yet. Call it when the server shuts down.
pub(crate) fn flush() {
    SAMPLER.flush();
}

fn log_remaining((route, status): &Kind, count: u64) {
    let requests = match route {
        Some(route) => format!("requests of {route}"),
        None => "requests without a matching route".to_owned(),
    };
    tracing::warn!(
        status,
        count,
        "{count} more {requests} were refused with {status} within a minute"
    );
}
