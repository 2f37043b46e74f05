//! The `date` header, which is formatted once per second. Reading the clock for each response would cost as
//! much as writing the header.

use std::cell::RefCell;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const NAME: &str = "date: ";
const END: &[u8] = b"\r\n\r\n";

struct Cached {
    /// Header with the date, and the empty line at the end of a head.
    end_of_head: String,
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
    with_end_of_head(|line| {
        let date = line.strip_prefix(NAME.as_bytes());
        read(date.and_then(|date| date.strip_suffix(END)).unwrap_or_default())
    })
}

/// Calls `read` with the header of the date that [`refresh`] formatted last on this thread, and with the empty line at the end of
/// a head after it.
pub(crate) fn with_end_of_head<R>(read: impl FnOnce(&[u8]) -> R) -> R {
    CACHED.with_borrow_mut(|cached| {
        let cached = cached.get_or_insert_with(|| make(Instant::now()));
        read(cached.end_of_head.as_bytes())
    })
}

fn make(now: Instant) -> Cached {
    let time = SystemTime::now();
    let into_second = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.subsec_nanos());
    Cached {
        end_of_head: format!("{NAME}{}\r\n\r\n", httpdate::fmt_http_date(time)),
        until: now + Duration::from_secs(1).saturating_sub(Duration::from_nanos(into_second.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::{with, with_end_of_head};

    #[test]
    fn date_is_the_value_of_its_header() {
        let date = with(<[u8]>::to_vec);
        assert_eq!(date.len(), "Sun, 06 Nov 1994 08:49:37 GMT".len());
        let line = with_end_of_head(<[u8]>::to_vec);
        assert_eq!(line, [b"date: ", date.as_slice(), b"\r\n\r\n"].concat());
    }
}
