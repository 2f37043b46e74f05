//! Work on several threads that are gone when the call returns.
//!
//! Where it stands: below every phase of a build that has many equal pieces: parsing files, making artifacts, writing them.
//!
//! Invariants:
//! - No thread outlives the call: an addon may have none in the background, since Node unloads it when a worker ends.
//! - Results come in the order of the items, whatever the threads do, so that output does not depend on them.
//! - A panic of a piece is the panic of the call, with its own message.
//!
//! ```
//! let squares = kit_parallel::map(&[1, 2, 3], |number| number * number);
//! assert_eq!(squares, [1, 4, 9]);
//! ```

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads than this gain nothing for a build's sizes and cost their start.
const MOST: usize = 8;

/// Applies `work` to every item. The threads take the next item as soon as they are done with one, so long ones are best
/// put first.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(threads(items.len()), items, work)
}

/// How many threads are worth it: as many as there are cores, and none without a second item to work on.
fn threads(items: usize) -> usize {
    // Where the number of cores is not known, one is the safe guess.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
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
        // A system that gives no thread makes the work slower, not impossible: the ones that there are take all items.
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
    fn results_keep_the_order_of_the_items() {
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
    fn there_may_be_nothing_to_do() {
        assert!(map_on(4, &[], |item: &u8| *item).is_empty());
    }

    #[test]
    #[should_panic(expected = "item 70 is bad")]
    fn a_panic_keeps_its_message() {
        let items: Vec<u32> = (0..100).collect();
        map_on(4, &items, |item| assert!(*item != 70, "item {item} is bad"));
    }
}
