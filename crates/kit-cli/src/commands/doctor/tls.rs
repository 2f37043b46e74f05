//! Checks the files of TLS that the application reads: that the server can use them, and that their dates are valid.

use std::fs::File;
use std::io::ErrorKind;
use std::iter::{once, repeat};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kit_ir::LiteralOption;
use kit_tls::rustls::pki_types::CertificateDer;
use kit_tls::rustls::pki_types::pem::PemObject as _;
use kit_tls::{Certificates, ClientCertificates, MinimumVersion, Options};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::Check;
use crate::context::Context;
use crate::project::{Project, has_rust_server};

/// Name of these checks in the report of `kit doctor`.
const NAME: &str = "tls";

/// Remaining time of a certificate below which the check is a warning. Programs that renew certificates begin earlier.
const SOON: Duration = Duration::from_hours(14 * 24);

/// Files of TLS: the property of the option `tls`, the variable, and a description.
const FILES: [(&str, &str, &str); 3] = [
    ("cert", "TLS_CERT", "certificate"),
    ("key", "TLS_KEY", "key"),
    ("clientCa", "TLS_CLIENT_CA", "file of authorities for clients"),
];

/// Paths of the files, in the order of [`FILES`].
type Paths = [Option<PathBuf>; 3];

/// Checks the files of the option `tls` of `listen`, or those of the variables of a Rust server. Returns no check if the application
/// speaks plain HTTP, or if the sources cannot be read, which another check reports.
pub(super) fn check(project: &Project, context: &Context<'_>, option: Option<LiteralOption>) -> Vec<Check> {
    let variables = FILES.map(|(_, variable, _)| {
        let value = context.environment.var(variable);
        value
            .filter(|path| !path.is_empty())
            .map(|path| project.root.join(path))
    });
    let paths = if has_rust_server(&project.config) {
        if variables.iter().all(Option::is_none) {
            return Vec::new();
        }
        variables
    } else {
        match option {
            Some(option) => of_source(project, option, variables),
            None => return Vec::new(),
        }
    };
    let [Some(certificate), Some(key), authorities] = &paths else {
        return vec![
            Check::warn(
                NAME,
                "the paths of the certificate and the key are not known, so kit cannot check the files",
            )
            .help("set TLS_CERT and TLS_KEY to the paths, in .env for example"),
        ];
    };
    let files: Vec<(&str, &Path)> = FILES
        .iter()
        .zip(&paths)
        .filter_map(|((_, _, purpose), path)| Some((*purpose, path.as_deref()?)))
        .collect();
    let unreadable: Vec<Check> = files
        .iter()
        .filter_map(|(purpose, path)| readable(purpose, path))
        .collect();
    if !unreadable.is_empty() {
        return unreadable;
    }
    let options = Options {
        certificate: certificate.clone(),
        key: key.clone(),
        clients: authorities.clone().map(|authorities| ClientCertificates {
            authorities,
            is_required: true,
        }),
        minimum_version: MinimumVersion::default(),
        protocols: Vec::new(),
    };
    if let Err(error) = Certificates::load(options) {
        return vec![Check::fail(NAME, error.message()).help(error.help())];
    }
    let now = SystemTime::now();
    let mut checks: Vec<Check> = dates(certificate, [Role::Server, Role::Chain], now)
        .into_iter()
        .chain(
            authorities
                .iter()
                .filter_map(|path| dates(path, [Role::Authority; 2], now)),
        )
        .collect();
    checks.extend(exposed(key));
    checks
}

/// Returns the paths in the option `tls` of `listen`. A path that the source does not contain is the one in the variable with the usual
/// name.
fn of_source(project: &Project, option: LiteralOption, mut variables: Paths) -> Paths {
    let value = option.value.unwrap_or_default();
    for ((property, _, _), path) in FILES.iter().zip(&mut variables) {
        match value.get(property) {
            Some(serde_json::Value::String(given)) => *path = Some(project.root.join(given)),
            // The application decides, perhaps by the variable.
            Some(_) => {}
            None if value.is_null() => {}
            None => *path = None,
        }
    }
    variables
}

/// Returns a warning if this user cannot read a file. It is no failure, because the server may run on another machine or as another user.
fn readable(purpose: &str, path: &Path) -> Option<Check> {
    let error = File::open(path).err()?;
    let shown = path.display();
    Some(match error.kind() {
        ErrorKind::NotFound => Check::warn(NAME, format!("the {purpose} {shown} does not exist"))
            .help("the file may be missing if the application listens with TLS only on another machine; run `kit doctor` there"),
        ErrorKind::PermissionDenied => {
            Check::warn(NAME, format!("you may not read the {purpose} {shown}"))
                .help("the user of the server must be able to read the file; run `kit doctor` as that user")
        }
        _ => Check::fail(NAME, format!("the {purpose} {shown} cannot be read: {error}"))
            .help("give the path of a file in PEM that the user of the server may read"),
    })
}

/// Purpose of a certificate, which decides who notices that the certificate is not valid.
#[derive(Debug, Clone, Copy)]
enum Role {
    /// The server's own certificate.
    Server,
    /// A certificate that the server sends after its own. Not every client needs the certificate.
    Chain,
    /// An authority for clients. Others of the file may be valid.
    Authority,
}

impl Role {
    /// Returns the result of a check of a certificate that is not valid. `problem` names the certificate and its date.
    fn invalid(self, problem: &str) -> Check {
        match self {
            Self::Server => Check::fail(NAME, format!("{problem}; clients refuse it")),
            Self::Chain => Check::warn(
                NAME,
                format!("{problem}; clients that verify the server's certificate with it refuse the server"),
            ),
            Self::Authority => Check::warn(
                NAME,
                format!("{problem}; the server refuses clients of this authority"),
            ),
        }
    }

    /// Returns the correction for a certificate that ends soon or has ended.
    fn renewal(self) -> &'static str {
        match self {
            Self::Server => "renew the certificate; a running server notices new files",
            Self::Chain => {
                "replace the certificates after the server's own by those that the authority gives today; a running server notices new files"
            }
            Self::Authority => {
                "add the new certificate of the authority, or remove the authority if no client has a certificate of this authority; a running server notices new files"
            }
        }
    }
}

/// Checks the dates of the certificates in a file, and returns the worst result. `roles` are those of the first certificate and of
/// the others.
fn dates(path: &Path, [first, others]: [Role; 2], now: SystemTime) -> Option<Check> {
    let found = CertificateDer::pem_file_iter(path).ok()?;
    let roles = once(first).chain(repeat(others));
    let checks = found.zip(roles).filter_map(|(certificate, role)| {
        // The server has read the file, so these errors do not happen.
        let certificate = Certificate::from_der(&certificate.ok()?).ok()?;
        Some(dates_of(path, &certificate, role, now))
    });
    // The first of the worst results, because the server's own certificate comes first.
    checks.reduce(|worst, next| if next.status > worst.status { next } else { worst })
}

fn dates_of(path: &Path, certificate: &Certificate, role: Role, now: SystemTime) -> Check {
    let validity = &certificate.tbs_certificate.validity;
    let name = format!(
        "the certificate `{}` in {}",
        certificate.tbs_certificate.subject,
        path.display()
    );
    let (start, end) = (validity.not_before, validity.not_after);
    match end.to_system_time().duration_since(now) {
        Err(_) => role
            .invalid(&format!("{name} was valid until {end}"))
            .help(role.renewal()),
        Ok(_) if start.to_system_time() > now => role
            .invalid(&format!("{name} is valid only after {start}"))
            .help("check the clock of this machine, or use another certificate"),
        Ok(rest) if rest < SOON => Check::warn(
            NAME,
            format!(
                "{name} is valid only until {end}, less than {} days",
                rest.as_secs() / 86_400 + 1
            ),
        )
        .help(role.renewal()),
        Ok(_) => Check::ok(NAME, format!("{name} is valid until {end}")),
    }
}

/// Returns a warning if all users of this machine can read the key.
#[cfg(unix)]
fn exposed(key: &Path) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt as _;

    let mode = key.metadata().ok()?.permissions().mode();
    (mode & 0o004 != 0).then(|| {
        let key = key.display();
        Check::warn(NAME, format!("every user of this machine can read the key {key}")).help(format!(
            "run `chmod o= {key}`; if the user of the server is not the owner of the key, give the key a group of the server"
        ))
    })
}

#[cfg(not(unix))]
fn exposed(_key: &Path) -> Option<Check> {
    None
}
