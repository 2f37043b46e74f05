//! Calls [`kit_fuzz::tables`] with the bytes of libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    kit_fuzz::tables(data);
});
