//! Lowest level of the events in the log.

use std::sync::OnceLock;

use tracing::Level;
use tracing_subscriber::filter::LevelFilter;

/// Lowest level that the log contains. Not set if the program has installed a subscriber of its own.
static LOWEST: OnceLock<LevelFilter> = OnceLock::new();

/// Sets the lowest level. Only the first call has an effect.
pub(crate) fn set(lowest: LevelFilter) {
    LOWEST.get_or_init(|| lowest);
}

/// Returns false if the log does not contain events of a level.
///
/// `tracing::enabled!` must not be used: if a layer with a filter does not want the level, the layer also loses the next event
/// of the thread.
pub(crate) fn is_enabled(level: Level) -> bool {
    LOWEST.get().is_none_or(|lowest| level <= *lowest)
}
