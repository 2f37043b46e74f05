//! Calls [`kit_fuzz::runtime::trust_proxy`] with the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kit_fuzz::runtime::trust_proxy(data));
