//! Subject: `ServeDir` of tower-http on axum, on tokio's single-threaded runtime. Files are read on tokio's threads for
//! blocking work.

use std::io::Read;
use std::net::Ipv4Addr;

use axum::Router;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = std::env::var("PORT")?.parse()?;
    let directory = std::env::var("STATIC_DIRECTORY")?;
    // The program ends when the benchmark ends.
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let router: Router = Router::new().fallback_service(ServeDir::new(directory));
    axum::serve(listener, router).await?;
    Ok(())
}
