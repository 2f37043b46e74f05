//! Writes the frames of a server, which are not masked.

use crate::close::cut_reason;
use crate::deflate;
use crate::frame::{MAX_CONTROL, Opcode};

/// Minimum size of a message that is compressed. Smaller messages gain little without a context.
const COMPRESSED_FROM: usize = 1024;

/// Appends a message in one frame.
pub(crate) fn message(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8], is_deflate_agreed: bool) {
    if is_deflate_agreed && payload.len() >= COMPRESSED_FROM {
        if let Some(compressed) = deflate::deflate(payload) {
            return frame(out, 0xc0 | opcode.bits(), &compressed);
        }
    }
    frame(out, 0x80 | opcode.bits(), payload);
}

/// Appends a control frame. A payload that is too long is cut.
pub(crate) fn control(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8]) {
    frame(
        out,
        0x80 | opcode.bits(),
        &payload[..payload.len().min(MAX_CONTROL)],
    );
}

/// Appends a close frame. Without a code, it has no payload.
pub(crate) fn close(out: &mut Vec<u8>, code: Option<u16>, reason: &str) {
    let mut payload = Vec::with_capacity(2 + reason.len());
    if let Some(code) = code {
        payload.extend_from_slice(&code.to_be_bytes());
        payload.extend_from_slice(cut_reason(reason).as_bytes());
    }
    control(out, Opcode::Close, &payload);
}

fn frame(out: &mut Vec<u8>, first: u8, payload: &[u8]) {
    out.reserve(payload.len() + 10);
    out.push(first);
    let length = payload.len();
    if let Ok(length @ ..126) = u8::try_from(length) {
        out.push(length);
    } else if let Ok(length) = u16::try_from(length) {
        out.push(126);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        out.push(127);
        out.extend_from_slice(&(length as u64).to_be_bytes());
    }
    out.extend_from_slice(payload);
}
