//! libFuzzer's bytes to [`kit_fuzz::text`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::text(data));
