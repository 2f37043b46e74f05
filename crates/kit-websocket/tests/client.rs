//! The side of the client, against the side of the server and against frames that a server must not send.

use std::sync::atomic::{AtomicU32, Ordering};

use kit_websocket::{Close, Compression, Message, Session};

/// Returns a mask that differs from the masks before, as random masks do.
fn next_mask() -> [u8; 4] {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(0x0101_0101, Ordering::Relaxed).to_be_bytes()
}

fn client() -> Session {
    Session::client(200_000, Compression::None, next_mask)
}

/// Moves the output of a session to another one, in parts of `size` bytes. Returns the messages.
fn deliver(from: &mut Session, to: &mut Session, size: usize) -> Vec<Message<'static>> {
    let mut messages = Vec::new();
    let output = from.output().to_vec();
    from.advance(output.len());
    for part in output.chunks(size) {
        let mut part = part.to_vec();
        let mut start = 0;
        while start < part.len() {
            let received = to.receive(&mut part[start..]);
            start += received.taken;
            messages.extend(received.message.map(|message| match message {
                Message::Text(text) => Message::Text(text.into_owned().into()),
                Message::Binary(bytes) => Message::Binary(bytes.into_owned().into()),
            }));
        }
    }
    messages
}

#[test]
fn a_client_and_a_server_exchange_messages_of_every_length_in_parts_of_every_size() {
    for size in [1, 2, 3, 7, 1_000, 1_000_000] {
        let (mut client, mut server) = (client(), Session::new(200_000, Compression::None));
        let sent: Vec<Message<'static>> = [0, 1, 125, 126, 65_535, 65_536, 100_000]
            .into_iter()
            // Long messages byte by byte take seconds.
            .filter(|length| *length <= 1_000 * size)
            .flat_map(|length| {
                [
                    Message::Text("é".repeat(length / 2).into()),
                    Message::Binary(vec![7; length].into()),
                ]
            })
            .collect();
        for message in &sent {
            client.send(message);
            assert_eq!(
                deliver(&mut client, &mut server, size),
                std::slice::from_ref(message),
                "{size}"
            );
            server.send(message);
            assert_eq!(
                deliver(&mut server, &mut client, size),
                std::slice::from_ref(message),
                "{size}"
            );
        }
    }
}

#[test]
fn each_frame_of_a_client_has_a_mask_of_its_own() {
    let mut client = client();
    let mut masks = Vec::new();
    let mut record = |client: &mut Session| {
        let output = client.output().to_vec();
        client.advance(output.len());
        assert_eq!(output[1] & 0x80, 0x80, "{output:?}");
        let mask = output[2..6].to_vec();
        assert!(!masks.contains(&mask), "{output:?}");
        masks.push(mask);
    };
    client.send(&Message::Text("one".into()));
    record(&mut client);
    client.send(&Message::Text("two".into()));
    record(&mut client);
    client.ping();
    record(&mut client);
    client.receive(&mut [0x89, 0x00]);
    record(&mut client);
    client.close(1000, "bye");
    record(&mut client);
}

#[test]
fn both_sides_agree_on_the_close_code_whoever_closes_first() {
    for is_client_first in [true, false] {
        let (mut client, mut server) = (client(), Session::new(1_000, Compression::None));
        let (first, second) = if is_client_first {
            (&mut client, &mut server)
        } else {
            (&mut server, &mut client)
        };
        first.close(4001, "enough");
        deliver(first, second, 1);
        deliver(second, first, 1);
        let reason = |session: &Session| session.end().map(|close| close.reason.clone());
        assert_eq!(first.end().map(|close| close.code), Some(4001));
        assert_eq!(second.end().map(|close| close.code), Some(4001));
        assert_eq!(reason(second).as_deref(), Some("enough"));
    }
}

#[test]
fn a_client_refuses_masked_frames_and_other_violations() {
    for (frame, code) in [
        (&[0x81, 0x82, 0, 0, 0, 0, b'H', b'i'][..], 1002),
        (&[0x83, 0x00], 1002),
        (&[0xc1, 0x00], 1002),
        (&[0x09, 0x00], 1002),
        (&[0x81, 0x01, 0xff], 1007),
        (&[0x82, 0x7f, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], 1009),
    ] {
        let mut client = client();
        assert_eq!(client.receive(&mut frame.to_vec()).message, None, "{frame:?}");
        assert_eq!(
            client.end().map(|Close { code, .. }| *code),
            Some(code),
            "{frame:?}"
        );
    }
}
