//! Creates and reads JavaScript values.

use std::any::Any;
use std::ffi::{CString, c_char};
use std::marker::PhantomData;
use std::ptr;

use napi_sys as sys;

/// Size in bytes up to which a buffer for strings is used again. Callers take a larger buffer in place of a copy, so that a single large
/// response does not leave a large buffer behind.
pub(crate) const MAX_KEPT: usize = 64 * 1024;

/// A Node environment in which a handle scope is open, so that JavaScript values can be created and read.
#[derive(Clone, Copy)]
pub(crate) struct Env<'scope> {
    raw: sys::napi_env,
    scope: PhantomData<&'scope ()>,
}

/// A JavaScript value. The value can only be used while its handle scope is open.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Value<'scope> {
    raw: sys::napi_value,
    scope: PhantomData<&'scope ()>,
}

/// Error that becomes a JavaScript exception.
#[derive(Debug)]
pub(crate) struct Error {
    code: String,
    message: String,
}

impl Error {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }

    /// Creates the error for a failed call of Node-API. A call fails if an argument has the wrong type, or if
    /// the environment is shutting down.
    fn node(status: sys::napi_status) -> Self {
        Self::new(
            "ERR_KIT_ADDON",
            format!("the server addon does not match the version of its package (status {status})"),
        )
    }
}

fn check(status: sys::napi_status) -> Result<(), Error> {
    if status == sys::Status::napi_ok {
        Ok(())
    } else {
        Err(Error::node(status))
    }
}

/// Calls a function of Node-API that stores its result through its last argument, and returns the result.
macro_rules! made {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        let mut value = ptr::null_mut();
        // SAFETY: an `Env` exists only while its environment is alive on this thread; the arguments outlive the call,
        // and `value` has space for the result.
        check(unsafe { sys::$function($env.raw $(, $argument)*, &raw mut value) })?;
        Ok(Value { raw: value, scope: PhantomData })
    }};
}

impl<'scope> Env<'scope> {
    /// # Safety
    ///
    /// `raw` must be an environment of this thread, and a handle scope must be open for `'scope`.
    pub(super) unsafe fn from_raw(raw: sys::napi_env) -> Self {
        Self {
            raw,
            scope: PhantomData,
        }
    }

    pub(super) fn raw(self) -> sys::napi_env {
        self.raw
    }

    pub(crate) fn double(self, number: f64) -> Result<Value<'scope>, Error> {
        made!(self, napi_create_double, number)
    }

    pub(crate) fn int(self, number: i32) -> Result<Value<'scope>, Error> {
        made!(self, napi_create_int32, number)
    }

    pub(crate) fn undefined(self) -> Result<Value<'scope>, Error> {
        made!(self, napi_get_undefined)
    }

    /// Creates a string from Latin-1, in which each byte is one character. ASCII and the values of headers
    /// are Latin-1.
    pub(crate) fn latin1(self, bytes: &[u8]) -> Result<Value<'scope>, Error> {
        made!(
            self,
            napi_create_string_latin1,
            bytes.as_ptr().cast::<c_char>(),
            length(bytes)
        )
    }

    pub(crate) fn string(self, text: &str) -> Result<Value<'scope>, Error> {
        if text.is_ascii() {
            // V8 stores ASCII strings with one byte for each character, so no decoding is needed.
            return self.latin1(text.as_bytes());
        }
        made!(
            self,
            napi_create_string_utf8,
            text.as_ptr().cast::<c_char>(),
            length(text.as_bytes())
        )
    }

    /// Creates a `Buffer` with a copy of these bytes.
    pub(crate) fn buffer(self, bytes: &[u8]) -> Result<Value<'scope>, Error> {
        made!(
            self,
            napi_create_buffer_copy,
            bytes.len(),
            bytes.as_ptr().cast(),
            ptr::null_mut()
        )
    }

    pub(crate) fn array(self, values: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
        let array: Result<Value<'scope>, Error> = made!(self, napi_create_array_with_length, values.len());
        let array = array?;
        for (index, value) in (0..).zip(values) {
            // SAFETY: both handles belong to this scope.
            check(unsafe { sys::napi_set_element(self.raw, array.raw, index, value.raw) })?;
        }
        Ok(array)
    }

    pub(crate) fn to_f64(self, value: Value<'scope>) -> Result<f64, Error> {
        let mut number = 0.0;
        // SAFETY: the handle belongs to this scope. For a value of another type, Node returns an error status. The same
        // applies to the calls below.
        check(unsafe { sys::napi_get_value_double(self.raw, value.raw, &raw mut number) })?;
        Ok(number)
    }

    pub(crate) fn to_u32(self, value: Value<'scope>) -> Result<u32, Error> {
        let mut number = 0;
        // SAFETY: as above.
        check(unsafe { sys::napi_get_value_uint32(self.raw, value.raw, &raw mut number) })?;
        Ok(number)
    }

    /// Returns true if the value is `null` or `undefined`.
    pub(crate) fn is_nothing(self, value: Value<'scope>) -> Result<bool, Error> {
        let mut kind = 0;
        // SAFETY: as above.
        check(unsafe { sys::napi_typeof(self.raw, value.raw, &raw mut kind) })?;
        Ok(matches!(
            kind,
            sys::ValueType::napi_undefined | sys::ValueType::napi_null
        ))
    }

    /// Copies a string as UTF-8 into a buffer and replaces its previous content. Returns false if the value
    /// is not a string. A buffer that a long string has left behind is freed first.
    pub(crate) fn read_text(self, value: Value<'scope>, buffer: &mut Vec<u8>) -> Result<bool, Error> {
        buffer.clear();
        buffer.shrink_to(MAX_KEPT);
        buffer.reserve(1024);
        let mut written = 0;
        let start = buffer.as_mut_ptr().cast::<c_char>();
        // SAFETY: the buffer has space for its capacity, and Node writes at most this number of bytes, including the
        // final zero.
        let status = unsafe {
            sys::napi_get_value_string_utf8(self.raw, value.raw, start, buffer.capacity(), &raw mut written)
        };
        if status == sys::Status::napi_string_expected {
            return Ok(false);
        }
        check(status)?;
        // Node cuts a string that does not fit at the end of a character, at most three bytes and the final zero before
        // the end.
        if written + 4 >= buffer.capacity() {
            let mut length = 0;
            // SAFETY: without a buffer, Node only returns the length.
            check(unsafe {
                sys::napi_get_value_string_utf8(self.raw, value.raw, ptr::null_mut(), 0, &raw mut length)
            })?;
            buffer.reserve(length + 1);
            let start = buffer.as_mut_ptr().cast::<c_char>();
            // SAFETY: as for the first call.
            check(unsafe {
                sys::napi_get_value_string_utf8(
                    self.raw,
                    value.raw,
                    start,
                    buffer.capacity(),
                    &raw mut written,
                )
            })?;
        }
        // SAFETY: Node has written this number of bytes from the start, within the capacity.
        unsafe { buffer.set_len(written) };
        Ok(true)
    }

    pub(crate) fn to_text(self, value: Value<'scope>) -> Result<String, Error> {
        let mut buffer = Vec::new();
        if !self.read_text(value, &mut buffer)? {
            return Err(Error::node(sys::Status::napi_string_expected));
        }
        String::from_utf8(buffer).map_err(|_| Error::node(sys::Status::napi_string_expected))
    }

    /// Returns a copy of the bytes of a `Uint8Array`.
    pub(crate) fn to_bytes(self, value: Value<'scope>) -> Result<Vec<u8>, Error> {
        let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
        let (mut buffer, mut offset) = (ptr::null_mut(), 0);
        // SAFETY: the handle belongs to this scope, and every result has its own variable.
        check(unsafe {
            sys::napi_get_typedarray_info(
                self.raw,
                value.raw,
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                &raw mut buffer,
                &raw mut offset,
            )
        })?;
        if kind != sys::TypedarrayType::uint8_array {
            return Err(Error::new(
                "ERR_INVALID_ARG_TYPE",
                "a body must be a string or a Uint8Array",
            ));
        }
        if length == 0 || data.is_null() {
            return Ok(Vec::new());
        }
        // SAFETY: Node returned the position and the length of the array's bytes. No JavaScript runs during the copy,
        // so the bytes stay there. (Another thread may write to a SharedArrayBuffer; the copy then contains a mixture.)
        Ok(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }.to_vec())
    }

    /// Calls a function. If it throws, reports the exception as uncaught, as Node does for its own callbacks.
    pub(crate) fn call(self, function: Value<'scope>, arguments: &[Value<'scope>]) -> Result<(), Error> {
        let this = self.undefined()?;
        // SAFETY: `Value` is a transparent handle, and all handles belong to this scope. The result is not requested.
        let status = unsafe {
            sys::napi_call_function(
                self.raw,
                this.raw,
                function.raw,
                arguments.len(),
                arguments.as_ptr().cast(),
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_pending_exception {
            return check(status);
        }
        let exception = made!(self, napi_get_and_clear_last_exception);
        self.report(exception?);
        Ok(())
    }

    /// Reports an uncaught exception. `process.on("uncaughtException")` receives the exception. If there is
    /// no listener, the process exits.
    pub(crate) fn report(self, exception: Value<'scope>) {
        // SAFETY: the handle belongs to this scope. A failure means that the environment is shutting down, and no code
        // is left that could receive the exception.
        unsafe { sys::napi_fatal_exception(self.raw, exception.raw) };
    }

    /// Throws an exception in JavaScript, unless another exception is already pending.
    pub(super) fn throw(self, error: Error) {
        let code = CString::new(error.code).unwrap_or_default();
        let message = CString::new(error.message.replace('\0', "\u{fffd}")).unwrap_or_default();
        // SAFETY: both strings end with a zero and outlive the call.
        unsafe { sys::napi_throw_error(self.raw, code.as_ptr(), message.as_ptr()) };
    }

    /// Creates a JavaScript `Error` from an error.
    pub(crate) fn error(self, error: &Error) -> Result<Value<'scope>, Error> {
        let (code, message) = (self.string(&error.code)?, self.string(&error.message)?);
        made!(self, napi_create_error, code.raw, message.raw)
    }
}

impl Value<'_> {
    /// # Safety
    ///
    /// `raw` must be a handle of a scope that is open for the lifetime of the value.
    pub(super) unsafe fn from_raw(raw: sys::napi_value) -> Self {
        Self {
            raw,
            scope: PhantomData,
        }
    }

    pub(super) fn raw(self) -> sys::napi_value {
        self.raw
    }
}

/// Returns the length for Node-API. It always fits, because slices are never longer than `isize::MAX`.
fn length(bytes: &[u8]) -> isize {
    isize::try_from(bytes.len()).unwrap_or(isize::MAX)
}

/// Returns the message of a panic as text.
pub(super) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    format!("bug in the native server: {text}")
}
