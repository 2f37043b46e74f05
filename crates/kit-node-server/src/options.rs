//! Options that JavaScript passes to `create`, as JSON.

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use kit_http::{
    BodyPart, BodyRule, BodyRules, Config, DefaultHeaders, ErrorBodies, ErrorBody, Limits, ResponseError,
    Timeouts, normal_target,
};
use kit_router::{CompiledRouteTree, Match, ParamBuffer, RouteTree};
use kit_static::Site;
use serde::Deserialize;

use crate::server::Files;
use crate::tls::TlsOptions;

/// Options of a server, as JavaScript passes them to `create`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    pub(crate) tree: CompiledRouteTree,
    /// References of the routes, such as `GET /notes/:id`. The index of a route is its number.
    pub(crate) routes: Vec<String>,
    host: Option<String>,
    port: u16,
    /// Path of a Unix socket on which the server listens instead of host and port.
    path: Option<PathBuf>,
    /// True if other processes listen on the same port too. See `reserve`.
    #[serde(default)]
    share_port: bool,
    /// File descriptor of a listening socket that this process inherited. If it is set, host, port, path
    /// and `share_port` are ignored.
    pub(crate) fd: Option<i32>,
    backlog: Option<u32>,
    body_bytes: usize,
    /// Maximum sizes of request bodies by the number of the route. They replace `body_bytes`. Empty if no
    /// route has its own maximum.
    #[serde(default)]
    body_limits: Vec<usize>,
    /// True for each route whose handlers read request bodies in chunks, by the number of the route. Empty if
    /// there is no such route.
    #[serde(default)]
    streamed_bodies: Vec<bool>,
    /// Minimum number of bytes per second of bodies that handlers read in chunks, by the number of the route. A negative
    /// number means that the rate of the server applies. Empty if no route has its own rate.
    #[serde(default)]
    body_rates: Vec<i64>,
    #[serde(default)]
    limits: LimitOptions,
    #[serde(default)]
    timeouts: TimeoutOptions,
    /// Headers of every response: name, value, name, value.
    #[serde(default)]
    default_headers: Vec<String>,
    /// Format of error responses. If absent, the format is kit's envelope.
    error_bodies: Option<ErrorBodyOptions>,
    /// Static files that are served without JavaScript.
    files: Option<FilesOptions>,
    /// Files of TLS. If absent, the server has no TLS.
    pub(crate) tls: Option<TlsOptions>,
}

/// Static files. `packages/types/src/files.ts` explains the properties.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FilesOptions {
    sites: Vec<SiteOptions>,
    reserved: Vec<String>,
    headers: Vec<String>,
    depends_on_origin: bool,
}

/// Directory whose files are served.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each flag is an option")]
struct SiteOptions {
    root: PathBuf,
    prefix: String,
    headers: Vec<String>,
    precompressed: bool,
    spa: Option<Vec<String>>,
    spa_except: Vec<String>,
    dot_files: bool,
    follow_symlinks: bool,
}

impl SiteOptions {
    fn read(&self) -> io::Result<Site> {
        let mut site = Site::new(&self.root).prefix(&self.prefix);
        for pair in self.headers.chunks_exact(2) {
            site = site.header(&pair[0], &pair[1]);
        }
        if let Some(names) = &self.spa {
            let except: Vec<_> = self.spa_except.iter().map(String::as_str).collect();
            site = site.spa(&names.join("/"), &except);
        }
        if self.precompressed {
            site = site.precompressed();
        }
        if self.dot_files {
            site = site.dot_files();
        }
        if self.follow_symlinks {
            site = site.follow_symlinks();
        }
        site.resolve()
    }
}

/// Format of the error responses that the engine sends without JavaScript.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ErrorBodyOptions {
    content_type: String,
    bodies: Vec<ErrorBodyOption>,
}

/// Body of one error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ErrorBodyOption {
    status: u16,
    message: String,
    parts: Vec<PartOption>,
}

/// Part of an error body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum PartOption {
    Text(String),
    Id(IdForm),
}

/// Form of the trace id in an error body.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
enum IdForm {
    Hex,
    Uuid,
}

impl ErrorBodyOptions {
    fn read(&self) -> Result<ErrorBodies, ResponseError> {
        let bodies = self.bodies.iter().map(|body| ErrorBody {
            status: body.status,
            message: body.message.clone(),
            parts: body.parts.iter().map(PartOption::read).collect(),
        });
        ErrorBodies::new(&self.content_type, bodies.collect())
    }
}

impl PartOption {
    fn read(&self) -> BodyPart {
        match self {
            Self::Text(text) => BodyPart::Text(text.clone()),
            Self::Id(IdForm::Hex) => BodyPart::TraceId,
            Self::Id(IdForm::Uuid) => BodyPart::Uuid,
        }
    }
}

/// Limits of the engine. A limit that is missing has its default.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LimitOptions {
    head_bytes: Option<usize>,
    header_fields: Option<usize>,
    target_bytes: Option<usize>,
    connections: Option<usize>,
    discarded_bytes: Option<usize>,
    discarding: Option<usize>,
}

/// Timeouts of the engine in milliseconds. A timeout that is missing has its default.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TimeoutOptions {
    head: Option<u64>,
    body: Option<u64>,
    body_idle: Option<u64>,
    body_rate: Option<u32>,
    idle: Option<u64>,
    write: Option<u64>,
    discard: Option<u64>,
    discard_total: Option<u64>,
}

impl Options {
    /// Returns the configuration of the engine, or an error if a default header or the content
    /// type of errors is invalid. `tree` contains the routes
    /// whose body limits are configured.
    pub(crate) fn config(&self, tree: &RouteTree) -> Result<Config, ResponseError> {
        let defaults = Timeouts::default();
        let (limits, standard) = (&self.limits, Limits::default());
        let time = |given: Option<u64>, default: Duration| given.map_or(default, Duration::from_millis);
        let pairs = self.default_headers.chunks_exact(2);
        let default_headers = DefaultHeaders::new(pairs.map(|pair| (pair[0].as_str(), pair[1].as_str())))?;
        let error_bodies = self
            .error_bodies
            .as_ref()
            .map(ErrorBodyOptions::read)
            .transpose()?;
        Ok(Config {
            host: self.host.clone(),
            port: self.port,
            path: self.path.clone(),
            share_port: self.share_port,
            backlog: self.backlog.unwrap_or(Config::default().backlog),
            limits: Limits {
                body_bytes: self.body_bytes,
                head_bytes: limits.head_bytes.unwrap_or(standard.head_bytes),
                header_fields: limits.header_fields.unwrap_or(standard.header_fields),
                target_bytes: limits.target_bytes.unwrap_or(standard.target_bytes),
                connections: limits.connections.unwrap_or(standard.connections),
                discarded_bytes: limits.discarded_bytes.unwrap_or(standard.discarded_bytes),
                discarding: limits.discarding.unwrap_or(standard.discarding),
            },
            timeouts: Timeouts {
                head: time(self.timeouts.head, defaults.head),
                body: time(self.timeouts.body, defaults.body),
                body_idle: time(self.timeouts.body_idle, defaults.body_idle),
                body_rate: self.timeouts.body_rate.unwrap_or(defaults.body_rate),
                idle: time(self.timeouts.idle, defaults.idle),
                write: time(self.timeouts.write, defaults.write),
                discard: time(self.timeouts.discard, defaults.discard),
                discard_total: time(self.timeouts.discard_total, defaults.discard_total),
                ..defaults
            },
            default_headers,
            error_bodies: error_bodies.unwrap_or_default(),
            body_rules: self.rules_by_route(tree),
            tls: None,
        })
    }

    /// Returns the static files, or an error if a directory does not exist.
    pub(crate) fn files(&self) -> io::Result<Option<Files>> {
        let Some(files) = &self.files else { return Ok(None) };
        let sites = files.sites.iter().map(SiteOptions::read);
        let pairs = files.headers.chunks_exact(2);
        Ok(Some(Files::new(
            sites.collect::<Result<_, _>>()?,
            files.reserved.clone(),
            pairs.map(|pair| (pair[0].clone(), pair[1].clone())).collect(),
            files.depends_on_origin,
        )))
    }

    fn rules_by_route(&self, tree: &RouteTree) -> Option<BodyRules> {
        if self.body_limits.is_empty() && self.streamed_bodies.is_empty() {
            return None;
        }
        let largest = self.body_limits.iter().copied().max().unwrap_or(self.body_bytes);
        let (limits, streamed) = (self.body_limits.clone(), self.streamed_bodies.clone());
        let rates = self.body_rates.clone();
        let router = tree.router();
        Some(BodyRules::new(largest, move |method, path| {
            // The handler's route is found with the same form of the path.
            let path = if path.contains('%') {
                normal_target(path)
            } else {
                Cow::Borrowed(path)
            };
            match router.find(method, &path, &mut ParamBuffer::new()) {
                Match::Route(number) => {
                    let number = usize::try_from(number).unwrap_or(usize::MAX);
                    BodyRule {
                        limit: limits.get(number).copied(),
                        is_streamed: streamed.get(number).copied().unwrap_or(false),
                        rate: rates.get(number).and_then(|rate| u32::try_from(*rate).ok()),
                    }
                }
                _ => BodyRule::default(),
            }
        }))
    }
}
