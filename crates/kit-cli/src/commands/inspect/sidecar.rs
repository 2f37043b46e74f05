//! Client of the debug sidecar of a running application.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use crate::context::Context;
use crate::failure::{CommandError, Problem};

/// Maximum time to wait for a response. The sidecar has its data in memory, so it normally responds within
/// milliseconds.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response in bytes. The sidecar's data is much smaller.
const MAX_RESPONSE_BYTES: u64 = 64 * 1024 * 1024;

/// Sends a request with query parameters to the sidecar and returns the JSON of the response. Also sends
/// `KIT_DEBUG_KEY`, which a sidecar in production requires.
pub(super) fn request(
    path: &str,
    query: &[(&str, &str)],
    port: u16,
    context: &Context<'_>,
) -> Result<Value, CommandError> {
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        // Use no proxy: the sidecar runs on this machine, which a proxy cannot reach.
        .proxy(None)
        .max_redirects(0)
        .build()
        .into();
    let url = format!("http://127.0.0.1:{port}{path}");
    let mut request = agent.get(&url).query_pairs(query.iter().copied());
    let key = context.environment.var("KIT_DEBUG_KEY");
    if let Some(key) = &key {
        request = request.header("x-debug-key", key);
    }
    let mut response = request.call().map_err(|error| unreachable(&error, port))?;
    let status = response.status().as_u16();
    let text = response
        .body_mut()
        .with_config()
        .limit(MAX_RESPONSE_BYTES)
        .read_to_string()
        .map_err(|error| unreachable(&error, port))?;
    match status {
        200 => serde_json::from_str(&text).map_err(|error| {
            let message =
                format!("port {port} is used by another program, not by a debug sidecar: {url} did not return JSON ({error})");
            Problem::inspection(message).help(WHERE).into()
        }),
        _ => Err(refused(status, &text, &url, key.is_some())),
    }
}

const WHERE: &str = "name its port with --debug-port";

fn unreachable(error: &ureq::Error, port: u16) -> CommandError {
    let nobody = matches!(error, ureq::Error::Io(cause) if cause.kind() == std::io::ErrorKind::ConnectionRefused)
        || matches!(error, ureq::Error::ConnectionFailed);
    let (message, help) = if let ureq::Error::Timeout(_) = error {
        (
            format!(
                "the program on port {port} did not answer within {} s",
                TIMEOUT.as_secs()
            ),
            "if it is the debug sidecar, the application may be busy or stopped in a debugger: try again, or restart the application; \
             if it is another program, name the sidecar's port with --debug-port",
        )
    } else if let ureq::Error::BodyExceedsLimit(limit) = error {
        (
            format!("the program on port {port} answered with more than {limit} bytes"),
            "if it is the debug sidecar, ask for fewer items with --last; if it is another program, name the sidecar's port with \
             --debug-port",
        )
    } else if nobody {
        (
            format!("no debug sidecar listens on port {port}"),
            "start the app with `debugPlugin()` of @kit/plugin-debug among the `plugins` of createApp (`kit dev` adds none), \
             or name the sidecar's port with --debug-port",
        )
    } else {
        (
            format!("cannot connect to the debug sidecar on port {port}: {error}"),
            WHERE,
        )
    };
    Problem::inspection(message).help(help).into()
}

fn refused(status: u16, text: &str, url: &str, with_key: bool) -> CommandError {
    let body = serde_json::from_str::<Value>(text).ok();
    let code = body.as_ref().and_then(|body| body.pointer("/error/code"));
    let said = body
        .as_ref()
        .and_then(|body| body.pointer("/error/message").or_else(|| body.get("message")))
        .and_then(Value::as_str);
    if code.and_then(Value::as_str) == Some("ROUTE_NOT_FOUND")
        && let Some((message, help)) = said.and_then(|said| said.rsplit_once("; "))
    {
        return Problem::inspection(message.to_owned()).help(help).into();
    }
    let message = match said {
        Some(said) => format!("{url} answered {status}: {said}"),
        None => format!("{url} answered {status}"),
    };
    let help = match status {
        401 if with_key => "KIT_DEBUG_KEY must be the `apiKey` of the application's debug plugin",
        401 => "set the environment variable KIT_DEBUG_KEY to the `apiKey` of the application's debug plugin",
        403 => "this machine's address is not in the sidecar's allowlist",
        404 => {
            "the program on this port is not a sidecar, or has another version of @kit/plugin-debug: name the port of the sidecar with --debug-port"
        }
        429 => "the sidecar received too many requests: wait a few seconds, and try again",
        _ => WHERE,
    };
    Problem::inspection(message).help(help).into()
}
