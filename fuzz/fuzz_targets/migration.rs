//! libFuzzer's bytes to [`kit_fuzz::migration`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::migration(data));
