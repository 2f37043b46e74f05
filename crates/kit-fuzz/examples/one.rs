fn main() {
    let from: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let to: u64 = std::env::args().nth(2).unwrap().parse().unwrap();
    for seed in from..to {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let bytes: Vec<u8> = (0..2000).map(|_| { state ^= state << 13; state ^= state >> 7; state ^= state << 17; state.to_le_bytes()[3] }).collect();
        let source = kit_fuzz::source(&mut arbitrary::Unstructured::new(&bytes));
        std::fs::write("/tmp/diag/seed.ts", format!("// {seed}\n{source}")).unwrap();
        let start = std::time::Instant::now();
        let b = bytes.clone();
        let r = std::panic::catch_unwind(move || kit_fuzz::types(&b));
        if r.is_err() { println!("PANIC {seed}"); std::fs::write(format!("/tmp/diag/panic{seed}.ts"), &source).unwrap(); }
        if start.elapsed().as_secs_f64() > 2.0 { println!("SLOW {seed} {:?}", start.elapsed()); std::fs::write(format!("/tmp/diag/slow{seed}.ts"), &source).unwrap(); }
    }
}
