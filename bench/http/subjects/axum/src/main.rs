//! Peer in Rust: the application of the benchmark, handwritten with axum. Like most users of axum, it uses extractors
//! for input, `from_fn` for middleware, serde for JSON and sqlx for the database. Its routes, rules and error format
//! are those of the application.

mod app;
mod edge;
mod errors;
mod identity;
mod middleware;
mod notes;
mod store;

use std::net::SocketAddr;

use axum::serve::ListenerExt;

async fn serve(port: u16) -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let app = match std::env::var("BENCH_FEATURE") {
        Ok(feature) => identity::router(&feature).unwrap_or_else(|| edge::router(&feature)),
        Err(_) => app::router()?,
    };
    // Limits need the addresses of clients.
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::var("PORT")?.parse()?;
    // Exits when the benchmark exits or is killed, because its end of the pipe closes then.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    // Uses one thread, like all other servers here. A request costs less than on tokio's thread pool, whose threads
    // take work from each other.
    let mut runtime = match std::env::var("AXUM_THREADS").ok() {
        None => tokio::runtime::Builder::new_current_thread(),
        Some(threads) => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            builder.worker_threads(threads.parse()?);
            builder
        }
    };
    runtime.enable_all().build()?.block_on(serve(port))
}
