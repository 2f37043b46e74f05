//! Scoped parallel work: all threads have stopped when the call returns.
//!
//! Each phase of a build that does the same work for many items uses this crate: parsing files, creating artifacts,
//! writing artifacts.
//!
//! Invariants:
//! - No thread outlives the call. An addon must not have background threads, because Node unloads the addon when a worker
//!   exits.
//! - Results have the order of the items, independent of the threads, so output does not depend on scheduling.
//! - A panic in the work of an item becomes a panic of the call, with the same message.
//!
//! ```
//! let squares = kit_parallel::map(&[1, 2, 3], |number| number * number);
//! assert_eq!(squares, [1, 4, 9]);
//! ```

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

/// Maximum number of threads. More threads do not make a build of usual size faster, and starting a thread costs time.
const MOST: usize = 8;

/// Applies `work` to every item and returns the results in the order of the items. A thread takes the next
/// item as soon as it has finished one. So put items that need the longest time first.
///
/// # Panics
///
/// Panics with the message of `work` if `work` panics.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(threads(items.len()), items, work)
}

/// Runs two functions at the same time, and returns their results.
///
/// # Panics
///
/// Panics with the message of a function that panics.
///
/// ```
/// assert_eq!(kit_parallel::join(|| 1, || "a"), (1, "a"));
/// ```
pub fn join<A: Send, B>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B) -> (A, B) {
    let first = Mutex::new(Some(first));
    // The lock is free while the function runs, so a panic does not poison it.
    let take = || first.lock().unwrap_or_else(PoisonError::into_inner).take();
    let run = || take().map(|first| first());
    thread::scope(|scope| {
        // If the operating system refuses to start a thread, the functions run one after the other.
        let helper = thread::Builder::new().spawn_scoped(scope, run).ok();
        let second = second();
        let first = match helper.map(thread::ScopedJoinHandle::join) {
            Some(Ok(first)) => first,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => run(),
        };
        (first.expect("the function runs once"), second)
    })
}

/// Returns the number of threads to use: the number of cores, at most [`MOST`] and at most the number of items.
fn threads(items: usize) -> usize {
    // If the number of cores is not available, one thread is the safe choice.
    // The number is kept, because on Linux each question reads files.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get));
    cores.min(MOST).min(items)
}

fn map_on<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if threads < 2 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::with_capacity(items.len() / threads + 1);
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut results: Vec<Option<R>> = Vec::new();
    results.resize_with(items.len(), || None);
    let mut keep = |done: Vec<(usize, R)>| {
        for (index, result) in done {
            results[index] = Some(result);
        }
    };
    thread::scope(|scope| {
        // If the operating system refuses to start a thread, the work only becomes slower: the threads that exist take
        // all items.
        let helpers: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, take).ok())
            .collect();
        keep(take());
        for helper in helpers {
            match helper.join() {
                Ok(done) => keep(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    results
        .into_iter()
        .map(|result| result.expect("every item is taken once, and every thread was waited for"))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::map_on;

    #[test]
    fn returns_results_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1_000).collect();
        for threads in [1, 2, 7] {
            let results = map_on(threads, &items, |item| {
                if item % 100 == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                item * 2
            });
            assert_eq!(results, items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn returns_an_empty_list_for_no_items() {
        assert!(map_on(4, &[], |item: &u8| *item).is_empty());
    }

    #[test]
    #[should_panic(expected = "item 70 is bad")]
    fn panics_with_the_message_of_the_work_that_panicked() {
        let items: Vec<u32> = (0..100).collect();
        map_on(4, &items, |item| assert!(*item != 70, "item {item} is bad"));
    }
}
