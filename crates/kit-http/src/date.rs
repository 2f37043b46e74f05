//! Text of the `date` header, which is formatted once per second. Reading the clock for each response would cost as
//! much as writing the header.

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Cached {
    text: String,
    /// End of the second for which the text is valid.
    until: Instant,
}

thread_local! {
    static CACHED: RefCell<Option<Cached>> = const { RefCell::new(None) };
}

/// Formats the date again if the second is over.
pub(crate) fn refresh(now: Instant) {
    CACHED.with_borrow_mut(|cached| {
        if cached.as_ref().is_none_or(|cached| cached.until <= now) {
            *cached = Some(make(now));
        }
    });
}

/// Calls `read` with the date that [`refresh`] formatted last on this thread.
pub(crate) fn with<R>(read: impl FnOnce(&[u8]) -> R) -> R {
    CACHED.with_borrow_mut(|cached| {
        let cached = cached.get_or_insert_with(|| make(Instant::now()));
        read(cached.text.as_bytes())
    })
}

fn make(now: Instant) -> Cached {
    let time = SystemTime::now();
    let into_second = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    Cached {
        text: httpdate::fmt_http_date(time),
        until: now + Duration::from_secs(1).saturating_sub(Duration::from_nanos(into_second.into())),
    }
}
