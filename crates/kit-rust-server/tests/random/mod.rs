//! Creates random projects in TypeScript: tables with keys of every kind, references, rules, unions, routes of all
//! kinds, and names that Rust, its prelude or generated code already use. The seed and the number of a project
//! determine its content.

#![allow(dead_code, unreachable_pub)] // each test binary uses its own part, and none has an outside

mod entities;
mod names;
pub mod requests;
mod routes;
mod types;

use names::Names;

/// Pseudorandom numbers (`SplitMix64`).
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64, number: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a random number that is less than the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound).unwrap_or(1)).unwrap_or(0)
    }

    /// Returns true with a probability of `percent`.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    /// Returns at most `count` of the items, each at most once, in random order.
    pub fn several<'a, T: ?Sized>(&mut self, items: &[&'a T], count: usize) -> Vec<&'a T> {
        let mut left = items.to_vec();
        let mut found = Vec::new();
        while found.len() < count && !left.is_empty() {
            found.push(left.swap_remove(self.below(left.len())));
        }
        found
    }
}

/// The files of a project, each with its path and its content.
pub type Files = Vec<(&'static str, String)>;

/// Creates the project with this number. The same seed and number give the same project.
pub fn project(seed: u64, number: u64) -> Files {
    let mut random = Random::new(seed, number);
    let mut names = Names::new(&mut random);
    let entities = entities::make(&mut random, &mut names);
    let types = types::declarations(&mut random, &mut names, &entities);
    let made = routes::make(&mut random, &mut names, &entities, &types);
    let mut declared = String::new();
    for entity in &entities {
        declared.push_str(&entity.source);
        declared.push('\n');
    }
    let sources: Vec<_> = types.iter().map(|known| known.source.as_str()).collect();
    // All types are in one file, or the tables are in one file and the other types in another.
    let mut files = Vec::new();
    if random.chance(50) {
        files.push(("src/all.types.ts", format!("{declared}\n{}", sources.concat())));
    } else {
        let names: Vec<_> = entities.iter().map(|entity| entity.name.as_str()).collect();
        let import = format!(
            "import type {{ {} }} from \"./all.types.ts\";\n\n",
            names.join(", ")
        );
        files.push(("src/all.types.ts", declared));
        files.push(("src/more.types.ts", import + &sources.concat()));
    }
    let mut exporting = files.iter().map(|(path, _)| *path);
    let (first, second) = (exporting.next().unwrap_or_default(), exporting.next());
    let of = |names: Vec<&str>, path: &str| {
        let path = path.trim_start_matches("src/");
        format!("import type {{ {} }} from \"./{path}\";\n", names.join(", "))
    };
    let tables = entities.iter().map(|entity| entity.name.as_str());
    let others = types.iter().map(|known| known.name.as_str());
    let imports = match second {
        None => of(tables.chain(others).collect(), first),
        Some(second) => of(tables.collect(), first) + &of(others.collect(), second),
    };
    // The names of kit's types may be names of types of the project.
    let formats = [
        "Bytes",
        "Events",
        "Form",
        "Json",
        "Lines",
        "Multipart",
        "Raw",
        "Text",
    ];
    let mut formats: Vec<_> = formats.map(|name| format!("{name} as {name}Format")).into();
    formats.extend(
        [
            "Reply as ReplyParts",
            "Route as RouteParts",
            "Socket as SocketParts",
            "Upload as UploadedFile",
        ]
        .map(str::to_owned),
    );
    let formats = formats.join(", ");
    files.push((
        "src/all.routes.ts",
        format!(
            "import type {{ {formats}, RouteContract }} from \"@kit/types\";\n{imports}\n{}",
            made.contracts
        ),
    ));
    files.push(("src/app.ts", made.application));
    files
}
