//! Servers that break the rules of WebSockets.

use std::fmt::Debug;
use std::time::Duration;

use kit_websocket::connection::{SharedSession, drive};
use kit_websocket::{Compression, Session};
use rust_server_client::kit_client::Socket;
use rust_server_client::models::ChatMessage;
use rust_server_client::{Client, Error};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Returns a client of a server that sends one response, in which `KEY` stands for the right value of `sec-websocket-accept`, and
/// these bytes after it. The server then does what `then` does.
async fn client_with<F>(
    response: &'static str,
    after: &'static [u8],
    then: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> Client
where
    F: Future<Output = ()> + Send + 'static,
{
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
        then(stream).await;
    });
    Client::new(&url).expect("a client")
}

/// Returns a client of a server that reads until the client has left, and responds to nothing.
async fn client_of(response: &'static str, after: &'static [u8]) -> Client {
    client_with(response, after, |mut stream| async move {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    })
    .await
}

/// Returns a client of a server that sends these frames, and then responds to the close frame of the client.
async fn client_of_frames(frames: &'static [u8]) -> Client {
    client_with(RIGHT, frames, |stream| async move {
        let session = SharedSession::new(Session::new(1024, Compression::None));
        let _ = drive(stream, &session, Duration::MAX, std::future::pending()).await;
    })
    .await
}

/// Asserts that the first message is an error, which says what is wrong, and closes the socket with 3008.
async fn refuses<Sent, Received: Debug + PartialEq>(socket: Socket<Sent, Received>, problem: &str) {
    let error = socket.recv().await.expect_err("an error");
    assert!(
        matches!(error, Error::Response(_)) && error.to_string().contains(problem),
        "{error}"
    );
    assert_eq!(socket.recv().await.expect("no message"), None);
    assert_eq!(closed(&socket).await, 3008);
}

/// Returns the code with which a socket closes.
async fn closed<Sent, Received>(socket: &Socket<Sent, Received>) -> u16 {
    let end = tokio::time::timeout(Duration::from_secs(10), socket.closed()).await;
    end.expect("an end").code
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
    for (wrong, problem) in [
        (&b"\x81\x02{}"[..], "missing field `text`"),
        (b"\x81\x01x", "line 1, column 1: expected a value"),
        (
            b"\x82\x02{}",
            "a message is binary, but the contract has only text",
        ),
    ] {
        let client = client_of_frames(wrong).await;
        refuses(client.sockets().ws_echo().await.expect("a socket"), problem).await;
    }
    let client = client_of_frames(b"\x82\x01a").await;
    let socket = client.messages().ws_messages_text().await.expect("a socket");
    refuses(socket, "a message is binary, but the contract has only text").await;
    let client = client_of_frames(b"\x81\x01a").await;
    let socket = client.messages().ws_messages_bytes().await.expect("a socket");
    refuses(socket, "a message is text, but the contract has only binary").await;
    for (wrong, problem) in [
        (&b"\x81\x01{"[..], "line 1, column 2: expected "),
        (b"\x81\x02{}", "missing field `text`"),
    ] {
        let client = client_of_frames(wrong).await;
        let socket = client.messages().ws_messages_mixed().await.expect("a socket");
        refuses(socket, problem).await;
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
        assert_eq!(closed(&socket).await, code);
        let client = client_of(RIGHT, wrong).await;
        let socket = client.messages().ws_messages_both().await.expect("a socket");
        assert_eq!(socket.recv().await.expect("no message"), None);
        assert_eq!(closed(&socket).await, code);
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
