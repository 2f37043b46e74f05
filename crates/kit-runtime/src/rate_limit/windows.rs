//! Counts of the clients of one limit, in memory.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Windows of one length. They end in the order of their beginning, so the list has the oldest first.
pub(super) struct Windows {
    length: Duration,
    max_clients: usize,
    by_client: HashMap<Arc<str>, Window>,
    /// Clients in the order in which their windows end.
    order: VecDeque<Arc<str>>,
}

struct Window {
    count: u64,
    end: Instant,
}

impl Windows {
    pub(super) fn new(length: Duration, max_clients: usize) -> Self {
        Self {
            length,
            max_clients,
            by_client: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Counts a request. Begins a window if the client has none. Returns the number of requests in the window, and the time
    /// until its end.
    pub(super) fn count(&mut self, client: String, now: Instant) -> (u64, Duration) {
        while self.oldest_end().is_some_and(|end| end <= now) {
            self.remove_oldest();
        }
        if let Some(window) = self.by_client.get_mut(client.as_str()) {
            window.count += 1;
            return (window.count, window.end.duration_since(now));
        }
        if self.by_client.len() >= self.max_clients {
            self.remove_oldest();
        }
        let client: Arc<str> = client.into();
        let end = now + self.length;
        self.by_client
            .insert(Arc::clone(&client), Window { count: 1, end });
        self.order.push_back(client);
        (1, self.length)
    }

    fn oldest_end(&self) -> Option<Instant> {
        Some(self.by_client.get(self.order.front()?)?.end)
    }

    fn remove_oldest(&mut self) {
        if let Some(client) = self.order.pop_front() {
            self.by_client.remove(&client);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Windows;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn counts_each_client_until_the_end_of_its_window() {
        let mut windows = Windows::new(10 * SECOND, 100);
        let start = Instant::now();
        let mut count = |client: &str, after: u32| windows.count(client.to_owned(), start + after * SECOND);
        assert_eq!(count("ada", 0), (1, 10 * SECOND));
        assert_eq!(count("bob", 4), (1, 10 * SECOND));
        assert_eq!(count("ada", 9), (2, SECOND));
        assert_eq!(count("ada", 10), (1, 10 * SECOND));
        assert_eq!(count("bob", 13), (2, SECOND));
    }

    #[test]
    fn forgets_the_oldest_window_if_there_are_too_many_clients() {
        let mut windows = Windows::new(10 * SECOND, 1000);
        let start = Instant::now();
        for client in 0..100_000 {
            windows.count(client.to_string(), start);
        }
        assert_eq!((windows.by_client.len(), windows.order.len()), (1000, 1000));
        assert_eq!(windows.count("99999".to_owned(), start).0, 2);
        assert_eq!(windows.count("0".to_owned(), start).0, 1);
        windows.count("later".to_owned(), start + 10 * SECOND);
        assert_eq!((windows.by_client.len(), windows.order.len()), (1, 1));
    }
}
