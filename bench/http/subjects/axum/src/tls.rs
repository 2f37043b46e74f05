//! The application behind TLS with HTTP/1.1 and HTTP/2, as users of axum serve it: with axum-server and rustls.

mod app;
mod errors;
mod middleware;
mod notes;
mod store;

use std::net::TcpListener;

use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};

async fn serve(port: u16) -> Result<(), Box<dyn std::error::Error>> {
    let config =
        RustlsConfig::from_pem_file(std::env::var("BENCH_TLS_CERT")?, std::env::var("BENCH_TLS_KEY")?)
            .await?;
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    listener.set_nonblocking(true)?;
    axum_server::from_tcp(listener)?
        .acceptor(RustlsAcceptor::new(config).acceptor(NoDelayAcceptor))
        .serve(app::router()?.into_make_service())
        .await?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = std::env::var("PORT")?.parse()?;
    // Exits when the benchmark exits or is killed, because its end of the pipe closes then.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    // Uses one thread, like all other servers here.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(port))
}
