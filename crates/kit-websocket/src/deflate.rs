//! Compression of messages (permessage-deflate, RFC 7692), without a context that lasts from one message to the next.
//!
//! All connections of a thread share one compressor and one decompressor, because no connection keeps a context. With
//! contexts, each connection would need more than 200 KiB.

use std::cell::RefCell;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};

use crate::close::Violation;

/// End of the compressed data that a sender omits and a recipient adds (RFC 7692, section 7.2.1).
const TAIL: [u8; 4] = [0x00, 0x00, 0xff, 0xff];
/// Number of bytes by which a buffer grows.
const STEP: usize = 16 * 1024;
/// Compression level: most of the gain for a part of the time of the highest level.
const LEVEL: u32 = 3;

thread_local! {
    static COMPRESS: RefCell<Compress> = RefCell::new(Compress::new(flate2::Compression::new(LEVEL), false));
    static DECOMPRESS: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Returns the maximum size of a compressed message whose size is at most `limit`. A compressor that cannot compress a
/// message makes it slightly larger.
pub(crate) fn max_compressed(limit: usize) -> usize {
    limit.saturating_add(limit / 4).saturating_add(64)
}

/// Decompresses a message of at most `limit` bytes.
pub(crate) fn inflate(compressed: &[u8], limit: usize) -> Result<Vec<u8>, Violation> {
    DECOMPRESS.with_borrow_mut(|decompress| {
        let mut out = Vec::new();
        inflate_part(decompress, compressed, limit, &mut out)?;
        inflate_part(decompress, &TAIL, limit, &mut out).inspect_err(|_| decompress.reset(false))?;
        decompress.reset(false);
        Ok(out)
    })
}

fn inflate_part(
    decompress: &mut Decompress,
    mut input: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), Violation> {
    loop {
        // One byte above the limit is enough to detect that a message is too large.
        let room = limit.saturating_add(1).saturating_sub(out.len());
        if room == 0 {
            decompress.reset(false);
            return Err(Violation::TOO_LARGE);
        }
        if out.capacity() == out.len() {
            out.reserve_exact(room.min(STEP.max(out.len())));
        }
        let (before_in, before_out) = (decompress.total_in(), decompress.total_out());
        let result = decompress.decompress_vec(input, out, FlushDecompress::Sync);
        let taken = usize::try_from(decompress.total_in() - before_in).unwrap_or(usize::MAX);
        let made = decompress.total_out() - before_out;
        input = input.get(taken..).unwrap_or_default();
        if out.len() > limit {
            decompress.reset(false);
            return Err(Violation::TOO_LARGE);
        }
        match result {
            // The sender has ended its data with a final block. Another block may follow (RFC 7692, section 7.2.3.5).
            Ok(Status::StreamEnd) => {
                decompress.reset(false);
                if input.is_empty() {
                    return Ok(());
                }
            }
            Ok(_) if input.is_empty() && out.len() < out.capacity() => return Ok(()),
            Ok(_) if taken > 0 || made > 0 || out.len() == out.capacity() => {}
            Ok(_) | Err(_) => {
                decompress.reset(false);
                return Err(Violation::NOT_DEFLATED);
            }
        }
    }
}

/// Returns the compressed form of a payload; `None` if it is not smaller.
pub(crate) fn deflate(payload: &[u8]) -> Option<Vec<u8>> {
    COMPRESS.with_borrow_mut(|compress| {
        compress.reset();
        let mut out = Vec::with_capacity(payload.len() / 2 + 64);
        let mut input = payload;
        loop {
            let before = compress.total_in();
            let result = compress.compress_vec(input, &mut out, FlushCompress::Sync);
            let taken = usize::try_from(compress.total_in() - before).unwrap_or(usize::MAX);
            input = input.get(taken..).unwrap_or_default();
            result.ok()?;
            if out.len() >= payload.len() {
                return None;
            }
            if input.is_empty() && out.len() < out.capacity() {
                break;
            }
            out.reserve(STEP);
        }
        let length = out.strip_suffix(&TAIL)?.len();
        out.truncate(length);
        Some(out)
    })
}

#[cfg(test)]
mod tests {
    use super::{deflate, inflate, max_compressed};
    use crate::close::Violation;

    #[test]
    fn decompresses_its_own_messages_of_every_size() {
        for size in [200, 1000, 16_380, 16_384, 16_390, 100_000, 1_000_000] {
            let text: Vec<u8> = (0..size).map(|index| b"abcde-fghi"[index * index % 10]).collect();
            let compressed = deflate(&text).expect("smaller");
            assert_eq!(inflate(&compressed, size).expect("valid"), text, "{size}");
            assert_eq!(
                inflate(&compressed, size - 1),
                Err(Violation::TOO_LARGE),
                "{size}"
            );
        }
    }

    #[test]
    fn does_not_compress_a_payload_that_would_grow() {
        let mut state = 1_u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        })
        .take(5000)
        .collect();
        assert_eq!(deflate(&noise), None);
        assert_eq!(deflate(b"ab"), None);
    }

    #[test]
    fn refuses_a_message_that_decompresses_above_the_limit_without_storing_it() {
        let bomb = deflate(&vec![0; 100_000_000]).expect("smaller");
        assert!(bomb.len() < 200_000, "{}", bomb.len());
        assert_eq!(inflate(&bomb, 1000), Err(Violation::TOO_LARGE));
        assert_eq!(
            inflate(&deflate(&[7; 500]).expect("smaller"), 1000).map(|text| text.len()),
            Ok(500)
        );
    }

    #[test]
    fn refuses_data_that_is_not_deflated_and_continues_with_the_next_message() {
        for data in [&[0xff, 0xff, 0xff][..], &[0x05, 0x01, 0x02], &[0x06]] {
            assert_eq!(inflate(data, 1000), Err(Violation::NOT_DEFLATED), "{data:?}");
            // "Hello", as in RFC 7692, section 7.2.3.1.
            let hello = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00];
            assert_eq!(inflate(&hello, 5).as_deref(), Ok(&b"Hello"[..]));
        }
    }

    #[test]
    fn accepts_the_block_types_of_the_specification() {
        // RFC 7692, sections 7.2.3.3 to 7.2.3.5: without compression, with a final block, and two blocks.
        let examples: [&[u8]; 3] = [
            &[0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00],
            &[0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00],
            &[
                0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00,
            ],
        ];
        for example in examples {
            assert_eq!(
                inflate(example, 100).as_deref(),
                Ok(&b"Hello"[..]),
                "{example:x?}"
            );
        }
    }

    #[test]
    fn bound_of_the_compressed_size_never_overflows() {
        assert!(max_compressed(0) > 0);
        assert_eq!(max_compressed(usize::MAX), usize::MAX);
    }
}
