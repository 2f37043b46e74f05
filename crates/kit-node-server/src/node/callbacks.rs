//! What lives longer than one call: references, the context of callbacks, the hook at the environment's end.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use napi_sys as sys;

use super::env::{Env, Error, Value};

/// An environment's address, kept between callbacks. It is only used on its thread, since nothing here is `Send`, and only
/// before the environment's end, since the [`Hook`] ends everything that holds one.
#[derive(Clone, Copy)]
struct RawEnv(NonNull<sys::napi_env__>);

impl RawEnv {
    fn of(env: Env<'_>) -> Result<Self, Error> {
        NonNull::new(env.raw())
            .map(Self)
            .ok_or_else(|| failed("no environment"))
    }
}

fn failed(what: &str) -> Error {
    Error::new(
        "ERR_KIT_ADDON",
        format!("Node could not set up the server addon: {what}"),
    )
}

/// Keeps a function alive.
pub(crate) struct Reference {
    env: RawEnv,
    raw: sys::napi_ref,
}

impl Reference {
    pub(crate) fn new<'scope>(env: Env<'scope>, value: Value<'scope>) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: environment and handle are of the open scope.
        let status = unsafe { sys::napi_create_reference(env.raw(), value.raw(), 1, &raw mut raw) };
        if status != sys::Status::napi_ok {
            return Err(failed("no reference to a function"));
        }
        Ok(Self {
            env: RawEnv::of(env)?,
            raw,
        })
    }

    pub(crate) fn get<'scope>(&self, env: Env<'scope>) -> Result<Value<'scope>, Error> {
        let mut value = ptr::null_mut();
        // SAFETY: the reference is deleted only when it is dropped.
        let status = unsafe { sys::napi_get_reference_value(env.raw(), self.raw, &raw mut value) };
        if status != sys::Status::napi_ok || value.is_null() {
            return Err(failed("a function is gone"));
        }
        // SAFETY: Node made the handle in the open scope.
        Ok(unsafe { Value::from_raw(value) })
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // SAFETY: the reference is deleted once; see `RawEnv` for the environment.
        unsafe { sys::napi_delete_reference(self.env.0.as_ptr(), self.raw) };
    }
}

/// The asynchronous context in which a server's callbacks run.
pub(crate) struct AsyncContext {
    env: RawEnv,
    raw: sys::napi_async_context,
}

impl AsyncContext {
    pub(crate) fn new(env: Env<'_>, name: &str) -> Result<Self, Error> {
        let name = env.string(name)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the handles are of the open scope; Node makes the resource object itself.
        let status = unsafe { sys::napi_async_init(env.raw(), ptr::null_mut(), name.raw(), &raw mut raw) };
        if status != sys::Status::napi_ok {
            return Err(failed("no asynchronous context"));
        }
        Ok(Self {
            env: RawEnv::of(env)?,
            raw,
        })
    }

    /// Runs something with a handle scope open, from a callback of libuv.
    pub(crate) fn enter<R>(&self, run: impl for<'scope> FnOnce(Env<'scope>) -> R) -> Option<R> {
        let raw = self.env.0.as_ptr();
        let mut scope = ptr::null_mut();
        // SAFETY: the environment lives (see `RawEnv`), and libuv calls on its thread.
        if unsafe { sys::napi_open_handle_scope(raw, &raw mut scope) } != sys::Status::napi_ok {
            return None;
        }
        // Closes the scope also where `run` panics.
        let _scope = HandleScope {
            env: self.env,
            raw: scope,
        };
        // SAFETY: the scope just opened is closed after `run`, and `run` cannot keep what it made in it.
        Some(run(unsafe { Env::from_raw(raw) }))
    }

    /// Begins calling JavaScript. When the guard is dropped, Node runs `nextTick`s and microtasks.
    pub(crate) fn open<'scope>(
        &self,
        env: Env<'scope>,
        resource: Value<'scope>,
    ) -> Result<CallbackScope<'scope>, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: context, resource and environment are live.
        let status =
            unsafe { sys::napi_open_callback_scope(env.raw(), resource.raw(), self.raw, &raw mut raw) };
        if status != sys::Status::napi_ok {
            return Err(failed("no callback scope"));
        }
        Ok(CallbackScope {
            env: self.env,
            raw,
            scope: PhantomData,
        })
    }
}

impl Drop for AsyncContext {
    fn drop(&mut self) {
        // SAFETY: the context is destroyed once.
        unsafe { sys::napi_async_destroy(self.env.0.as_ptr(), self.raw) };
    }
}

struct HandleScope {
    env: RawEnv,
    raw: sys::napi_handle_scope,
}

impl Drop for HandleScope {
    fn drop(&mut self) {
        // SAFETY: the scope is open, and those opened within it are closed.
        unsafe { sys::napi_close_handle_scope(self.env.0.as_ptr(), self.raw) };
    }
}

/// See [`AsyncContext::open`].
pub(crate) struct CallbackScope<'scope> {
    env: RawEnv,
    raw: sys::napi_callback_scope,
    scope: PhantomData<&'scope ()>,
}

impl Drop for CallbackScope<'_> {
    fn drop(&mut self) {
        // SAFETY: the scope is open and the innermost one. What microtasks throw, Node reports itself.
        unsafe { sys::napi_close_callback_scope(self.env.0.as_ptr(), self.raw) };
    }
}

/// Something that has to end before its environment does.
pub(crate) trait Ends {
    /// Begins to end; the hook is removed when that is through.
    fn end(&self);
}

/// Makes an environment wait, at its end, until the hook is removed.
pub(crate) struct Hook {
    handle: Cell<Option<sys::napi_async_cleanup_hook_handle>>,
    data: *const Rc<dyn Ends>,
}

impl Hook {
    pub(crate) fn new(env: Env<'_>, target: Rc<dyn Ends>) -> Result<Self, Error> {
        let data = Box::into_raw(Box::new(target));
        let mut handle = ptr::null_mut();
        // SAFETY: `data` stays until the hook is removed.
        let status = unsafe {
            sys::napi_add_async_cleanup_hook(env.raw(), Some(on_cleanup), data.cast(), &raw mut handle)
        };
        let hook = Self {
            handle: Cell::new(Some(handle)),
            data,
        };
        if status != sys::Status::napi_ok {
            hook.handle.set(None);
            return Err(failed("no cleanup hook"));
        }
        Ok(hook)
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            // SAFETY: the handle is removed once, here, whether or not the hook has run.
            unsafe { sys::napi_remove_async_cleanup_hook(handle) };
        }
        // SAFETY: made by `Box::into_raw`, and after the removal nobody else has it.
        drop(unsafe { Box::from_raw(self.data.cast_mut()) });
    }
}

unsafe extern "C" fn on_cleanup(_: sys::napi_async_cleanup_hook_handle, data: *mut std::ffi::c_void) {
    // SAFETY: `data` is the hook's, which is not removed yet. The clone keeps the target while it removes the hook.
    let target = unsafe { Rc::clone(&*data.cast::<Rc<dyn Ends>>()) };
    // A panic must not reach Node, and there is no JavaScript left to tell of it.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target.end()));
}
