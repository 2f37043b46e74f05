//! Tests of streams whose clients have closed their sending side. A stream continues until a write
//! fails.

use std::net::Shutdown;

use crate::same_thread::Server;

#[test]
fn continues_a_stream_after_the_client_has_closed_its_sending_side() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "one");
    client.expect(&mut server, "3\r\none\r\n");
    client.stream.shutdown(Shutdown::Write).expect("open");
    for _ in 0..3 {
        server.turn();
        server.write(id, "more");
        client.expect(&mut server, "4\r\nmore\r\n");
    }
    assert!(server.log.aborted.is_empty());
    server.engine.end(id).expect("a whole body");
    assert_eq!(server.rest(&mut client), "0\r\n\r\n");
    assert_eq!(server.engine.connection_count(), 0);
    assert!(server.log.aborted.is_empty());
}

#[test]
fn begins_a_stream_after_the_client_has_closed_its_sending_side() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    client.stream.shutdown(Shutdown::Write).expect("open");
    let id = server.stream(None);
    server.write(id, "late");
    server.engine.end(id).expect("a whole body");
    assert!(server.rest(&mut client).ends_with("4\r\nlate\r\n0\r\n\r\n"));
}

#[test]
fn stream_ends_when_a_write_to_a_disconnected_client_fails() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "one");
    client.expect(&mut server, "3\r\none\r\n");
    drop(client);
    // The first write after the client has disconnected causes a reset, so a later write fails.
    server.until(|server| {
        if server.log.aborted.is_empty() {
            let _ = server.engine.write(id, "more".into());
        }
        !server.log.aborted.is_empty()
    });
    assert_eq!(server.log.aborted, [id]);
}
