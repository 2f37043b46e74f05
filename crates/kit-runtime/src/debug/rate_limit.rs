//! Limit of the requests that one client may send to the sidecar.

use std::collections::HashMap;
use std::net::IpAddr;

/// Maximum number of requests that one client may send in a window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RateLimit {
    pub(super) window_ms: u64,
    pub(super) max: u64,
}

/// Maximum number of clients in one generation. A greater number would not help: a client with thousands of addresses cannot
/// be limited by address.
const GENERATION_SIZE: usize = 5_000;

#[derive(Debug)]
struct Client {
    count: u64,
    ends_at: u64,
}

/// Counts the requests of each client in windows of time. Uses limited memory: the clients are in two generations, and the
/// older generation is dropped if the younger one is full or older than one window.
#[derive(Debug)]
pub(super) struct RateLimiter {
    limit: RateLimit,
    older: HashMap<u128, Client>,
    younger: HashMap<u128, Client>,
    younger_ends_at: u64,
}

impl RateLimiter {
    pub(super) fn new(limit: RateLimit) -> Self {
        Self {
            limit,
            older: HashMap::new(),
            younger: HashMap::new(),
            younger_ends_at: 0,
        }
    }

    /// Counts a request at a time in milliseconds. Returns 0 if the request is allowed, otherwise the milliseconds until the
    /// client may send a request again.
    pub(super) fn count(&mut self, address: IpAddr, now: u64) -> u64 {
        if now >= self.younger_ends_at || self.younger.len() >= GENERATION_SIZE {
            self.older = std::mem::take(&mut self.younger);
            self.younger_ends_at = now + self.limit.window_ms;
        }
        let key = client_of(address);
        let known = match self.younger.get_mut(&key) {
            Some(client) => Some(client),
            None => self.older.get_mut(&key),
        };
        if let Some(client) = known.filter(|client| client.ends_at > now) {
            client.count += 1;
            return if client.count > self.limit.max {
                client.ends_at - now
            } else {
                0
            };
        }
        let ends_at = now + self.limit.window_ms;
        self.younger.insert(key, Client { count: 1, ends_at });
        0
    }
}

/// Returns the number that identifies a client: the IPv4 address, or the first 64 bits of an IPv6 address, because a client
/// usually has all addresses of such a network.
fn client_of(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V4(address) => u128::from(u32::from(address)),
        IpAddr::V6(address) => u128::from(address) >> 64 << 64 | 1 << 63,
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{GENERATION_SIZE, RateLimit, RateLimiter};

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn limits_each_client_in_each_window() {
        let mut limiter = RateLimiter::new(RateLimit {
            window_ms: 1_000,
            max: 2,
        });
        let (one, other) = (address("10.0.0.1"), address("10.0.0.2"));
        assert_eq!([0, 10, 20].map(|now| limiter.count(one, now)), [0, 0, 980]);
        assert_eq!(limiter.count(other, 20), 0);
        assert_eq!(limiter.count(one, 1_000), 0);
        let network = ["2001:db8::1", "2001:db8::2", "2001:db8::3"];
        assert_eq!(
            network.map(|text| limiter.count(address(text), 1_000) > 0),
            [false, false, true]
        );
    }

    #[test]
    fn forgets_clients_if_there_are_too_many() {
        let mut limiter = RateLimiter::new(RateLimit {
            window_ms: 1_000_000,
            max: 1,
        });
        for number in 0..20_000_u32 {
            limiter.count(IpAddr::V4(number.into()), 0);
        }
        assert!(limiter.older.len() + limiter.younger.len() <= 2 * GENERATION_SIZE);
    }
}
