//! Messages of WebSockets in plain text, in bytes, and in JSON beside bytes. The servers send each message back.

use std::fmt::Debug;

use rust_server_client::Client;
use rust_server_client::kit_client::{Bytes, Socket, TextOrBinary};
use rust_server_client::models::ChatMessage;

/// Sends messages, asserts that they come back in their order, and closes the socket.
async fn echo<T: Debug + PartialEq>(socket: Socket<T, T>, messages: &[T]) {
    for message in messages {
        socket.send(message).await.expect("an open socket");
    }
    for message in messages {
        let received = socket.recv().await.expect("a message").expect("a message");
        assert!(received == *message, "another message came back");
    }
    socket.close(1000, "");
    let end = socket.closed().await;
    assert_eq!(end.code, 1000, "{end:?}");
    socket.send(&messages[0]).await.expect_err("an error");
}

/// Sends a message, and asserts that the socket closes with a code, and with a reason that begins with this text.
async fn refused<T: Debug + PartialEq>(socket: Socket<T, T>, message: T, code: u16, reason: &str) {
    socket.send(&message).await.expect("an open socket");
    assert_eq!(socket.recv().await.expect("no message"), None);
    let end = socket.closed().await;
    assert_eq!(end.code, code, "{end:?}");
    assert!(end.reason.starts_with(reason), "{end:?}");
}

pub async fn check(client: Client) {
    let messages = client.messages();

    // Text that looks like JSON stays text.
    let texts = [
        "hello".to_owned(),
        String::new(),
        "{\"text\":1}".to_owned(),
        "1".to_owned(),
        "not JSON".to_owned(),
        "ü😀".repeat(10_000),
    ];
    let socket = messages.ws_messages_text().await.expect("a socket");
    echo(socket, &texts).await;

    let all: Vec<u8> = (0..=255).collect();
    let bytes = [Bytes::from(all), Bytes::new(), Bytes::from(vec![7; 70_000])];
    let socket = messages.ws_messages_bytes().await.expect("a socket");
    echo(socket, &bytes).await;

    // The kind and the order of messages stay.
    let both = [
        TextOrBinary::Text("a".to_owned()),
        TextOrBinary::Binary(Bytes::from("b")),
        TextOrBinary::Binary(Bytes::from("c")),
        TextOrBinary::Text("d".to_owned()),
    ];
    let socket = messages.ws_messages_both().await.expect("a socket");
    echo(socket, &both).await;

    let json = |text: &str| {
        let text = text.to_owned();
        TextOrBinary::Text(ChatMessage { text })
    };
    let binary = TextOrBinary::Binary(Bytes::from("{}"));
    let socket = messages.ws_messages_mixed().await.expect("a socket");
    echo(socket, &[json("a"), binary, json("")]).await;

    // One task receives while another one sends more than the buffers take.
    let socket = messages.ws_messages_bytes().await.expect("a socket");
    let receiving = tokio::spawn({
        let socket = socket.clone();
        async move {
            let mut count = 0;
            while count < 100 * 50_000 {
                let bytes = socket.recv().await.expect("a message").expect("a message");
                count += bytes.len();
            }
            count
        }
    });
    let large = Bytes::from(vec![1; 50_000]);
    for _ in 0..100 {
        socket.send(&large).await.expect("an open socket");
    }
    assert_eq!(receiving.await.expect("no panic"), 100 * 50_000);

    // The server refuses text that databases cannot store, and messages that are larger than the route allows.
    let socket = messages.ws_messages_text().await.expect("a socket");
    refused(
        socket,
        "a\0b".to_owned(),
        1008,
        "$: expected string without U+0000",
    )
    .await;
    let socket = messages.ws_messages_bytes().await.expect("a socket");
    echo(socket, &[Bytes::from("a\0b")]).await;
    let socket = messages.ws_messages_both().await.expect("a socket");
    let large = TextOrBinary::Binary(Bytes::from(vec![0; 1001]));
    refused(socket, large, 1009, "").await;

    // The limit of the client holds for all kinds of messages.
    let small = client
        .clone()
        .configure(|client| Ok(client.with_message_limit(1_000)))
        .expect("a client");
    let socket = small.messages().ws_messages_bytes().await.expect("a socket");
    refused(socket, Bytes::from(vec![0; 1_001]), 1009, "").await;
    let socket = small.messages().ws_messages_text().await.expect("a socket");
    refused(socket, "x".repeat(1_001), 1009, "").await;
}
