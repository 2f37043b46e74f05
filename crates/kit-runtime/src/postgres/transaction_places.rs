//! Limits the transactions of requests, so that a pool keeps a connection for other queries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx::PgPool;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Right of a transaction of a request to hold a connection.
pub(super) type Place = OwnedSemaphorePermit;

/// Places of pools, by the address of their options. sqlx has no other identity of a pool.
static PLACES: Mutex<Option<HashMap<usize, PoolPlaces>>> = Mutex::new(None);

struct PoolPlaces {
    connections: u32,
    free: Arc<Semaphore>,
}

/// Waits until a transaction of a request may take a connection of a pool. The transactions of requests together leave one
/// connection free. Otherwise, handlers that use the pool itself inside of such a transaction, for example to store a
/// session, would all wait for each other.
///
/// # Errors
///
/// If the wait takes longer than the pool allows for a connection.
pub(super) async fn take_place(pool: &PgPool) -> Result<Place, sqlx::Error> {
    let wait = free_places(pool).acquire_owned();
    let taken = tokio::time::timeout(pool.options().get_acquire_timeout(), wait).await;
    // The semaphore is never closed.
    taken.ok().and_then(Result::ok).ok_or(sqlx::Error::PoolTimedOut)
}

fn free_places(pool: &PgPool) -> Arc<Semaphore> {
    let options = pool.options();
    let address = std::ptr::from_ref(options).addr();
    let connections = options.get_max_connections();
    let mut guard = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    let known = guard.get_or_insert_default();
    if let Some(places) = known.get(&address) {
        // A pool may have the address of an earlier pool, whose transactions have ended.
        if places.connections == connections {
            return Arc::clone(&places.free);
        }
    }
    // Pools without transactions are forgotten. Each transaction shares the semaphore.
    known.retain(|_, places| Arc::strong_count(&places.free) > 1);
    let number = usize::try_from(connections).unwrap_or(Semaphore::MAX_PERMITS);
    let free = Arc::new(Semaphore::new(
        number.saturating_sub(1).clamp(1, Semaphore::MAX_PERMITS),
    ));
    let places = PoolPlaces {
        connections,
        free: Arc::clone(&free),
    };
    known.insert(address, places);
    free
}
