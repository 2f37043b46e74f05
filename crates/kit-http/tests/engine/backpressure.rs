//! Tests of streams whose clients read more slowly than their handlers write.

use std::io::Read;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kit_http::{RequestId, Timeouts, WriteResult};

use crate::same_thread::Server;

fn abcd(index: usize) -> u8 {
    b"abcd"[index % 4]
}

/// Writes chunks until the engine asks the writer to wait.
fn fill(server: &Server, id: RequestId, from: &mut usize) {
    loop {
        let piece: Bytes = (*from..*from + 1000).map(abcd).collect();
        *from += 1000;
        match server.engine.write(id, piece).expect("a piece") {
            WriteResult::Ready => {}
            WriteResult::Wait => return,
            WriteResult::Closed => panic!("the client is there"),
        }
    }
}

#[test]
fn asks_the_writer_of_a_stream_to_wait_while_the_client_does_not_read() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    let mut written = 0;
    // Continue until the buffers of the operating system are full, too.
    loop {
        let before = (written, server.log.drained);
        fill(&server, id, &mut written);
        assert!(written - before.0 <= 66_000, "{}", written - before.0);
        std::thread::sleep(Duration::from_millis(5));
        server.turn();
        if server.log.drained == before.1 {
            break;
        }
    }
    std::thread::sleep(Duration::from_millis(50));
    server.turn();
    let drained = server.log.drained;
    assert_eq!(server.engine.write(id, "".into()), Ok(WriteResult::Wait));
    // When the client reads, the writer continues. No data is lost or reordered.
    server.until(|server| {
        client.take();
        server.log.drained > drained
    });
    server.engine.end(id).expect("a whole body");
    server.until(|_| {
        client.take();
        client.received.ends_with(b"\r\n0\r\n\r\n")
    });
    let head = client.received.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let body = unchunked(&client.received[head.expect("a head") + 4..]);
    assert_eq!(body.len(), written);
    assert!(body.iter().enumerate().all(|(index, byte)| *byte == abcd(index)));
}

#[test]
fn continues_a_chunk_that_was_sent_at_once_if_the_socket_accepts_only_a_part_of_it() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    client.expect(&mut server, "\r\n\r\n");
    // One chunk in each turn, so that each is sent at once until the buffers of the operating system are full.
    let mut written = 0;
    let mut is_full = false;
    for _ in 0..10_000 {
        let piece: Bytes = (written..written + 15_001).map(abcd).collect();
        written += 15_001;
        is_full = server.engine.write(id, piece) == Ok(WriteResult::Wait);
        server.engine.poll().expect("polls");
        server.engine.drive(&mut server.log);
        if is_full {
            break;
        }
    }
    assert!(is_full, "the socket has accepted {written} bytes");
    server.until(|server| {
        client.take();
        server.log.drained > 0
    });
    server.write(id, "end");
    server.engine.end(id).expect("a whole body");
    server.until(|_| {
        client.take();
        client.received.ends_with(b"\r\n0\r\n\r\n")
    });
    let body = unchunked(&client.received);
    assert_eq!(body.len(), written + 3);
    assert!(body.ends_with(b"end"));
    assert!(
        body[..written]
            .iter()
            .enumerate()
            .all(|(index, byte)| *byte == abcd(index))
    );
}

#[test]
fn closes_the_connection_if_the_client_does_not_take_a_chunk_that_was_sent_at_once() {
    let mut server = Server::with(Timeouts {
        write: Duration::from_millis(100),
        ..Timeouts::default()
    });
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    client.expect(&mut server, "\r\n\r\n");
    let piece = Bytes::from(vec![b'x'; 15_000]);
    server.until(|server| {
        // The client takes nothing, so one of these chunks is accepted only in part, and then no more follow.
        let _ = server.engine.write(id, piece.clone());
        server.engine.drive(&mut server.log);
        !server.log.aborted.is_empty()
    });
    assert_eq!(server.log.aborted, [id]);
    assert_eq!(server.engine.connection_count(), 0);
}

#[test]
fn buffers_no_more_than_the_queue_of_the_stream_if_the_client_does_not_read() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    let mut written = 0;
    loop {
        let drained = server.log.drained;
        fill(&server, id, &mut written);
        // The operating system may first accept some more data.
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(5));
            server.turn();
        }
        if server.log.drained == drained {
            break;
        }
    }
    // Read everything from the buffers of the operating system. Meanwhile, the engine does not run, so its
    // own buffers stay full.
    let mut received = 0;
    loop {
        std::thread::sleep(Duration::from_millis(20));
        client.take();
        if client.received.len() == received {
            break;
        }
        received = client.received.len();
    }
    let held = written - received;
    assert!(held <= 66_000, "the engine holds {held} bytes");
}

/// Returns the data of a body in chunked coding.
fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|end| end == b"\r\n").expect("a line");
        let size = std::str::from_utf8(&bytes[..line]).expect("text");
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&bytes[line + 2..line + 2 + size]);
        bytes = &bytes[line + 4 + size..];
    }
}

#[test]
fn merges_small_chunks_of_a_stream_that_are_not_sent_yet() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    for _ in 0..3000 {
        server.write(id, "0123456789");
    }
    server.engine.end(id).expect("a whole body");
    let answer = client.expect(&mut server, "\r\n0\r\n\r\n");
    assert!(answer.len() < 30_300, "{} bytes for 30000", answer.len());
    assert!(answer.contains("90123456789"));
}

#[test]
fn reports_no_abort_if_the_client_disconnects_after_the_end_of_a_stream() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    let mut written = 0;
    // This is more than the buffers of the operating system can contain, so a large part is still in the
    // engine.
    while written < 16_000_000 {
        let piece = Bytes::from(vec![b'x'; 1_000_000]);
        server.engine.write(id, piece).expect("a piece");
        written += 1_000_000;
    }
    server.engine.end(id).expect("a whole body");
    // Closing the sending side does not affect data on the way to the client.
    client.stream.shutdown(Shutdown::Write).expect("open");
    let rest = server.rest(&mut client);
    assert!(rest.ends_with("x\r\n0\r\n\r\n"));
    assert!(rest.len() > written);
    assert!(server.log.aborted.is_empty());
}

fn impatient() -> Server {
    Server::with(Timeouts {
        write: Duration::from_millis(150),
        ..Timeouts::default()
    })
}

#[test]
fn disconnects_a_client_that_never_reads_its_stream() {
    let mut server = impatient();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    let mut written = 0;
    let start = Instant::now();
    server.until(|server| {
        if server.log.aborted.is_empty() && server.engine.write(id, "".into()) == Ok(WriteResult::Ready) {
            fill(server, id, &mut written);
        }
        !server.log.aborted.is_empty()
    });
    assert!(
        start.elapsed() >= Duration::from_millis(150),
        "{:?}",
        start.elapsed()
    );
    // The client of a slow handler is not disconnected, because there is nothing to read.
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "a");
    client.expect(&mut server, "a\r\n");
    let start = Instant::now();
    server.until(|_| start.elapsed() > Duration::from_millis(400));
    server.write(id, "b");
    client.expect(&mut server, "b\r\n");
}

#[test]
fn does_not_disconnect_a_client_that_reads_its_stream_slowly_but_steadily() {
    let mut server = impatient();
    let mut client = server.connect();
    socket2::SockRef::from(&client.stream)
        .set_recv_buffer_size(16 * 1024)
        .expect("an option");
    client.get();
    let id = server.stream(None);
    let mut written = 0;
    let mut slow = [0; 8 * 1024];
    let start = Instant::now();
    // Continue for much longer than the operating system takes to report free space.
    server.until(|server| {
        if server.engine.write(id, "".into()) == Ok(WriteResult::Ready) {
            fill(server, id, &mut written);
        }
        if let Ok(count) = client.stream.read(&mut slow) {
            client.received.extend_from_slice(&slow[..count]);
        }
        std::thread::sleep(Duration::from_millis(10));
        start.elapsed() > Duration::from_secs(2)
    });
    assert!(
        server.log.aborted.is_empty(),
        "cut after {} bytes",
        client.received.len()
    );
    assert!(written > client.received.len(), "it was never behind");
    server.engine.end(id).expect("a whole body");
    server.until(|_| {
        client.take();
        client.received.ends_with(b"\r\n0\r\n\r\n")
    });
}
