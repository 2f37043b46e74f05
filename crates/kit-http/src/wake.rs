//! A flag in place of the wakers of an asynchronous runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

/// Flag that a library sets if it must be polled again.
pub(crate) struct WakeFlag {
    flag: Arc<Flag>,
    waker: Waker,
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Default for WakeFlag {
    fn default() -> Self {
        let flag = Arc::new(Flag::default());
        Self {
            waker: Waker::from(Arc::clone(&flag)),
            flag,
        }
    }
}

impl WakeFlag {
    /// Returns the context with which a library is polled.
    pub(crate) fn context(&self) -> Context<'_> {
        Context::from_waker(&self.waker)
    }

    pub(crate) fn clear(&self) {
        self.flag.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn set(&self) {
        self.flag.0.store(true, Ordering::Relaxed);
    }

    /// Returns true if the library must be polled again.
    pub(crate) fn is_set(&self) -> bool {
        self.flag.0.load(Ordering::Relaxed)
    }
}
