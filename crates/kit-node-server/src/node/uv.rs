//! Watches a file descriptor and a timer on libuv's event loop, and runs work on its thread pool.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::os::fd::RawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{self, NonNull};
use std::rc::Rc;

use napi_sys as sys;

use super::env::{Env, Error};

// Values from libuv's `uv.h`. They are stable within a major version of libuv, which Node-API guarantees.
const UV_POLL: c_int = 8;
const UV_TIMER: c_int = 13;
const UV_READABLE: c_int = 1;
/// Kind of a request, not of a handle.
const UV_WORK: c_int = 7;

type PollCallback = unsafe extern "C" fn(*mut c_void, c_int, c_int);
type WorkCallback = unsafe extern "C" fn(*mut c_void);
type AfterWorkCallback = unsafe extern "C" fn(*mut c_void, c_int);
type HandleCallback = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    fn uv_handle_size(kind: c_int) -> usize;
    fn uv_handle_set_data(handle: *mut c_void, data: *mut c_void);
    fn uv_handle_get_data(handle: *const c_void) -> *mut c_void;
    fn uv_poll_init(uv_loop: *mut c_void, handle: *mut c_void, fd: c_int) -> c_int;
    fn uv_poll_start(handle: *mut c_void, events: c_int, callback: PollCallback) -> c_int;
    fn uv_timer_init(uv_loop: *mut c_void, handle: *mut c_void) -> c_int;
    fn uv_timer_start(handle: *mut c_void, callback: HandleCallback, timeout: u64, repeat: u64) -> c_int;
    fn uv_req_size(kind: c_int) -> usize;
    fn uv_req_set_data(request: *mut c_void, data: *mut c_void);
    fn uv_req_get_data(request: *const c_void) -> *mut c_void;
    fn uv_queue_work(
        uv_loop: *mut c_void,
        request: *mut c_void,
        work: WorkCallback,
        after: AfterWorkCallback,
    ) -> c_int;
    fn uv_close(handle: *mut c_void, callback: HandleCallback);
}

/// Callbacks of a [`Watcher`]. The callbacks are called on the thread of the event loop.
pub(crate) trait WatcherCallbacks {
    /// The file descriptor has become readable.
    fn ready(&self);
    /// The timer has fired. A timer fires only once. It may fire some milliseconds early, because libuv has a
    /// clock of its own.
    fn timer_fired(&self);
    /// The watcher is closed. This is its last callback.
    fn closed(&self);
    /// One of the callbacks above panicked.
    fn panicked(&self, message: &str);
}

/// Watches one file descriptor and one timer on libuv's event loop until it is closed. An open watcher keeps its event
/// loop alive.
pub(crate) struct Watcher {
    /// The data of libuv's handles; `None` after `close` was called.
    shared: Cell<Option<NonNull<Shared>>>,
    uv_loop: *mut c_void,
}

/// Data of the two libuv handles. The data is freed after libuv has closed the two handles.
struct Shared {
    poll: Handle,
    timer: Handle,
    target: Rc<dyn WatcherCallbacks>,
    open: Cell<u8>,
}

/// Memory of a libuv handle or request. Its size is known only at run time.
struct Handle {
    memory: *mut u8,
    layout: Layout,
}

impl Handle {
    fn new(kind: c_int) -> Result<Self, Error> {
        // SAFETY: the function only returns a number.
        Self::with_size(unsafe { uv_handle_size(kind) })
    }

    fn with_size(size: usize) -> Result<Self, Error> {
        let layout =
            Layout::from_size_align(size.max(1), 16).map_err(|_| failed("its handle has no size"))?;
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            handle_alloc_error(layout);
        }
        Ok(Self { memory, layout })
    }

    fn raw(&self) -> *mut c_void {
        self.memory.cast()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout; libuv has closed the handle, ended the request, or never received it.
        unsafe { dealloc(self.memory, self.layout) };
    }
}

fn failed(what: &str) -> Error {
    Error::new(
        "ERR_KIT_ADDON",
        format!("libuv could not watch the socket of the server: {what}"),
    )
}

impl Watcher {
    /// Starts to watch. `fd` must stay open until [`WatcherCallbacks::closed`] is called.
    pub(crate) fn start(env: Env<'_>, fd: RawFd, target: Rc<dyn WatcherCallbacks>) -> Result<Self, Error> {
        let mut uv_loop = ptr::null_mut();
        // SAFETY: the environment is alive.
        let status = unsafe { sys::napi_get_uv_event_loop(env.raw(), &raw mut uv_loop) };
        if status != sys::Status::napi_ok {
            return Err(failed("there is no loop"));
        }
        let uv_loop = uv_loop.cast::<c_void>();
        let shared = Shared {
            poll: Handle::new(UV_POLL)?,
            timer: Handle::new(UV_TIMER)?,
            target,
            open: Cell::new(2),
        };
        // SAFETY: the memory of the handle has the size that libuv returned. On failure libuv stores nothing.
        if unsafe { uv_poll_init(uv_loop, shared.poll.raw(), fd) } != 0 {
            return Err(failed("its descriptor cannot be polled"));
        }
        let shared = NonNull::from(Box::leak(Box::new(shared)));
        let watcher = Self {
            shared: Cell::new(Some(shared)),
            uv_loop,
        };
        // SAFETY: both handles are initialized before any other use and live until they are closed. Their data pointer
        // is freed only after that.
        let started = unsafe {
            let (poll, timer) = (shared.as_ref().poll.raw(), shared.as_ref().timer.raw());
            uv_timer_init(uv_loop, timer);
            uv_handle_set_data(poll, shared.as_ptr().cast());
            uv_handle_set_data(timer, shared.as_ptr().cast());
            uv_poll_start(poll, UV_READABLE, on_poll)
        };
        if started != 0 {
            watcher.close();
            return Err(failed("its descriptor cannot be polled"));
        }
        Ok(watcher)
    }

    /// Makes the timer fire after `milliseconds`. Replaces the time that was set before.
    pub(crate) fn set_timer(&self, milliseconds: u64) {
        if let Some(shared) = self.shared.get() {
            // SAFETY: closing has not begun, so the handle is initialized and active.
            unsafe { uv_timer_start(shared.as_ref().timer.raw(), on_timer, milliseconds, 0) };
        }
    }

    /// Runs `work` on a thread of libuv's pool, then `done` with the result on the thread of the event loop, also if the watcher
    /// was closed meanwhile. The result is `None` if `work` panicked. Returns false, and calls nothing, if the watcher is
    /// closed. The caller must keep the event loop alive until `done` is called.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        done: impl FnOnce(Option<T>) + 'static,
    ) -> bool {
        // SAFETY: the function only returns a number.
        let size = unsafe { uv_req_size(UV_WORK) };
        let (Some(shared), Ok(request)) = (self.shared.get(), Handle::with_size(size)) else {
            return false;
        };
        // SAFETY: closing has not begun, so the data is alive.
        let target = unsafe { Rc::clone(&shared.as_ref().target) };
        let raw = request.raw();
        let job = Box::into_raw(Box::new(Job {
            _request: request,
            work: Some(Box::new(work)),
            result: None,
            done: Box::new(done),
            target,
        }));
        // SAFETY: the watcher is open, so its loop is alive. The request has the size that libuv returned. It and its data live
        // until `after_work`. libuv never runs `work` and `after_work` at the same time.
        let status = unsafe {
            uv_req_set_data(raw, job.cast());
            uv_queue_work(self.uv_loop, raw, run_work::<T>, after_work::<T>)
        };
        if status != 0 {
            // SAFETY: libuv did not accept the request, so nothing else has the pointer.
            drop(unsafe { Box::from_raw(job) });
        }
        status == 0
    }

    /// Stops watching. [`WatcherCallbacks::closed`] is called when libuv has closed the handles.
    pub(crate) fn close(&self) {
        if let Some(shared) = self.shared.take() {
            // SAFETY: taking the pointer ensures that each handle is closed only once. `shared` lives until both are
            // closed.
            unsafe {
                uv_close(shared.as_ref().poll.raw(), on_close);
                uv_close(shared.as_ref().timer.raw(), on_close);
            }
        }
    }
}

/// Work for the thread pool. Only `work` and `result` are used on another thread, and both may be sent there.
struct Job<T> {
    _request: Handle,
    work: Option<Box<dyn FnOnce() -> T + Send>>,
    result: Option<T>,
    done: Box<dyn FnOnce(Option<T>)>,
    target: Rc<dyn WatcherCallbacks>,
}

unsafe extern "C" fn run_work<T: Send>(request: *mut c_void) {
    // SAFETY: the data is the job, which nothing else uses while the work runs. Only these two fields are borrowed, because
    // the others belong to the thread of the event loop.
    let (work, result) = unsafe {
        let job = uv_req_get_data(request).cast::<Job<T>>();
        (&mut (*job).work, &mut (*job).result)
    };
    if let Some(work) = work.take() {
        // A panic must not reach libuv. The missing result tells it.
        *result = catch_unwind(AssertUnwindSafe(work)).ok();
    }
}

unsafe extern "C" fn after_work<T>(request: *mut c_void, _status: c_int) {
    // SAFETY: the work has ended, and libuv no longer uses the request.
    let job = unsafe { Box::from_raw(uv_req_get_data(request).cast::<Job<T>>()) };
    let Job {
        result, done, target, ..
    } = *job;
    report_panic(&*target, || done(result));
}

unsafe extern "C" fn on_poll(handle: *mut c_void, _status: c_int, _events: c_int) {
    // Errors of the poll are ignored here, because the engine's own poller finds the same error.
    // SAFETY: libuv calls only until the handle is closed.
    unsafe { call(handle, |target| target.ready()) };
}

unsafe extern "C" fn on_timer(handle: *mut c_void) {
    // SAFETY: as above.
    unsafe { call(handle, |target| target.timer_fired()) };
}

/// # Safety
///
/// `handle` must belong to a watcher that is not closed.
unsafe fn call(handle: *mut c_void, what: fn(&dyn WatcherCallbacks)) {
    // SAFETY: the data was set when the handle was created. The clone keeps the target alive while it closes its
    // watcher.
    let target = unsafe { Rc::clone(&(*uv_handle_get_data(handle).cast::<Shared>()).target) };
    report_panic(&*target, || what(&*target));
}

/// Calls a function. A panic must not reach libuv.
fn report_panic(target: &dyn WatcherCallbacks, call: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
        let message = super::env::panic_message(&*panic);
        // If `panicked` itself panics, nothing can report it.
        let _ = catch_unwind(AssertUnwindSafe(|| target.panicked(&message)));
    }
}

unsafe extern "C" fn on_close(handle: *mut c_void) {
    // SAFETY: the data is freed below, in the second of the two calls.
    let shared = unsafe { uv_handle_get_data(handle).cast::<Shared>() };
    // SAFETY: as above.
    let open = unsafe { &(*shared).open };
    open.set(open.get() - 1);
    if open.get() > 0 {
        return;
    }
    // SAFETY: both handles are closed; the box was leaked when they were created.
    let shared = unsafe { Box::from_raw(shared) };
    // A panic must not reach libuv, and JavaScript can no longer receive an error.
    let _ = catch_unwind(AssertUnwindSafe(|| shared.target.closed()));
}
