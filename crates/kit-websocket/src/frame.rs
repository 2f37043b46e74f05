//! Headers of frames (RFC 6455, section 5.2).

use crate::close::Violation;

/// Maximum length of a header: two bytes, eight bytes of length, and the mask.
pub(crate) const MAX_HEADER: usize = 14;
/// Maximum length of the payload of a control frame.
pub(crate) const MAX_CONTROL: usize = 125;

/// Type of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    pub(crate) fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

/// First byte of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) opcode: Opcode,
    /// True if the frame is the last one of its message.
    pub(crate) is_last: bool,
    /// True if the frame begins a compressed message.
    pub(crate) is_compressed: bool,
}

/// Side of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Side that opened the connection. Its frames are masked (RFC 6455, section 5.1).
    Client,
    /// Side that accepted the connection.
    Server,
}

/// Header of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) start: Start,
    pub(crate) length: u64,
    /// Mask of the payload; zeros for a frame of a server.
    pub(crate) mask: [u8; 4],
    /// Length of the header in bytes.
    pub(crate) size: usize,
}

/// Returns the first byte of a frame of a side, from its first two bytes.
pub(crate) fn read_start(sender: Side, first: u8, second: u8) -> Result<Start, Violation> {
    let opcode =
        Opcode::from_bits(first & 0x0f).ok_or(Violation::protocol("the opcode of a frame is reserved"))?;
    if first & 0x30 != 0 {
        return Err(Violation::protocol("a reserved bit is set"));
    }
    match (sender, second & 0x80 != 0) {
        (Side::Client, false) => return Err(Violation::protocol("a frame of a client must be masked")),
        (Side::Server, true) => return Err(Violation::protocol("a frame of a server must not be masked")),
        _ => {}
    }
    let is_last = first & 0x80 != 0;
    if opcode.is_control() {
        if !is_last {
            return Err(Violation::protocol("a control frame must not be fragmented"));
        }
        if usize::from(second & 0x7f) > MAX_CONTROL {
            return Err(Violation::protocol("a control frame is longer than 125 bytes"));
        }
    }
    Ok(Start {
        opcode,
        is_last,
        is_compressed: first & 0x40 != 0,
    })
}

/// Returns the header at the start of the bytes; `None` if it is incomplete. `start` is the result of [`read_start`].
pub(crate) fn read_header(start: Start, bytes: &[u8]) -> Option<Header> {
    let (is_masked, short) = (bytes.get(1)? & 0x80 != 0, bytes.get(1)? & 0x7f);
    let (length, after) = match short {
        126 => (
            u64::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)),
            4,
        ),
        127 => (u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?), 10),
        short => (u64::from(short), 2),
    };
    let (mask, size) = if is_masked {
        (bytes.get(after..after + 4)?.try_into().ok()?, after + 4)
    } else {
        ([0; 4], after)
    };
    Some(Header {
        start,
        length,
        mask,
        size,
    })
}

/// Adds or removes the mask of a client in a part of a payload. `offset` is the number of bytes of the payload before the part.
pub(crate) fn unmask(bytes: &mut [u8], mask: [u8; 4], offset: usize) {
    if mask == [0; 4] {
        return;
    }
    let mut mask = mask;
    mask.rotate_left(offset % 4);
    let [a, b, c, d] = mask;
    let word = u64::from_ne_bytes([a, b, c, d, a, b, c, d]);
    let mut words = bytes.chunks_exact_mut(8);
    for chunk in &mut words {
        if let Ok(bytes) = <[u8; 8]>::try_from(&*chunk) {
            chunk.copy_from_slice(&(u64::from_ne_bytes(bytes) ^ word).to_ne_bytes());
        }
    }
    for (index, byte) in words.into_remainder().iter_mut().enumerate() {
        *byte ^= mask[index % 4];
    }
}

#[cfg(test)]
mod tests {
    use super::unmask;

    #[test]
    fn removes_the_mask_from_every_part_of_a_payload() {
        let mask = [1, 2, 4, 8];
        let plain: Vec<u8> = (0..100).collect();
        let masked: Vec<u8> = plain
            .iter()
            .enumerate()
            .map(|(index, byte)| byte ^ mask[index % 4])
            .collect();
        for cut in 0..plain.len() {
            let mut bytes = masked.clone();
            let (before, after) = bytes.split_at_mut(cut);
            unmask(before, mask, 0);
            unmask(after, mask, cut);
            assert_eq!(bytes, plain, "{cut}");
        }
    }
}
