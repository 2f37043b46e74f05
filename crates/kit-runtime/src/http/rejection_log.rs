//! Log of requests that the router or the validation rejects. Any client can cause these entries, so their number is
//! limited.

use std::sync::LazyLock;

use crate::sampler::Sampler;

/// Number of rejected requests that are logged individually, for each route and status in a minute.
const PER_MINUTE: u64 = 10;

/// Route and status of a rejected request. All requests that match no route count as one route (`None`), so clients
/// cannot increase the number of kinds.
type Kind = (Option<&'static str>, u16);

static SAMPLER: LazyLock<Sampler<Kind>> = LazyLock::new(|| Sampler::new(PER_MINUTE, log_remaining));

/// Counts a rejected request. Returns true if the caller must log the request: the first ten of a minute, for
/// each route and status. At the end of the minute, one log entry tells the number of the others.
pub(super) fn should_log(route: Option<&'static str>, status: u16) -> bool {
    SAMPLER.should_log((route, status))
}

/// Logs the numbers of rejections that were counted but not logged. Called when the server shuts down.
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
