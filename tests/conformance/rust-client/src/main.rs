//! Calls the applications of `tests/conformance` with the generated client, and checks the results. The arguments are the URL of the
//! server and the name of an application.

mod bodies;
mod downloads;
mod formats;
mod http2;
mod messages;
mod sockets;
mod wrong_server;

use rust_server_client::Client;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, application] = arguments.as_slice() else {
        panic!("the arguments are a URL and the name of an application");
    };
    let client = Client::new(url).expect("a client");
    match application.as_str() {
        "bodies" => bodies::check(client, if url.starts_with("https:") { 4_000 } else { 150_000 }).await,
        "downloads" => downloads::check(client).await,
        "formats" => formats::check(client).await,
        "messages" => messages::check(client).await,
        "sockets" => sockets::check(client).await,
        "subprotocols" => sockets::check_subprotocols(client).await,
        "http2" => http2::check(url).await,
        "untrusted" => http2::check_untrusted(client).await,
        "none" => wrong_server::check().await,
        other => panic!("no application has the name `{other}`"),
    }
    println!("all calls passed");
}
