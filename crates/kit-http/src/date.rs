//! The text of the `date` header, made once a second: asking the clock for each answer costs as much as writing it.

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

struct Cached {
    text: String,
    /// When the second is over.
    until: Instant,
}

thread_local! {
    static CACHED: RefCell<Option<Cached>> = const { RefCell::new(None) };
}

/// Makes the text anew where its second is over.
pub(crate) fn refresh(now: Instant) {
    CACHED.with_borrow_mut(|cached| {
        if cached.as_ref().is_none_or(|cached| cached.until <= now) {
            *cached = Some(make(now));
        }
    });
}

/// Gives the text as of the last [`refresh`] of this thread.
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
