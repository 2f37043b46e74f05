//! Writes frames.

use crate::close::cut_reason;
use crate::deflate;
use crate::frame::{MAX_CONTROL, MAX_HEADER, Opcode, unmask};

/// Minimum size of a message that is compressed. Smaller messages gain little without a context.
const COMPRESSED_FROM: usize = 1024;

/// Mask of a frame of a client; `None` for a frame of a server.
pub(crate) type Mask = Option<[u8; 4]>;

/// Appends a message in one frame.
pub(crate) fn message(
    out: &mut Vec<u8>,
    mask: Mask,
    opcode: Opcode,
    payload: &[u8],
    is_deflate_agreed: bool,
) {
    if is_deflate_agreed && payload.len() >= COMPRESSED_FROM {
        if let Some(compressed) = deflate::deflate(payload) {
            return frame(out, mask, 0xc0 | opcode.bits(), &compressed);
        }
    }
    frame(out, mask, 0x80 | opcode.bits(), payload);
}

/// Appends a control frame. A payload that is too long is cut.
pub(crate) fn control(out: &mut Vec<u8>, mask: Mask, opcode: Opcode, payload: &[u8]) {
    frame(
        out,
        mask,
        0x80 | opcode.bits(),
        &payload[..payload.len().min(MAX_CONTROL)],
    );
}

/// Appends a close frame. Without a code, it has no payload.
pub(crate) fn close(out: &mut Vec<u8>, mask: Mask, code: Option<u16>, reason: &str) {
    let mut payload = Vec::with_capacity(2 + reason.len());
    if let Some(code) = code {
        payload.extend_from_slice(&code.to_be_bytes());
        payload.extend_from_slice(cut_reason(reason).as_bytes());
    }
    control(out, mask, Opcode::Close, &payload);
}

fn frame(out: &mut Vec<u8>, mask: Mask, first: u8, payload: &[u8]) {
    out.reserve(payload.len() + MAX_HEADER);
    let is_masked = if mask.is_some() { 0x80 } else { 0 };
    out.push(first);
    let length = payload.len();
    if let Ok(length @ ..126) = u8::try_from(length) {
        out.push(is_masked | length);
    } else if let Ok(length) = u16::try_from(length) {
        out.push(is_masked | 0x7e);
        out.extend_from_slice(&length.to_be_bytes());
    } else {
        out.push(is_masked | 0x7f);
        out.extend_from_slice(&(length as u64).to_be_bytes());
    }
    let Some(mask) = mask else {
        out.extend_from_slice(payload);
        return;
    };
    out.extend_from_slice(&mask);
    let start = out.len();
    out.extend_from_slice(payload);
    unmask(&mut out[start..], mask, 0);
}
