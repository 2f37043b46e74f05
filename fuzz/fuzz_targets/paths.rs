//! libFuzzer's bytes to [`kit_fuzz::paths`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::paths(data));
