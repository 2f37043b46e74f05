//! The process: its runtime, its listener, and its end.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::settings::Settings;
use crate::{Answering, Error, connection, log, telemetry};

/// How long the server goes on after it was asked to end, so that what was sent before is answered.
const LINGER: Duration = Duration::from_millis(100);
/// How long requests under way may take to be answered then.
const GRACE: Duration = Duration::from_secs(10);
/// Reading and checking a value goes as deep as the value does.
const STACK: usize = 16 * 1024 * 1024;

static IS_CLOSING: AtomicBool = AtomicBool::new(false);

/// Whether the server was asked to end.
pub(crate) fn is_closing() -> bool {
    IS_CLOSING.load(Ordering::Relaxed)
}

/// Runs a server: sets up the log and the threads, and waits for it to end. What keeps it from running is written to standard error.
pub fn run(server: impl Future<Output = Result<(), Error>>) -> ExitCode {
    // Around the runtime: what sends to a collector has threads of its own, and sends the rest at the end.
    let ended = log::start()
        .and_then(|()| telemetry::start())
        .and_then(|_exporting| {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .thread_stack_size(STACK)
                .build()?;
            runtime.block_on(server)
        });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            #[allow(clippy::print_stderr)] // Reason: there may be no log, and somebody waits at a terminal.
            {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Serves until SIGTERM or SIGINT, then lets what is under way be answered. Listens on `PORT` (3000 where that is not set) of `HOST` (every
/// address). A second signal ends the process at once.
pub async fn serve(router: impl Answering) -> Result<(), Error> {
    let settings = Settings::load()?;
    let (host, port) = (settings.host.as_str(), settings.port);
    let listener = TcpListener::bind((host, port)).await.map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                "the port is in use by another program (EADDRINUSE); set PORT to another one".to_owned()
            }
            _ => error.to_string(),
        };
        Error::internal(format!("cannot listen on {host}:{port}: {reason}"))
    })?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let address = listener.local_addr()?;
    #[allow(clippy::print_stdout)]
    // Reason: the line is for whoever started the program, and not an entry of the log.
    {
        println!("Listening on {}", url(address));
    }
    let connections = GracefulShutdown::new();
    let accept = async {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    connection::serve(stream, peer, router.clone(), settings.timeouts, &connections);
                }
                // The peer left, or descriptors ran out: others may leave meanwhile.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    {
        tokio::pin!(accept);
        tokio::select! {
            () = &mut accept => {}
            _ = terminated.recv() => {}
            _ = interrupted.recv() => {}
        }
        tokio::spawn(async move {
            let code = tokio::select! {
                _ = terminated.recv() => 143,
                _ = interrupted.recv() => 130,
            };
            std::process::exit(code);
        });
        IS_CLOSING.store(true, Ordering::Relaxed);
        // Clients do not know yet.
        let _ = tokio::time::timeout(LINGER, accept).await;
    }
    drop(listener);
    if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!(
            "Requests were not answered {} s after the server was asked to end; they are cut off",
            GRACE.as_secs()
        );
    }
    Ok(())
}

fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}
