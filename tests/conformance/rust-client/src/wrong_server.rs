//! Servers that break the rules of WebSockets.

use std::time::Duration;

use rust_server_client::models::ChatMessage;
use rust_server_client::{Client, Error};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Returns a client of a server that sends one response, in which `KEY` stands for the right value of `sec-websocket-accept`, and
/// these bytes after it. The server then reads until the client has left.
async fn client_of(response: &'static str, after: &'static [u8]) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a client");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a request"));
        }
        let head = String::from_utf8(head).expect("a text");
        let key = head
            .lines()
            .find_map(|line| line.strip_prefix("sec-websocket-key: "))
            .expect("a key");
        let accept = kit_websocket::accept_key(key.as_bytes());
        let response = response.replace("KEY", &accept);
        stream.write_all(response.as_bytes()).await.expect("a client");
        stream.write_all(after).await.expect("a client");
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    });
    Client::new(&url).expect("a client")
}

const RIGHT: &str = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: KEY\r\n\r\n";

pub async fn check() {
    for (response, problem) in [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            "responded with 200",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: AAAA\r\n\r\n",
            "sec-websocket-accept",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: KEY\r\nsec-websocket-extensions: permessage-deflate\r\n\r\n",
            "an extension that this client did not offer",
        ),
        (
            "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: KEY\r\nsec-websocket-protocol: other\r\n\r\n",
            "a subprotocol that this client did not offer",
        ),
    ] {
        let client = client_of(response, b"").await;
        let error = client.sockets().ws_echo().await.expect_err("an error");
        assert!(
            matches!(error, Error::Response(_)) && error.to_string().contains(problem),
            "{error}"
        );
    }

    // A message arrives in the same packet as the response.
    let client = client_of(RIGHT, b"\x81\x0d{\"text\":\"hi\"}").await;
    let socket = client.sockets().ws_echo().await.expect("a socket");
    let text = "hi".to_owned();
    assert_eq!(
        socket.recv().await.expect("a message"),
        Some(ChatMessage { text })
    );

    // Messages that do not fit the contract close the socket.
    for wrong in [&b"\x81\x02{}"[..], b"\x81\x01x", b"\x82\x02{}"] {
        let client = client_of(RIGHT, wrong).await;
        let socket = client.sockets().ws_echo().await.expect("a socket");
        let error = socket.recv().await.expect_err("an error");
        assert!(matches!(error, Error::Response(_)), "{error:?}");
        assert_eq!(socket.recv().await.expect("no message"), None);
    }

    // Frames that break the protocol.
    for (wrong, code) in [
        (&b"\x81\x82\x00\x00\x00\x00{}"[..], 1002),
        (b"\x83\x00", 1002),
        (b"\x81\x01\xff", 1007),
    ] {
        let client = client_of(RIGHT, wrong).await;
        let socket = client.sockets().ws_echo().await.expect("a socket");
        assert_eq!(socket.recv().await.expect("no message"), None);
        let end = tokio::time::timeout(Duration::from_secs(10), socket.closed())
            .await
            .expect("an end");
        assert_eq!(end.code, code, "{end:?}");
    }

    // A lost connection.
    let client = client_of(RIGHT, b"\x89\x00").await;
    let client = client
        .configure(|client| Ok(client.with_ping_after(Duration::from_millis(50))))
        .expect("a client");
    let socket = client.sockets().ws_echo().await.expect("a socket");
    assert_eq!(socket.recv().await.expect("no message"), None);
    assert_eq!(socket.closed().await.code, 1006);
}
