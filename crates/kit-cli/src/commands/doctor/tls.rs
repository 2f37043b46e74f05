//! Checks the files of TLS that the application reads: that the server can use them, and that their dates are valid.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use kit_build::analyze_with;
use kit_tls::rustls::pki_types::CertificateDer;
use kit_tls::rustls::pki_types::pem::PemObject as _;
use kit_tls::{Certificates, ClientCertificates, MinimumVersion, Options};
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::Check;
use crate::commands::build_steps::request;
use crate::context::Context;
use crate::plugins::Plugins;
use crate::project::{Project, build_time, has_rust_server};

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

/// Returns no check if the application speaks plain HTTP.
pub(super) async fn check(project: &Project, context: &Context<'_>) -> Vec<Check> {
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
        match of_source(project, context, variables).await {
            Some(paths) => paths,
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
    let mut checks: Vec<Check> = [Some(certificate), authorities.as_ref()]
        .into_iter()
        .flatten()
        .filter_map(|path| dates(path, now))
        .collect();
    checks.extend(exposed(key));
    checks
}

/// Returns the paths in the option `tls` of `listen`. A path that the source does not contain is the one in the variable with the usual
/// name. Returns `None` if no call of `listen` has the option, or if the sources have mistakes, which another check reports.
async fn of_source(project: &Project, context: &Context<'_>, mut variables: Paths) -> Option<Paths> {
    let time = build_time(context.environment).ok()?;
    let analysis = analyze_with(&request(project, &time), &Plugins(context.host), &())
        .await
        .ok()?;
    let option = analysis.program.application.tls?;
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
    Some(variables)
}

/// Returns a warning if this user cannot read a file. It is no failure, because the server may run on another machine or as another user.
fn readable(purpose: &str, path: &Path) -> Option<Check> {
    let error = File::open(path).err()?;
    let shown = path.display();
    Some(match error.kind() {
        ErrorKind::NotFound => Check::warn(NAME, format!("the {purpose} {shown} does not exist"))
            .help("this is no problem if the application listens with TLS only on another machine; run `kit doctor` there"),
        ErrorKind::PermissionDenied => {
            Check::warn(NAME, format!("you may not read the {purpose} {shown}"))
                .help("the user of the server must be able to read the file; run `kit doctor` as that user")
        }
        _ => Check::fail(NAME, format!("the {purpose} {shown} cannot be read: {error}"))
            .help("give the path of a file in PEM that the user of the server may read"),
    })
}

/// Checks the dates of the certificates in a file, and returns the worst result.
fn dates(path: &Path, now: SystemTime) -> Option<Check> {
    let found = CertificateDer::pem_file_iter(path).ok()?;
    let checks = found.filter_map(|certificate| {
        // The server has read the file, so these errors do not happen.
        let certificate = Certificate::from_der(&certificate.ok()?).ok()?;
        Some(dates_of(path, &certificate, now))
    });
    // The first of the worst results, because the server's own certificate comes first.
    checks.reduce(|worst, next| if next.status > worst.status { next } else { worst })
}

fn dates_of(path: &Path, certificate: &Certificate, now: SystemTime) -> Check {
    let validity = &certificate.tbs_certificate.validity;
    let path = path.display();
    let name = &certificate.tbs_certificate.subject;
    let (start, end) = (validity.not_before, validity.not_after);
    let advice = "renew the certificate; a running server notices new files";
    match end.to_system_time().duration_since(now) {
        Err(_) => Check::fail(
            NAME,
            format!("the certificate `{name}` in {path} was valid until {end}; clients refuse it"),
        )
        .help(advice),
        Ok(_) if start.to_system_time() > now => Check::fail(
            NAME,
            format!(
                "the certificate `{name}` in {path} is valid only after {start}; clients refuse it until then"
            ),
        )
        .help("check the clock of this machine, or use another certificate"),
        Ok(rest) if rest < SOON => Check::warn(
            NAME,
            format!(
                "the certificate `{name}` in {path} is valid only until {end}, less than {} days",
                rest.as_secs() / 86_400 + 1
            ),
        )
        .help(advice),
        Ok(_) => Check::ok(
            NAME,
            format!("the certificate `{name}` in {path} is valid until {end}"),
        ),
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
            "`chmod o= {key}`, with the group of the server if it is not the owner"
        ))
    })
}

#[cfg(not(unix))]
fn exposed(_key: &Path) -> Option<Check> {
    None
}
