//! Objects of Node-API that live longer than one call: references to functions, the context of callbacks, and the
//! hook at the end of an environment.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::rc::Rc;

use napi_sys as sys;

use super::env::{Env, Error, Value};

/// Address of an environment, stored between callbacks. The address is used only on the thread of the
/// environment, because no type of this module is `Send`. It is used only before the end of the environment,
/// because the [`CleanupHook`] closes all objects that contain it.
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

/// Reference that prevents the garbage collection of a JavaScript function.
pub(crate) struct Reference {
    env: RawEnv,
    raw: sys::napi_ref,
}

impl Reference {
    pub(crate) fn new<'scope>(env: Env<'scope>, value: Value<'scope>) -> Result<Self, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: environment and handle belong to the open scope.
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
        // SAFETY: the reference is deleted only on drop.
        let status = unsafe { sys::napi_get_reference_value(env.raw(), self.raw, &raw mut value) };
        if status != sys::Status::napi_ok || value.is_null() {
            return Err(failed("a function is gone"));
        }
        // SAFETY: Node created the handle in the open scope.
        Ok(unsafe { Value::from_raw(value) })
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // SAFETY: the reference is deleted only once; see `RawEnv` for the environment.
        unsafe { sys::napi_delete_reference(self.env.0.as_ptr(), self.raw) };
    }
}

/// Asynchronous context for calls of JavaScript. Node needs it to track asynchronous operations.
pub(crate) struct AsyncContext {
    env: RawEnv,
    raw: sys::napi_async_context,
}

impl AsyncContext {
    pub(crate) fn new(env: Env<'_>, name: &str) -> Result<Self, Error> {
        let name = env.string(name)?;
        let mut raw = ptr::null_mut();
        // SAFETY: the handles belong to the open scope; Node creates the resource object itself.
        let status = unsafe { sys::napi_async_init(env.raw(), ptr::null_mut(), name.raw(), &raw mut raw) };
        if status != sys::Status::napi_ok {
            return Err(failed("no asynchronous context"));
        }
        Ok(Self {
            env: RawEnv::of(env)?,
            raw,
        })
    }

    /// Runs a function with an open handle scope. Called from a callback of libuv. Returns `None` if the scope cannot
    /// be opened.
    pub(crate) fn enter<R>(&self, run: impl for<'scope> FnOnce(Env<'scope>) -> R) -> Option<R> {
        let raw = self.env.0.as_ptr();
        let mut scope = ptr::null_mut();
        // SAFETY: the environment is alive (see `RawEnv`), and libuv calls on its thread.
        if unsafe { sys::napi_open_handle_scope(raw, &raw mut scope) } != sys::Status::napi_ok {
            return None;
        }
        // Closes the scope even if `run` panics.
        let _scope = HandleScope {
            env: self.env,
            raw: scope,
        };
        // SAFETY: the scope is closed after `run`, and `run` cannot keep handles of the scope.
        Some(run(unsafe { Env::from_raw(raw) }))
    }

    /// Opens a scope for calls of JavaScript. When the scope is dropped, Node runs `nextTick` callbacks and
    /// microtasks.
    pub(crate) fn open<'scope>(
        &self,
        env: Env<'scope>,
        resource: Value<'scope>,
    ) -> Result<CallbackScope<'scope>, Error> {
        let mut raw = ptr::null_mut();
        // SAFETY: context, resource and environment are alive.
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
        // SAFETY: the context is destroyed only once.
        unsafe { sys::napi_async_destroy(self.env.0.as_ptr(), self.raw) };
    }
}

struct HandleScope {
    env: RawEnv,
    raw: sys::napi_handle_scope,
}

impl Drop for HandleScope {
    fn drop(&mut self) {
        // SAFETY: the scope is open, and all scopes inside of it are closed.
        unsafe { sys::napi_close_handle_scope(self.env.0.as_ptr(), self.raw) };
    }
}

/// Scope for calls of JavaScript, see [`AsyncContext::open`].
pub(crate) struct CallbackScope<'scope> {
    env: RawEnv,
    raw: sys::napi_callback_scope,
    scope: PhantomData<&'scope ()>,
}

impl Drop for CallbackScope<'_> {
    fn drop(&mut self) {
        // SAFETY: the scope is open and the innermost one. Node itself reports errors that microtasks throw.
        unsafe { sys::napi_close_callback_scope(self.env.0.as_ptr(), self.raw) };
    }
}

/// An object that must be closed before its Node environment ends.
pub(crate) trait CloseOnExit {
    /// Starts to close the object. When the object is closed, its cleanup hook must be removed.
    fn close(&self);
}

/// Cleanup hook. A Node environment calls the hook at its end, and waits until the hook is removed.
pub(crate) struct CleanupHook {
    handle: Cell<Option<sys::napi_async_cleanup_hook_handle>>,
    data: *const Rc<dyn CloseOnExit>,
}

impl CleanupHook {
    pub(crate) fn new(env: Env<'_>, target: Rc<dyn CloseOnExit>) -> Result<Self, Error> {
        let data = Box::into_raw(Box::new(target));
        let mut handle = ptr::null_mut();
        // SAFETY: `data` stays valid until the hook is removed.
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

impl Drop for CleanupHook {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            // SAFETY: the handle is removed only once, here, even if the hook has run.
            unsafe { sys::napi_remove_async_cleanup_hook(handle) };
        }
        // SAFETY: created by `Box::into_raw`, and no other owner is left after the removal.
        drop(unsafe { Box::from_raw(self.data.cast_mut()) });
    }
}

unsafe extern "C" fn on_cleanup(_: sys::napi_async_cleanup_hook_handle, data: *mut std::ffi::c_void) {
    // SAFETY: `data` belongs to the hook, which is not removed yet. The clone keeps the target alive while it removes
    // the hook.
    let target = unsafe { Rc::clone(&*data.cast::<Rc<dyn CloseOnExit>>()) };
    // A panic must not reach Node, and JavaScript can no longer receive an error.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| target.close()));
}
