//! The `date` header, which is formatted once per second. Reading the clock for each response would cost as
//! much as writing the header.

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http::HeaderValue;

struct Cached {
    /// Header with the date, and the empty line at the end of a head.
    end_of_head: String,
    /// The date, for responses of HTTP/2.
    value: Option<HeaderValue>,
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

/// Returns the date that [`refresh`] formatted last on this thread.
pub(crate) fn value() -> Option<HeaderValue> {
    with_cached(|cached| cached.value.clone())
}

/// Calls `read` with the header of the date that [`refresh`] formatted last on this thread, and with the empty line at the end of
/// a head after it.
pub(crate) fn with_end_of_head<R>(read: impl FnOnce(&[u8]) -> R) -> R {
    with_cached(|cached| read(cached.end_of_head.as_bytes()))
}

fn with_cached<R>(read: impl FnOnce(&Cached) -> R) -> R {
    CACHED.with_borrow_mut(|cached| read(cached.get_or_insert_with(|| make(Instant::now()))))
}

fn make(now: Instant) -> Cached {
    let time = SystemTime::now();
    let into_second = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    let date = httpdate::fmt_http_date(time);
    Cached {
        end_of_head: format!("date: {date}\r\n\r\n"),
        value: HeaderValue::from_str(&date).ok(),
        until: now + Duration::from_secs(1).saturating_sub(Duration::from_nanos(into_second.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::{value, with_end_of_head};

    #[test]
    fn date_is_the_value_of_its_header() {
        let date = value().expect("a valid header");
        assert_eq!(date.len(), "Sun, 06 Nov 1994 08:49:37 GMT".len());
        let line = with_end_of_head(<[u8]>::to_vec);
        assert_eq!(line, [b"date: ", date.as_bytes(), b"\r\n\r\n"].concat());
    }
}
