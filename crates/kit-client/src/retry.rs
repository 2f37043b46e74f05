//! Repetitions of calls that failed for a reason that may pass.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, SystemTime};

use kit_runtime::shape::Shape;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Method, StatusCode};

/// Header with which a server executes repeated requests once.
const KEY_HEADER: &str = "idempotency-key";

/// Rules by which a client repeats calls. The client repeats only methods that can be repeated without harm (`GET`, `HEAD`,
/// `OPTIONS`, `PUT`, `DELETE`) and calls with the header `idempotency-key` of routes whose contract declares the header. A call
/// is repeated if the server cannot be reached, or if the status is 429, 502, 503 or 504. Bodies that are streams are sent once.
///
/// ```
/// use kit_client::{Client, ErrorPlaces, Retry};
///
/// # fn main() -> Result<(), kit_client::Error> {
/// let retry = Retry { limit: 5, ..Retry::default() };
/// let client = Client::new("https://api.example.com", ErrorPlaces::ENVELOPE)?.with_retry(retry);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Maximum number of repetitions of a call, 2 by default. 0 repeats nothing.
    pub limit: u32,
    /// Delay before the first repetition, 100 ms by default. The delay doubles with each repetition and has a random part. If the
    /// header `Retry-After` asks for a longer delay, the client waits for that time instead.
    pub delay: Duration,
    /// Longest delay, 10 s by default. If the header `Retry-After` asks for a longer delay, the call fails immediately.
    pub longest_delay: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            limit: 2,
            delay: Duration::from_millis(100),
            longest_delay: Duration::from_secs(10),
        }
    }
}

impl Retry {
    /// Returns the maximum number of repetitions of a request. `runs_once` is true if the server executes repeated requests
    /// once.
    pub(crate) fn limit_of(self, method: &Method, runs_once: bool) -> u32 {
        let is_idempotent = matches!(
            *method,
            Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE
        );
        if is_idempotent || runs_once { self.limit } else { 0 }
    }

    /// Returns the delay before a repetition, whose number begins at 0. Returns `None` if the server asks for a longer delay than
    /// allowed.
    pub(crate) fn delay_after(self, number: u32, response: Option<&HeaderMap>) -> Option<Duration> {
        let doubled = self.delay.saturating_mul(2_u32.saturating_pow(number));
        let own = doubled
            .saturating_add(random_part(doubled))
            .min(self.longest_delay);
        let header = response.and_then(|headers| headers.get(RETRY_AFTER));
        match header.and_then(|value| asked_delay(value.to_str().ok()?, SystemTime::now())) {
            Some(asked) if asked > self.longest_delay => None,
            Some(asked) => Some(asked.max(own)),
            None => Some(own),
        }
    }
}

/// Returns true if the server may respond in another way later. `409` with `Retry-After` means that the server is still executing an
/// earlier request with the same key.
pub(crate) fn may_pass(status: StatusCode, runs_once: bool, headers: &HeaderMap) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
        || (runs_once && status == StatusCode::CONFLICT && headers.contains_key(RETRY_AFTER))
}

/// Returns true if a request has a key.
pub(crate) fn has_key(headers: &HeaderMap) -> bool {
    headers.contains_key(KEY_HEADER)
}

/// Returns true if a type of headers declares the key, so that the server executes repeated requests once.
pub(crate) fn declares_key(headers: &'static Shape) -> bool {
    match headers.resolve() {
        Shape::Object(object) => {
            let mut properties = object.properties.iter();
            properties.any(|property| property.key.eq_ignore_ascii_case(KEY_HEADER))
        }
        _ => false,
    }
}

/// Returns the delay of a header `Retry-After`, which contains seconds or a date.
fn asked_delay(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        // A number that is too large for a duration is a delay that no caller allows.
        return (seconds.is_finite() && seconds >= 0.0)
            .then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    }
    httpdate::parse_http_date(text).ok()?.duration_since(now).ok()
}

/// Returns a random duration of up to a half of a delay, so that clients which failed at the same time do not repeat at the same time.
fn random_part(delay: Duration) -> Duration {
    // The keys of each `RandomState` are random.
    let random = RandomState::new().build_hasher().finish();
    delay / 2 * u32::try_from(random % 1_000).unwrap_or_default() / 1_000
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use kit_runtime::Contract;
    use kit_runtime::shape::{Property, Shape};
    use reqwest::Method;
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::{Retry, asked_delay};
    use crate::{Client, Error, ErrorPlaces, Undeclared};

    /// Headers of a route whose contract declares the key.
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Keys {
        #[serde(rename = "Idempotency-Key", skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    }

    impl Contract for Keys {
        const NAME: &'static str = "Keys";

        fn shape() -> &'static Shape {
            static SHAPE: Shape =
                Shape::object("Keys", &[Property::optional("Idempotency-Key", Shape::TEXT)]);
            &SHAPE
        }
    }

    /// Starts a server that sends each of these responses on a connection of its own. An empty response closes the connection.
    /// Returns the URL, and a task that resolves to the number of responses after all were sent.
    async fn server(responses: &'static [&'static str]) -> (String, tokio::task::JoinHandle<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move {
            for response in responses {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(socket.read_u8().await.unwrap());
                }
                socket.write_all(response.as_bytes()).await.unwrap();
            }
            responses.len()
        });
        (url, task)
    }

    const UNAVAILABLE: &str =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    const OK: &str = "HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
    const RUNNING: &str =
        "HTTP/1.1 409 Conflict\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    const LATER: &str = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 60\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

    fn client(url: &str) -> Client {
        let retry = Retry {
            delay: Duration::from_millis(1),
            ..Retry::default()
        };
        Client::new(url, ErrorPlaces::ENVELOPE).unwrap().with_retry(retry)
    }

    async fn status(client: &Client, method: Method) -> Result<u16, u16> {
        match client.call::<Undeclared>(method, &[]).send().await {
            Ok(answer) => Ok(answer.status()),
            Err(Error::Refused(refusal)) => Err(refusal.status.as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn repeats_a_call_until_the_server_responds_or_the_limit_is_reached() {
        let (url, sent) = server(&[UNAVAILABLE, "", OK]).await;
        assert_eq!(status(&client(&url), Method::GET).await, Ok(204));
        assert_eq!(sent.await.unwrap(), 3);
        let (url, sent) = server(&[UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]).await;
        assert_eq!(status(&client(&url), Method::DELETE).await, Err(503));
        assert_eq!(sent.await.unwrap(), 3);
    }

    #[tokio::test]
    async fn repeats_post_only_with_an_idempotency_key_that_the_contract_declares() {
        let with_key = |client: Client| client.with_header("idempotency-key", "one").unwrap();
        for has_key in [false, true] {
            let (url, sent) = server(&[UNAVAILABLE]).await;
            let client = client(&url);
            let client = if has_key { with_key(client) } else { client };
            assert_eq!(status(&client, Method::POST).await, Err(503), "{has_key}");
            assert_eq!(sent.await.unwrap(), 1);
        }
        let key = |key: Option<&str>| Keys {
            key: key.map(str::to_owned),
        };
        // The call has the key, or all calls of the client.
        for (all, own) in [(false, Some("one")), (true, None)] {
            let (url, sent) = server(&[UNAVAILABLE, RUNNING, OK]).await;
            let client = client(&url);
            let client = if all { with_key(client) } else { client };
            let call = client.call::<Undeclared>(Method::POST, &[]).headers(&key(own));
            assert_eq!(call.send().await.unwrap().status(), 204, "{all}");
            assert_eq!(sent.await.unwrap(), 3);
        }
        let (url, sent) = server(&[UNAVAILABLE]).await;
        let client = client(&url);
        let call = client.call::<Undeclared>(Method::POST, &[]).headers(&key(None));
        assert!(call.send().await.is_err());
        assert_eq!(sent.await.unwrap(), 1);
    }

    #[tokio::test]
    async fn fails_at_once_if_the_server_asks_for_a_long_delay_or_no_time_is_left() {
        let (url, sent) = server(&[LATER]).await;
        assert_eq!(status(&client(&url), Method::GET).await, Err(503));
        assert_eq!(sent.await.unwrap(), 1);
        let (url, sent) = server(&[UNAVAILABLE]).await;
        let slow = Retry {
            delay: Duration::from_secs(8),
            ..Retry::default()
        };
        let client = client(&url).with_retry(slow).with_timeout(Duration::from_secs(5));
        assert_eq!(status(&client, Method::GET).await, Err(503));
        assert_eq!(sent.await.unwrap(), 1);
    }

    #[test]
    fn the_delay_doubles_up_to_the_longest_and_is_never_shorter_than_the_server_asks() {
        let retry = Retry::default();
        for (number, least, most) in [
            (0, 100, 150),
            (1, 200, 300),
            (3, 800, 1_200),
            (40, 10_000, 10_000),
        ] {
            let delay = retry.delay_after(number, None).unwrap().as_millis();
            assert!((least..=most).contains(&delay), "{number}: {delay}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static("2"));
        assert_eq!(retry.delay_after(0, Some(&headers)), Some(Duration::from_secs(2)));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("11"));
        assert_eq!(retry.delay_after(0, Some(&headers)), None);
    }

    #[test]
    fn reads_seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        let seconds = |text| asked_delay(text, now).map(|delay| delay.as_secs());
        assert_eq!(seconds("7"), Some(7));
        assert_eq!(asked_delay("1e300", now), Some(Duration::MAX));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(7));
        for text in ["", "soon", "-1", "inf", "Sun, 06 Nov 1994 08:49:20 GMT"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
