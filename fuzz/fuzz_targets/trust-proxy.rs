//! libFuzzer's bytes to [`kit_fuzz::runtime::trust_proxy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::runtime::trust_proxy(data));
