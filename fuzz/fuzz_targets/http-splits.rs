//! Calls [`kit_fuzz::http::splits`] with the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: kit_fuzz_targets::ignore_broken_pipes(),
    |data: &[u8]| kit_fuzz::http::splits(data)
);
