//! Lowest level of the events in the log.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber, callsite};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Filter};

/// Levels in the order of their numbers in [`LOWEST`].
const LEVELS: [LevelFilter; 6] = [
    LevelFilter::OFF,
    LevelFilter::ERROR,
    LevelFilter::WARN,
    LevelFilter::INFO,
    LevelFilter::DEBUG,
    LevelFilter::TRACE,
];

/// Number of the lowest level that the log contains.
static LOWEST: AtomicU8 = AtomicU8::new(3);

/// True if the log of this crate is the subscriber of the process.
static IS_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Tells this module that the log of this crate is the subscriber of the process.
pub(crate) fn installed() {
    IS_INSTALLED.store(true, Ordering::Relaxed);
}

/// Sets the lowest level.
pub(crate) fn set(lowest: LevelFilter) {
    let number = LEVELS.iter().position(|level| *level == lowest);
    LOWEST.store(
        number.and_then(|number| u8::try_from(number).ok()).unwrap_or(3),
        Ordering::Relaxed,
    );
    // `tracing` remembers for each location if its events are wanted.
    callsite::rebuild_interest_cache();
}

fn lowest() -> LevelFilter {
    LEVELS[usize::from(LOWEST.load(Ordering::Relaxed)).min(LEVELS.len() - 1)]
}

/// Filter of the log. Lets through the events of the lowest level and above.
pub(crate) struct AboveLowest;

impl<S: Subscriber> Filter<S> for AboveLowest {
    fn enabled(&self, metadata: &Metadata<'_>, _context: &Context<'_, S>) -> bool {
        *metadata.level() <= lowest()
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if *metadata.level() <= lowest() {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(lowest())
    }
}

/// Returns false if the log does not contain events of a level. Returns true if the program has installed a subscriber of its
/// own.
///
/// `tracing::enabled!` must not be used: if a layer with a filter does not want the level, the layer also loses the next event
/// of the thread.
pub(crate) fn is_enabled(level: Level) -> bool {
    !IS_INSTALLED.load(Ordering::Relaxed) || level <= lowest()
}
