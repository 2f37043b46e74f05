//! Entry point of the addon: registers the functions for JavaScript, and stores the state of each environment.

use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi_sys as sys;

use super::env::{Env, Error, Value, panic_message};
use crate::exports::{EXPORTS, Export, State};

/// Maximum number of arguments of an exported function.
const MAX_ARGUMENTS: usize = 8;

/// Entry point that Node calls when the addon is loaded, once in each environment.
///
/// # Safety
///
/// Only Node may call this function.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // Node finds the symbol by its name
pub unsafe extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    // SAFETY: Node passes a live environment and keeps a handle scope open for the call.
    let scope = unsafe { Env::from_raw(env) };
    let result = catch_unwind(|| {
        // SAFETY: as above.
        let exports = unsafe { Value::from_raw(exports) };
        register(scope, exports)
    });
    finish(scope, result).map_or(exports, |()| exports)
}

/// Returns the version of Node-API that the addon needs: 8. Node 24 supports a higher version.
///
/// # Safety
///
/// Only Node may call this function.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // Node finds the symbol by its name
pub unsafe extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}

fn register<'scope>(env: Env<'scope>, exports: Value<'scope>) -> Result<(), Error> {
    let state = Box::into_raw(Box::<State>::default());
    // SAFETY: Node passes the state to `drop_state` once, at the end of the environment.
    let status =
        unsafe { sys::napi_set_instance_data(env.raw(), state.cast(), Some(drop_state), ptr::null_mut()) };
    if status != sys::Status::napi_ok {
        // SAFETY: Node did not store the pointer.
        drop(unsafe { Box::from_raw(state) });
        return Err(failed("no place for its state"));
    }
    for export in EXPORTS {
        let name = CString::new(export.name).map_err(|_| failed("a name"))?;
        let mut function = ptr::null_mut();
        let data = ptr::from_ref(export).cast_mut().cast::<c_void>();
        // SAFETY: the name outlives the call, and the export is static.
        let status = unsafe {
            let made = sys::napi_create_function(
                env.raw(),
                name.as_ptr(),
                isize::try_from(export.name.len()).unwrap_or(0),
                Some(call),
                data,
                &raw mut function,
            );
            if made == sys::Status::napi_ok {
                sys::napi_set_named_property(env.raw(), exports.raw(), name.as_ptr(), function)
            } else {
                made
            }
        };
        if status != sys::Status::napi_ok {
            return Err(failed(export.name));
        }
    }
    Ok(())
}

fn failed(what: &str) -> Error {
    Error::new(
        "ERR_KIT_ADDON",
        format!("Node could not load the server addon: {what}"),
    )
}

unsafe extern "C" fn drop_state(_: sys::napi_env, state: *mut c_void, _: *mut c_void) {
    // SAFETY: created in `register`, and passed here only once. A panic of a destructor must not reach Node.
    let _ = catch_unwind(|| drop(unsafe { Box::from_raw(state.cast::<State>()) }));
}

/// The native function that implements all exported functions. The data pointer of a call identifies the
/// exported function that JavaScript called.
unsafe extern "C" fn call(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let mut values = [ptr::null_mut(); MAX_ARGUMENTS];
    let mut count = MAX_ARGUMENTS;
    let mut data = ptr::null_mut();
    let mut state = ptr::null_mut();
    // SAFETY: Node writes at most `count` values, and `undefined` for missing arguments.
    let status = unsafe {
        sys::napi_get_cb_info(
            env,
            info,
            &raw mut count,
            values.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        ) | sys::napi_get_instance_data(env, &raw mut state)
    };
    if status != sys::Status::napi_ok || data.is_null() || state.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: `register` set the data to a static export and the state to a box that lives as long as the environment;
    // Node keeps a handle scope open for the call.
    let (env, export, state) = unsafe {
        (
            Env::from_raw(env),
            &*data.cast::<Export>(),
            &*state.cast::<State>(),
        )
    };
    // SAFETY: `Value` is a transparent handle, and Node created these handles in the open scope.
    let values = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<Value<'_>>(), export.arguments) };
    let result = catch_unwind(AssertUnwindSafe(|| (export.run)(env, state, values)));
    finish(env, result).map_or(ptr::null_mut(), Value::raw)
}

/// Returns the result, or `None` if the function returned an error or panicked. In this case throws a
/// JavaScript exception.
fn finish<T>(env: Env<'_>, result: std::thread::Result<Result<T, Error>>) -> Option<T> {
    match result {
        Ok(Ok(value)) => Some(value),
        Ok(Err(error)) => {
            env.throw(error);
            None
        }
        Err(panic) => {
            env.throw(Error::new("ERR_KIT_PANIC", panic_message(&*panic)));
            None
        }
    }
}
