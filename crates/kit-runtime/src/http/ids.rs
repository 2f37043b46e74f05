//! Ids of traces and requests. The ids must be unique, but not secret.

use std::cell::Cell;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Random keys that the standard library generates for this process.
static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
/// Number of threads that have drawn a number.
static THREADS: AtomicU64 = AtomicU64::new(0);
static REQUESTS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Next input of the hash function. Each thread has its own range, because processors would wait for each other if their
    /// threads shared a counter.
    static NEXT: Cell<u64> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed) << 40);
}

fn random() -> u64 {
    KEYS.hash_one(NEXT.replace(NEXT.get().wrapping_add(1)))
}

/// Returns a random W3C trace id: 32 hexadecimal digits, not all zero.
pub(crate) fn random_trace_id() -> String {
    let mut digits = [b'0'; 32];
    for (half, mut rest) in digits.chunks_exact_mut(16).zip([random().max(1), random()]) {
        for digit in half.iter_mut().rev() {
            *digit = b"0123456789abcdef"[usize::try_from(rest % 16).unwrap_or(0)];
            rest /= 16;
        }
    }
    // ASCII is valid UTF-8.
    String::from_utf8(digits.to_vec()).unwrap_or_default()
}

/// Returns a random span id, not zero.
#[cfg(any(feature = "debug", feature = "otlp"))]
pub(crate) fn random_span_id() -> u64 {
    random().max(1)
}

/// Returns a new request id: a random prefix of this process, which distinguishes it from other processes with the same
/// log, and a counter.
pub(crate) fn next_request_id() -> String {
    static PREFIX: LazyLock<String> = LazyLock::new(|| format!("{:010x}", random() & 0xFF_FFFF_FFFF));
    let mut count = REQUESTS.fetch_add(1, Ordering::Relaxed) + 1;
    let mut digits = Vec::new();
    while count > 0 {
        digits.push(char::from_digit(u32::try_from(count % 36).unwrap_or(0), 36).unwrap_or('0'));
        count /= 36;
    }
    let mut id = PREFIX.clone();
    id.push('-');
    for digit in digits.into_iter().rev() {
        let _ = id.write_char(digit);
    }
    id
}

/// Returns the trace id of a `traceparent` header, or `None` if the header is not valid according to W3C Trace Context.
pub(crate) fn read_traceparent(header: &str) -> Option<&str> {
    let digits = |text: &str, length: usize| {
        text.len() == length
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let mut fields = header.splitn(5, '-');
    let (version, trace, span, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    // Version 00 has exactly four fields. Later versions may have more. ff is not a version.
    let has_more = fields.next().is_some();
    let is_valid = digits(version, 2)
        && version != "ff"
        && !(version == "00" && has_more)
        && digits(trace, 32)
        && digits(span, 16)
        && digits(flags, 2)
        && trace.bytes().any(|byte| byte != b'0')
        && span.bytes().any(|byte| byte != b'0');
    is_valid.then_some(trace)
}

#[cfg(test)]
mod tests {
    use super::{next_request_id, random_trace_id, read_traceparent};

    #[test]
    fn creates_a_different_id_at_each_call() {
        assert_ne!(random_trace_id(), random_trace_id());
        assert_eq!(random_trace_id().len(), 32);
        assert_ne!(next_request_id(), next_request_id());
    }

    #[test]
    fn reads_the_trace_id_of_a_valid_traceparent_header() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        assert_eq!(
            read_traceparent(&format!("00-{id}-b7ad6b7169203331-01")),
            Some(id)
        );
        assert_eq!(
            read_traceparent(&format!("01-{id}-b7ad6b7169203331-01-more")),
            Some(id)
        );
        for wrong in [
            format!("00-{id}-b7ad6b7169203331-01-more"),
            format!("ff-{id}-b7ad6b7169203331-01"),
            format!("00-{}-b7ad6b7169203331-01", "0".repeat(32)),
            format!("00-{id}-0000000000000000-01"),
            format!("00-{}-b7ad6b7169203331-01", id.to_uppercase()),
            String::new(),
        ] {
            assert_eq!(read_traceparent(&wrong), None, "{wrong}");
        }
    }
}
