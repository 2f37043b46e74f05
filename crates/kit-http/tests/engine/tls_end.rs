//! Tests of connections with TLS whose clients end their data in the middle of a request.

use std::time::{Duration, Instant};

use kit_http::Config;
use socket2::SockRef;

use crate::same_thread::Server;
use crate::tls::respond;
use crate::tls_client::{End, Files};

#[test]
fn announces_the_end_to_a_client_that_ends_in_the_middle_of_a_body() {
    let files = Files::new();
    let mut server = files.server(Config::default());
    for body in [
        "Content-Length: 9\r\n\r\nab",
        "Transfer-Encoding: chunked\r\n\r\n9\r\nab",
        // hyper reads bodies with extensions.
        "Transfer-Encoding: chunked\r\n\r\n9;a\r\nab",
    ] {
        let mut client = files.connect(&server);
        client.complete_handshake(&mut server);
        client.send(format!("POST / HTTP/1.1\r\nHost: a\r\n{body}"));
        client.connection.send_close_notify();
        assert_eq!(client.end(&mut server), End::Announced, "{body:?}");
    }
}

#[test]
fn responses_are_complete_although_their_client_ends_in_the_middle_of_a_later_body() {
    const LENGTH: usize = 15_000;
    let respond_all = |server: &Server, responded: &mut usize| {
        for id in server.log.requests.iter().skip(*responded) {
            respond(server, *id, vec![b'~'; LENGTH]);
            *responded += 1;
        }
    };
    // Sends requests, responds while the client does not read, and returns the number of responses.
    let send = |files: &Files, count: usize| {
        let mut server = files.server(Config::default());
        let mut client = files.connect(&server);
        SockRef::from(&client.stream)
            .set_recv_buffer_size(128 * 1024)
            .expect("an option");
        client.complete_handshake(&mut server);
        client.is_paused = true;
        let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count);
        let begun = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab";
        client.send(requests + begun);
        let (mut responded, mut quiet) = (0, 0);
        client.until(&mut server, |_, server| {
            quiet = if server.log.requests.len() > responded {
                0
            } else {
                quiet + 1
            };
            respond_all(server, &mut responded);
            quiet > 50
        });
        (server, client, responded)
    };
    let files = Files::new();
    let (_, _, most) = send(&files, 600);
    assert!(most < 600, "the operating system has accepted all responses");
    // For some of these numbers, the last bytes wait in the buffer of TLS.
    for count in most.saturating_sub(12)..most + 2 {
        let (mut server, mut client, mut responded) = send(&files, count);
        client.connection.send_close_notify();
        let start = Instant::now();
        client.until(&mut server, |_, _| start.elapsed() > Duration::from_millis(5));
        client.is_paused = false;
        client.until(&mut server, |client, server| {
            respond_all(server, &mut responded);
            client.end.is_some()
        });
        let received = String::from_utf8_lossy(&client.received);
        assert_eq!(received.matches('~').count(), count * LENGTH, "{count} of {most}");
        assert_eq!(client.end, Some(End::Announced), "{count} of {most}");
    }
}
