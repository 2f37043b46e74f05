//! libFuzzer's bytes to [`kit_fuzz::http::traffic`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::http::traffic(data));
