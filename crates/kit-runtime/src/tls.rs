//! TLS of the listening socket: handshakes, and certificates that new files replace.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kit_tls::{Certificates, ClientCertificates, MinimumVersion, Options};
use tokio::net::TcpStream;
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::TlsAcceptor;

use crate::connection::{self, Peer, Timeouts};
use crate::listener::ConnectionPermit;
use crate::shutdown::{self, Shutdown};
use crate::tls_dates::{Reports, Standing};
use crate::tls_settings::TlsSettings;
use crate::{ClientCertificate, Error, Serve, Timestamp, start_error};

/// Time between two looks at the files of the certificates.
const FILE_CHECK: Duration = Duration::from_secs(5);

/// Protocols that clients can choose in the handshake. The first one that the client knows is used.
const PROTOCOLS: &[&[u8]] = &[
    #[cfg(feature = "http2")]
    connection::http2::ALPN,
    b"http/1.1",
];

/// Makes TLS connections.
#[derive(Debug, Clone)]
pub(crate) struct Tls(Arc<Certificates>);

impl Tls {
    /// Reads the files of the settings. A task reads the files again if they change, and at SIGHUP.
    pub(crate) fn start(settings: &TlsSettings) -> Result<Self, Error> {
        let certificates = Certificates::load(Options {
            certificate: settings.certificate.clone(),
            key: settings.key.clone(),
            clients: settings
                .client_authorities
                .clone()
                .map(|authorities| ClientCertificates {
                    authorities,
                    is_required: settings.is_client_certificate_required,
                }),
            minimum_version: if settings.is_1_3_required {
                MinimumVersion::Tls13
            } else {
                MinimumVersion::Tls12
            },
            protocols: PROTOCOLS.iter().map(|name| name.to_vec()).collect(),
        });
        let place = "in TLS_CERT, TLS_KEY or TLS_CLIENT_CA";
        let certificates =
            certificates.map_err(|error| start_error::failure(error.message(), place, error.help()))?;
        let tls = Self(Arc::new(certificates));
        let mut reports = Reports::default();
        tls.report_dates(&settings.certificate, &mut reports);
        tokio::spawn(tls.clone().watch(settings.certificate.clone(), reports)?);
        Ok(tls)
    }

    /// Returns true if the certificate is valid for a host: a name, or an IP address without brackets.
    pub(crate) fn covers(&self, host: &str) -> bool {
        self.0.covers(host)
    }

    /// Logs an error if clients refuse the certificate because of its dates, and a warning some time before its end.
    fn report_dates(&self, file: &Path, reports: &mut Reports) {
        let Some((from, to)) = self.0.validity() else {
            return;
        };
        let (valid_from, valid_to) = (Timestamp::from(from), Timestamp::from(to));
        match reports.due(from, to, SystemTime::now()) {
            None | Some(Standing::Valid) => {}
            Some(Standing::EndsSoon) => tracing::warn!(
                code = "TLS_EXPIRES_SOON",
                validFrom = %valid_from,
                validTo = %valid_to,
                "The TLS certificate {} is valid until {valid_to}; renew it",
                file.display()
            ),
            Some(Standing::NotValid) => tracing::error!(
                code = "TLS_EXPIRED",
                validFrom = %valid_from,
                validTo = %valid_to,
                "Clients refuse the TLS certificate {}, which is not valid now; renew it",
                file.display()
            ),
        }
    }

    /// Reads the files again at SIGHUP, and if they have changed, and looks at the dates of the certificate, until the server stops.
    fn watch(self, file: PathBuf, mut reports: Reports) -> io::Result<impl Future<Output = ()> + Send> {
        let mut hangup = signal(SignalKind::hangup())?;
        Ok(async move {
            loop {
                let is_forced = tokio::select! {
                    _ = hangup.recv() => true,
                    () = tokio::time::sleep(FILE_CHECK) => false,
                    () = shutdown::stopping() => return,
                };
                let certificates = Arc::clone(&self.0);
                let read = tokio::task::spawn_blocking(move || {
                    if is_forced {
                        certificates.reload().map(|()| true)
                    } else {
                        certificates.reload_if_changed()
                    }
                });
                match read.await {
                    Ok(Ok(true)) => {
                        tracing::info!("new connections use the TLS certificate that was read again");
                        reports = Reports::default();
                    }
                    Ok(Err(error)) => tracing::error!(
                        code = "TLS_FILES",
                        "{}; the certificate in use stays in use; {}",
                        error.message(),
                        error.help()
                    ),
                    Ok(Ok(false)) | Err(_) => {}
                }
                self.report_dates(&file, &mut reports);
            }
        })
    }

    /// Starts a task that makes the handshake and responds to the requests of a connection. The handshake may take as long as the
    /// head of a request.
    pub(crate) fn serve(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        router: impl Serve,
        timeouts: Timeouts,
        permit: ConnectionPermit,
        mut shutdown: Shutdown,
    ) {
        let _ = socket.set_nodelay(true);
        let acceptor = TlsAcceptor::from(self.0.current());
        tokio::spawn(async move {
            let handshake = tokio::time::timeout(timeouts.head, acceptor.accept(socket));
            let accepted = tokio::select! {
                accepted = handshake => accepted,
                () = shutdown.begun() => return,
            };
            match accepted {
                Ok(Ok(stream)) => {
                    let session = stream.get_ref().1;
                    let certificate = session.peer_certificates().and_then(<[_]>::first);
                    let peer = Peer {
                        address: peer,
                        certificate: certificate.and_then(|der| ClientCertificate::read(der)),
                    };
                    #[cfg(feature = "http2")]
                    if session.alpn_protocol() == Some(connection::http2::ALPN) {
                        let connection = connection::http2::connect(
                            stream,
                            peer,
                            router,
                            timeouts,
                            Some(permit),
                            shutdown,
                        );
                        if let Err(error) = connection.await {
                            tracing::debug!("An HTTP/2 connection broke: {error}");
                        }
                        return;
                    }
                    let connection =
                        connection::connect(stream, peer, router, timeouts, Some(permit), shutdown);
                    if let Err(error) = connection.await {
                        tracing::debug!("A connection broke: {error}");
                    }
                }
                Ok(Err(error)) => tracing::debug!("A TLS handshake failed: {error}"),
                Err(_) => tracing::debug!("A TLS handshake took longer than HEADERS_TIMEOUT_MS"),
            }
        });
    }
}
