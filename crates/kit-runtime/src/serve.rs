//! The process: its runtime, its listener, and its end.

use std::io::{self, ErrorKind, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::signal::unix::{SignalKind, signal};

use crate::http::flush_refused;
use crate::listener::Listener;
use crate::settings::Settings;
use crate::{Answering, Error, connection, log, start, stdout, telemetry};

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
    stdout::finish();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be no log, and somebody may wait at a terminal. `eprintln!` would panic if the reader is gone.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until SIGTERM or SIGINT, then lets what is under way be answered. Listens on `PORT` (3000 where that is not set) of `HOST` (every
/// address). A second signal ends the process at once.
pub async fn serve(router: impl Answering) -> Result<(), Error> {
    let settings = Settings::load()?;
    let (host, port) = (settings.host.as_deref(), settings.port);
    let listener = Listener::bind(host, port, settings.connections).await;
    let mut listener = listener.map_err(|error| refused(&error, host, port))?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let address = listener.local_addr()?;
    // For whoever started the program; it is no entry of the log.
    stdout::line(&format!("Listening on {}", url(address)));
    let connections = GracefulShutdown::new();
    let accept = async {
        loop {
            let (stream, peer, place) = listener.accept().await;
            let router = router.clone();
            connection::serve(stream, peer, router, settings.timeouts, &connections, place);
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
    connection::flush_refusals();
    flush_refused();
    Ok(())
}

/// Returns the reason why the server cannot listen, with what to do about it.
fn refused(error: &io::Error, host: Option<&str>, port: u16) -> Error {
    let (what, help) = match error.kind() {
        ErrorKind::AddrInUse => {
            let other = if port == u16::MAX { port - 1 } else { port + 1 };
            (
                format!("port {port} is in use by another program (EADDRINUSE)"),
                format!(
                    "stop that program (`lsof -i :{port}` names it), or choose another port: `PORT={other}`"
                ),
            )
        }
        ErrorKind::PermissionDenied => (
            format!("port {port} cannot be used: the system does not permit it (EACCES)"),
            "set PORT to a port above 1023, or give the program the privilege to use this one".to_owned(),
        ),
        ErrorKind::AddrNotAvailable => (
            format!(
                "this machine has no address {} (EADDRNOTAVAIL)",
                host.unwrap_or_default()
            ),
            "set HOST to one that it has, or to 127.0.0.1 for this machine alone".to_owned(),
        ),
        _ => (
            format!("the server cannot listen: {error}"),
            "set HOST to an address of this machine, and PORT to a free port".to_owned(),
        ),
    };
    let host = host.unwrap_or("every address");
    start::failure(&what, &format!("at {host}, port {port}"), &help)
}

fn url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::refused;

    #[test]
    fn what_keeps_the_server_from_listening_is_said_in_three_lines() {
        let said = |kind: ErrorKind, host| refused(&Error::from(kind), host, 3000).to_string();
        assert_eq!(
            said(ErrorKind::AddrInUse, None),
            "port 3000 is in use by another program (EADDRINUSE)\n  at every address, port 3000\n\
             help: stop that program (`lsof -i :3000` names it), or choose another port: `PORT=3001`"
        );
        assert_eq!(
            said(ErrorKind::AddrNotAvailable, Some("192.0.2.1")),
            "this machine has no address 192.0.2.1 (EADDRNOTAVAIL)\n  at 192.0.2.1, port 3000\n\
             help: set HOST to one that it has, or to 127.0.0.1 for this machine alone"
        );
        assert!(said(ErrorKind::PermissionDenied, None).contains("(EACCES)"));
    }
}
