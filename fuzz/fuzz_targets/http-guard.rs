//! libFuzzer's bytes to [`kit_fuzz::http::guard`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::http::guard(data));
