//! The server process: its async runtime, its listening socket, and its shutdown.

use std::io::{self, ErrorKind, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::http::flush_rejection_log;
use crate::listener::{Listener, url};
use crate::settings::Settings;
use crate::shutdown::Shutdown;
#[cfg(feature = "tls")]
use crate::tls::Tls;
#[cfg(feature = "tls")]
use crate::tls_redirect;
use crate::{
    Error, Serve, connection, debug, dev_link, log, metrics, shutdown, start_error, stdout, telemetry,
};

/// Maximum time that work on blocking threads may take after the server has stopped, such as the hash of a password for a
/// request that was closed.
const BLOCKING_AT_END: Duration = Duration::from_secs(1);
/// Maximum time for writing the last lines of the log, after the server has stopped, or after a second signal.
const LOG_AT_END: Duration = Duration::from_secs(2);
const LOG_AT_SECOND_SIGNAL: Duration = Duration::from_millis(100);
/// Stack size of the worker threads in bytes. Decoding and checking recurse as deep as the value is nested.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Runs a server: starts the log and the async runtime, and waits until the server stops. If the server stops with an
/// error, writes the error to standard error.
///
/// ```
/// use std::process::ExitCode;
///
/// use kit_runtime::{Application, Router};
///
/// fn start<A: Application>(router: Router<A>) -> ExitCode {
///     kit_runtime::run(async { kit_runtime::serve(router).await })
/// }
/// ```
pub fn run(server: impl Future<Output = Result<(), Error>>) -> ExitCode {
    // Telemetry starts before the async runtime and ends after it, because the exporter has its own threads and sends
    // its remaining data last.
    let ended = log::start()
        .and_then(|()| telemetry::start())
        .and_then(|_exporting| {
            let runtime = runtime()?;
            let ended = runtime.block_on(server);
            // A runtime that is dropped waits without a limit for its blocking threads.
            runtime.shutdown_timeout(BLOCKING_AT_END);
            ended
        });
    stdout::finish(LOG_AT_END);
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There may be no log, and an operator may watch a terminal. `eprintln!` would panic if standard error is
            // closed.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Creates the async runtime.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK_BYTES)
        .build()
}

/// Starts the log, and runs tests in the async runtime of a server.
#[cfg(feature = "testing")]
pub(crate) fn run_tests<T>(tests: impl Future<Output = T>) -> Result<T, Error> {
    log::start()?;
    let result = runtime()?.block_on(tests);
    stdout::finish(LOG_AT_END);
    Ok(result)
}

/// Serves requests until SIGTERM or SIGINT, then completes the requests in progress within `SHUTDOWN_GRACE_MS`: by default the
/// longest timeout of a request, at least 10 seconds. Listens on `PORT` (default 3000) of `HOST` (default: all addresses), with
/// TLS if `TLS_CERT` and `TLS_KEY` are set. A second signal ends the process immediately.
///
/// # Errors
///
/// If an environment variable is invalid, if a directory of static files does not exist, or if the address cannot be bound.
pub async fn serve(router: impl Serve) -> Result<(), Error> {
    let settings = Settings::load()?;
    router.check()?;
    let grace_period = settings.grace_period(router.longest_timeout());
    #[cfg(feature = "tls")]
    let tls = settings.tls.as_ref().map(Tls::start).transpose()?;
    #[cfg(not(feature = "tls"))]
    if settings.tls.is_some() {
        return Err(start_error::failure(
            "TLS_CERT is set, but this server was built without TLS",
            "in the features of kit-runtime",
            "add the feature `tls` to the dependency kit-runtime in Cargo.toml, or remove the variable",
        ));
    }
    let (host, port) = (settings.host.as_deref(), settings.port);
    let listener = Listener::bind(host, port, settings.connections).await;
    let mut listener = listener.map_err(|error| refused(&error, host, port))?;
    metrics::serve(settings).await;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let address = listener.local_addr()?;
    debug::serve(address).await?;
    dev_link::start()?;
    #[cfg(feature = "tls")]
    if let (Some(tls), Some(redirect)) = (&tls, settings.tls.as_ref().and_then(|tls| tls.redirect.as_ref())) {
        tls_redirect::start(settings, redirect, tls.clone(), address.port()).await?;
    }
    // This line is for the program or person that started the server; it is not a log entry.
    stdout::line(&format!("Listening on {}", url(address, settings.tls.is_some())));
    let begin = move |stream, peer, router, permit, shutdown| {
        #[cfg(feature = "tls")]
        if let Some(tls) = &tls {
            return tls.serve(stream, peer, router, settings.timeouts, permit, shutdown);
        }
        connection::serve(stream, peer, router, settings.timeouts, permit, shutdown);
    };
    let accept = async {
        loop {
            let (mut stream, peer, permit) = listener.accept().await;
            let router = router.clone();
            // Not in a task: the server could see no open connection and exit before the task runs for the first time.
            let shutdown = Shutdown::of_server();
            if !dev_link::is_on() {
                begin(stream, peer, router, permit, shutdown);
                continue;
            }
            // Reason: the closure is `Copy` only in a server without TLS.
            #[cfg_attr(not(feature = "tls"), allow(clippy::clone_on_copy))]
            let begin = begin.clone();
            tokio::spawn(async move {
                if let Some(client) = dev_link::client(&mut stream).await {
                    begin(stream, client, router, permit, shutdown);
                }
            });
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
            stdout::finish(LOG_AT_SECOND_SIGNAL);
            std::process::exit(code);
        });
        shutdown::announce();
        // Clients and load balancers do not know of the shutdown yet.
        let _ = tokio::time::timeout(settings.shutdown_delay, accept).await;
    }
    drop(listener);
    shutdown::begin();
    if tokio::time::timeout(grace_period, shutdown::connections_ended())
        .await
        .is_err()
    {
        tracing::warn!(
            "Requests were still in progress {} ms after the shutdown began; the server closes the connections of these requests",
            grace_period.as_millis()
        );
    }
    connection::flush_refusals();
    #[cfg(feature = "http2")]
    connection::http2::flush();
    flush_rejection_log();
    Ok(())
}

/// Returns the error for an address that the server cannot listen on, with advice.
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
            format!("set PORT to a port above 1023, or give the program the privilege to use port {port}"),
        ),
        ErrorKind::AddrNotAvailable => (
            format!(
                "this machine has no address {} (EADDRNOTAVAIL)",
                host.unwrap_or_default()
            ),
            "set HOST to an address of this machine, or to 127.0.0.1 to accept connections from this machine only".to_owned(),
        ),
        _ => (
            format!("the server cannot listen: {error}"),
            "set HOST to an address of this machine, and PORT to a free port".to_owned(),
        ),
    };
    let host = host.unwrap_or("every address");
    start_error::failure(&what, &format!("at {host}, port {port}"), &help)
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::refused;

    #[test]
    fn reports_reason_address_and_advice_if_the_server_cannot_listen() {
        let said = |kind: ErrorKind, host| refused(&Error::from(kind), host, 3000).to_string();
        assert_eq!(
            said(ErrorKind::AddrInUse, None),
            "port 3000 is in use by another program (EADDRINUSE)\n  at every address, port 3000\n\
             help: stop that program (`lsof -i :3000` names it), or choose another port: `PORT=3001`"
        );
        assert_eq!(
            said(ErrorKind::AddrNotAvailable, Some("192.0.2.1")),
            "this machine has no address 192.0.2.1 (EADDRNOTAVAIL)\n  at 192.0.2.1, port 3000\n\
             help: set HOST to an address of this machine, or to 127.0.0.1 to accept connections from this machine only"
        );
        assert!(said(ErrorKind::PermissionDenied, None).contains("(EACCES)"));
    }
}
