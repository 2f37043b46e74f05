//! Clients that wait for the status 100 before they send a body (RFC 9110, 10.1.1).

use std::time::Duration;

use crate::Target;
use crate::client::Outcome::Response;
use crate::client::{
    Client, DATA, END_HEADERS, END_STREAM, HEADERS, SETTINGS, WINDOW_UPDATE, fields, request,
};

/// Sends the head of a request whose client waits for the status 100.
fn post(client: &mut Client, extra: &[(&str, &str)]) {
    let mut all = request("POST", "/echo");
    all.extend([("content-type", "application/json"), ("expect", "100-continue")]);
    all.extend(extra);
    client.send(HEADERS, END_HEADERS, 1, &fields(&all));
}

/// Sends bodies after the status 100, and requests whose bodies the server does not read.
pub fn sends_100_to_clients_that_wait_for_it_before_they_send_the_body(target: &Target) {
    for extra in [&[][..], &[("content-length", "3")]] {
        let mut client = target.open();
        post(&mut client, extra);
        let head = client.read_kind(HEADERS).unwrap();
        assert_eq!((head.status(), head.flags & END_STREAM), (100, 0), "{extra:?}");
        client.send(DATA, END_STREAM, 1, b"\"a\"");
        assert_eq!(client.outcome(1), (Response(200), b"a".to_vec()), "{extra:?}");
        // The next request of the connection does not wait.
        client.get(3, "/origin");
        assert_eq!(client.read_kind(HEADERS).unwrap().status(), 200);
    }
    // A client need not wait.
    let mut client = target.open();
    post(&mut client, &[]);
    client.send(DATA, END_STREAM, 1, b"\"a\"");
    assert_eq!(client.outcome(1), (Response(200), b"a".to_vec()));
    for (extra, status) in [
        ([("authorization", "a"), ("authorization", "b")], 400),
        ([("content-length", "100000000"), ("x", "1")], 413),
    ] {
        let mut client = target.open();
        post(&mut client, &extra);
        assert_eq!(client.read_kind(HEADERS).unwrap().status(), status);
    }
}

/// Waits between the status 100 and the body, while the client accepts no byte of the response. `write` is the time that the server
/// waits for clients that do not read.
pub fn permits_clients_that_read_nothing_while_they_send_a_body(target: &Target, write: Duration) {
    let mut client = target.open();
    client.send(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    post(&mut client, &[]);
    assert_eq!(client.read_kind(HEADERS).unwrap().status(), 100);
    std::thread::sleep(write * 2);
    client.send(DATA, END_STREAM, 1, b"\"a\"");
    assert_eq!(client.read_kind(HEADERS).unwrap().status(), 200);
    client.send(WINDOW_UPDATE, 0, 1, &[0, 0, 1, 0]);
    assert_eq!(client.read_kind(DATA).unwrap().payload, b"a");
}
