//! Fuzz target of the WebSocket codec.

use kit_websocket::{Close, Compression, Message, Session};

const MESSAGE_BYTES: usize = 300;
/// Flag in the second byte: messages may be compressed.
const DEFLATE: u8 = 1;
/// Flag in the second byte. If the flag is set, the other bytes describe frames. Otherwise the other bytes are sent
/// unchanged.
const FRAMES: u8 = 2;
/// Flag in the second byte: the session is that of a client, which receives frames without masks.
const CLIENT: u8 = 4;

/// Messages, output and end of a session.
type Outcome = (Vec<Message<'static>>, Vec<u8>, Option<Close>);

/// Passes a stream to a session in parts of one size, in one part, and byte by byte. The first byte is the size of the
/// parts, the second one has flags.
///
/// # Panics
///
/// Panics if messages, responses or the end depend on the size of the parts, or if a message is larger than the limit.
pub fn websocket(data: &[u8]) {
    let [size, flags, rest @ ..] = data else {
        return;
    };
    let compression = if flags & DEFLATE == 0 {
        Compression::None
    } else {
        Compression::Deflate
    };
    let stream = if flags & FRAMES == 0 {
        rest.to_vec()
    } else {
        frames(rest, flags & CLIENT == 0)
    };
    let new = || {
        if flags & CLIENT == 0 {
            Session::new(MESSAGE_BYTES, compression)
        } else {
            Session::client(MESSAGE_BYTES, compression, || [1, 2, 3, 4])
        }
    };
    let whole = run(new(), &stream, stream.len().max(1));
    for (text, size) in [("parts", usize::from(*size).max(1)), ("bytes", 1)] {
        assert_eq!(whole, run(new(), &stream, size), "split into {text}");
    }
    for message in &whole.0 {
        let length = match message {
            Message::Text(text) => text.len(),
            Message::Binary(bytes) => bytes.len(),
        };
        assert!(length <= MESSAGE_BYTES, "a message of {length} bytes");
    }
}

fn run(mut session: Session, stream: &[u8], size: usize) -> Outcome {
    let (mut messages, mut output) = (Vec::new(), Vec::new());
    let mut stream = stream.to_vec();
    for part in stream.chunks_mut(size) {
        let mut start = 0;
        while start < part.len() {
            let received = session.receive(&mut part[start..]);
            assert!(received.taken > 0, "the session reads nothing");
            start += received.taken;
            messages.extend(received.message.map(|message| match message {
                Message::Text(text) => Message::Text(text.into_owned().into()),
                Message::Binary(bytes) => Message::Binary(bytes.into_owned().into()),
            }));
        }
        output.extend_from_slice(session.output());
        session.advance(session.output().len());
    }
    (messages, output, session.end().cloned())
}

/// Creates frames that are often valid: each step is an opcode with flags, a length, and that number of bytes.
fn frames(mut script: &[u8], is_masked: bool) -> Vec<u8> {
    let mut stream = Vec::new();
    let mask_bit = if is_masked { 0x80 } else { 0 };
    while let [first, length, rest @ ..] = script {
        let (payload, after) = rest.split_at(usize::from(*length % 130).min(rest.len()));
        script = after;
        // Mostly the last frame of a message, without the reserved bits and opcodes.
        let opcode = [0, 1, 1, 2, 8, 9, 10, *first & 0x0f][usize::from(*first >> 5)];
        let flags = [0x80, 0x80, 0x80, 0xc0, 0, 0x80, 0x80, 0x90][usize::from(*first >> 2 & 7)];
        stream.push(flags | opcode);
        // One digit more than needed for some lengths, which is permitted.
        if payload.len() > 125 || first & 3 == 3 {
            stream.extend([mask_bit | 0x7e, 0]);
        }
        let length = u8::try_from(payload.len()).unwrap_or(u8::MAX);
        if payload.len() > 125 || first & 3 == 3 {
            stream.push(length);
        } else {
            stream.push(mask_bit | length);
        }
        let mask = if is_masked { [*first, length, 7, 0] } else { [0; 4] };
        if is_masked {
            stream.extend(mask);
        }
        stream.extend(
            payload
                .iter()
                .enumerate()
                .map(|(index, byte)| byte ^ mask[index % 4]),
        );
    }
    stream
}
