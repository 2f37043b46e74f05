//! Keys of a JWK set at a URL.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::fetch::Location;
use super::keys::KeySet;

/// Times of the cache for keys from a URL.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::jwt::KeyCache;
///
/// let cache = KeyCache { max_age: Duration::from_secs(60), ..KeyCache::default() };
/// assert_eq!(cache.cooldown, Duration::from_secs(30));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyCache {
    /// Age after which keys are fetched again. Default: 10 minutes.
    pub max_age: Duration,
    /// Age up to which keys are used while the URL does not answer. Afterwards, requests get 503. Default: a day.
    pub max_stale: Duration,
    /// Shortest time between a fetch and another that an unknown `kid` causes. Default: 30 seconds.
    pub cooldown: Duration,
    /// Shortest time between a failed fetch and the next. Default: 5 seconds.
    pub retry: Duration,
    /// Longest time of one fetch. Default: 5 seconds.
    pub timeout: Duration,
}

impl Default for KeyCache {
    fn default() -> Self {
        Self {
            max_age: Duration::from_secs(600),
            max_stale: Duration::from_secs(86_400),
            cooldown: Duration::from_secs(30),
            retry: Duration::from_secs(5),
            timeout: Duration::from_secs(5),
        }
    }
}

/// Keys of a JWK set at a URL. The keys are fetched when the first token needs them, again when they are old, and again
/// when a token names an unknown key, because the issuer may have replaced its keys. If the URL does not answer, the keys
/// that are known stay in use until `max_stale`.
pub(super) struct RemoteKeys {
    location: Location,
    cache: KeyCache,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    keys: Option<Arc<KeySet>>,
    /// Time of the last fetch that succeeded.
    fetched: Option<Instant>,
    /// Time of the last fetch that failed, if none succeeded since.
    failed: Option<Instant>,
    /// Result of the fetch in progress.
    running: Option<watch::Receiver<Option<bool>>>,
}

impl RemoteKeys {
    pub(super) fn new(location: Location, cache: KeyCache) -> Arc<Self> {
        let max_stale = cache.max_stale.max(cache.max_age);
        Arc::new(Self {
            location,
            cache: KeyCache { max_stale, ..cache },
            state: Mutex::default(),
        })
    }

    /// Returns the keys. `fits` tells if they have a key for the token. Returns `None` if the keys cannot be fetched.
    pub(super) async fn keys(self: &Arc<Self>, fits: impl Fn(&KeySet) -> bool) -> Option<Arc<KeySet>> {
        if self.is_older_than(self.cache.max_age) {
            let (has_keys, has_failed) = {
                let state = self.state();
                (state.keys.is_some(), state.failed.is_some())
            };
            let refreshed = self.refresh();
            // While the URL does not answer, only the first request waits for it.
            if !has_keys || !has_failed {
                refreshed.await;
            }
        }
        if self.is_older_than(self.cache.max_stale) {
            return None;
        }
        let known = self.state().keys.clone()?;
        if fits(&known) || !self.is_older_than(self.cache.cooldown) {
            return Some(known);
        }
        // The key may be new, so without an answer nobody knows if the token is valid.
        if !self.refresh().await {
            return None;
        }
        self.state().keys.clone()
    }

    /// Returns the seconds after which a client may try again.
    pub(super) fn retry_after(&self) -> u64 {
        let seconds = self.cache.retry.as_millis().div_ceil(1000);
        u64::try_from(seconds).map_or(1, |seconds| seconds.max(1))
    }

    /// Returns the host that has the keys.
    pub(super) fn host(&self) -> &str {
        self.location.authority()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_older_than(&self, age: Duration) -> bool {
        self.state().fetched.is_none_or(|at| at.elapsed() > age)
    }

    /// Fetches the keys, at most once at a time. The fetch goes on if the request that caused the fetch ends, so that
    /// clients who leave cannot cause more fetches.
    fn refresh(self: &Arc<Self>) -> impl Future<Output = bool> + use<> {
        let mut result = self.begin();
        async move {
            let Some(result) = &mut result else {
                return false;
            };
            let ended = result.wait_for(Option::is_some).await;
            ended.is_ok_and(|succeeded| *succeeded == Some(true))
        }
    }

    /// Begins a fetch, unless there is one in progress. Returns `None` if the last fetch has just failed.
    fn begin(self: &Arc<Self>) -> Option<watch::Receiver<Option<bool>>> {
        let mut state = self.state();
        if state.failed.is_some_and(|at| at.elapsed() < self.cache.retry) {
            return None;
        }
        // The sender exists until the fetch has ended.
        if let Some(running) = state
            .running
            .as_ref()
            .filter(|running| running.has_changed().is_ok())
        {
            return Some(running.clone());
        }
        let (sender, receiver) = watch::channel(None);
        state.running = Some(receiver.clone());
        let own = Arc::clone(self);
        tokio::spawn(async move {
            let succeeded = own.load().await;
            sender.send_replace(Some(succeeded));
        });
        Some(receiver)
    }

    async fn load(&self) -> bool {
        let fetched = match tokio::time::timeout(self.cache.timeout, self.location.fetch()).await {
            Ok(Ok(text)) => KeySet::read(&text),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err(format!("no answer within {:?}", self.cache.timeout)),
        };
        let mut state = self.state();
        state.running = None;
        match fetched {
            Ok(keys) => {
                state.keys = Some(Arc::new(keys));
                state.fetched = Some(Instant::now());
                state.failed = None;
                true
            }
            Err(error) => {
                state.failed = Some(Instant::now());
                drop(state);
                tracing::warn!(
                    host = self.host(),
                    error,
                    "The keys that verify tokens cannot be fetched"
                );
                false
            }
        }
    }
}
