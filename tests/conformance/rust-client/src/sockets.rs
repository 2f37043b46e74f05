//! WebSockets.

use std::time::Duration;

use rust_server_client::models::{
    ChatMessage, WsFloodQuery, WsRoomsByIdCookies, WsRoomsByIdHeaders, WsRoomsByIdParams, WsRoomsByIdQuery,
};
use rust_server_client::routes::sockets::{
    WsFlood, WsMaybe, WsMaybeProtocol, WsRoomsById, WsVersions, WsVersionsProtocol,
};
use rust_server_client::{Client, Error};

fn message(text: &str) -> ChatMessage {
    ChatMessage {
        text: text.to_owned(),
    }
}

pub async fn check(client: Client) {
    let sockets = client.sockets();

    // Messages in both directions, in their order, and letters of every length.
    let echo = sockets.ws_echo().await.expect("a socket");
    assert_eq!(echo.protocol(), None);
    let texts = ["one", "zwei äöü", "三 🙂", "", &"x".repeat(60_000)];
    for text in texts {
        echo.send(&message(text)).await.expect("an open socket");
    }
    for text in texts {
        assert_eq!(echo.recv().await.expect("a message"), Some(message(text)));
    }
    assert!(echo.ended().is_none());

    // One task receives while another one sends more than the buffers take.
    let receiving = tokio::spawn({
        let echo = echo.clone();
        async move {
            let mut count = 0;
            while let Some(message) = echo.recv().await.expect("a message") {
                count += message.text.len();
                if count == 200 * 10_000 {
                    break;
                }
            }
            count
        }
    });
    let long = message(&"y".repeat(10_000));
    for _ in 0..200 {
        echo.send(&long).await.expect("an open socket");
    }
    assert_eq!(receiving.await.expect("no panic"), 200 * 10_000);

    // The client closes.
    echo.close(4002, "enough");
    let end = echo.closed().await;
    assert_eq!(end.code, 4002, "{end:?}");
    assert_eq!(echo.recv().await.expect("no message"), None);
    let late = echo.send(&message("late")).await.expect_err("an error");
    assert!(late.to_string().contains("the WebSocket is closed"), "{late}");

    // The server closes, with a code and a reason.
    let close = sockets.ws_close().await.expect("a socket");
    close.send(&message("Tschüs")).await.expect("an open socket");
    assert_eq!(close.recv().await.expect("no message"), None);
    let end = close.closed().await;
    assert_eq!((end.code, end.reason.as_str()), (4001, "Tschüs"));

    // A failing handler.
    let failing = sockets.ws_failing().await.expect("a socket");
    failing.send(&message("x")).await.expect("an open socket");
    assert_eq!(failing.recv().await.expect("no message"), None);
    assert_eq!(failing.closed().await.code, 1011);

    // All slots of the handshake.
    let room = WsRoomsById {
        params: WsRoomsByIdParams { id: 7.0 },
        query: WsRoomsByIdQuery {
            name: Some("Ada & Bob".to_owned()),
        },
        headers: WsRoomsByIdHeaders {
            x_color: "blue".to_owned(),
        },
        cookies: WsRoomsByIdCookies { sid: None },
    };
    let room = sockets.ws_rooms_by_id(room).await.expect("a socket");
    let first = room.recv().await.expect("a message").expect("a message");
    assert!(
        first.text.starts_with("7 Ada & Bob ") && first.text.ends_with(" blue"),
        "{first:?}"
    );
    assert_eq!(room.recv().await.expect("no message"), None);
    assert_eq!(room.closed().await.code, 1000);

    // A refused handshake is an error response.
    let refused = client.guarded_sockets().ws_guarded().await.expect_err("an error");
    let Error::Refused(refusal) = &refused else {
        panic!("{refused:?}")
    };
    assert_eq!(refusal.status.as_u16(), 401, "{refusal:?}");
    let token = |client: Client| client.configure(|client| client.with_header("x-token", "secret"));
    let guarded = token(client.clone()).expect("a client");
    let guarded = guarded.guarded_sockets().ws_guarded().await.expect("a socket");
    assert_eq!(guarded.recv().await.expect("a message"), Some(message("in")));

    // A message of the server that is larger than the limit of the client.
    let small = client
        .clone()
        .configure(|client| Ok(client.with_message_limit(1_000)))
        .expect("a client");
    let small = small.sockets().ws_echo().await.expect("a socket");
    small
        .send(&message(&"x".repeat(2_000)))
        .await
        .expect("an open socket");
    assert_eq!(small.recv().await.expect("no message"), None);
    assert_eq!(small.closed().await.code, 1009);

    // The server sends more than the client reads, and the client then leaves.
    let flood = WsFlood {
        query: WsFloodQuery {
            name: Some("rust-client".to_owned()),
        },
    };
    let flood = sockets.ws_flood(flood).await.expect("a socket");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let first = flood.recv().await.expect("a message").expect("a message");
    assert_eq!(first.text.len(), 16 * 1024);
    drop(flood);

    // Pings of the client get pongs, so the socket stays open.
    let pinging = client
        .configure(|client| Ok(client.with_ping_after(Duration::from_millis(50))))
        .expect("a client");
    let pinging = pinging.sockets().ws_echo().await.expect("a socket");
    tokio::time::sleep(Duration::from_millis(400)).await;
    pinging
        .send(&message("still here"))
        .await
        .expect("an open socket");
    assert_eq!(
        pinging.recv().await.expect("a message"),
        Some(message("still here"))
    );
}

pub async fn check_subprotocols(client: Client) {
    let sockets = client.sockets();
    let versions = |protocols| sockets.ws_versions(WsVersions { protocols });
    let both = vec![WsVersionsProtocol::ChatV2, WsVersionsProtocol::ChatV1];
    let socket = versions(both).await.expect("a socket");
    assert_eq!(socket.protocol(), Some("chat.v2"));
    assert_eq!(socket.recv().await.expect("a message"), Some(message("chat.v2")));
    let refused = versions(Vec::new()).await.expect_err("an error");
    let Error::Refused(refusal) = &refused else {
        panic!("{refused:?}")
    };
    assert!(refusal.is(400, "UNSUPPORTED_SUBPROTOCOL"), "{refusal:?}");

    let maybe = |protocols| sockets.ws_maybe(WsMaybe { protocols });
    let socket = maybe(Vec::new()).await.expect("a socket");
    assert_eq!(socket.protocol(), None);
    let socket = maybe(vec![WsMaybeProtocol::ChatV1]).await.expect("a socket");
    assert_eq!(socket.protocol(), Some("chat.v1"));
}
