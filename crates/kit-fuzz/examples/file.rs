fn main() { for f in std::env::args().skip(1) { let t=std::time::Instant::now(); kit_fuzz::text(&std::fs::read(&f).unwrap()); println!("{f} ok {:?}", t.elapsed()); } }
