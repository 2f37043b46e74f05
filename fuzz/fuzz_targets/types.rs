//! libFuzzer's bytes to [`kit_fuzz::types`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::types(data));
