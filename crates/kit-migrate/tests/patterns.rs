//! Tests that a translated pattern accepts the same texts in PostgreSQL as the original in JavaScript. The patterns are
//! written by hand or random. `KIT_SEED` sets the seed and `KIT_RUNS` the number of random patterns.

use kit_test_postgres as support;

use kit_database::Rule;
use kit_database::sql::{condition, pattern, string_literal};
use kit_pattern::Verdict;

use support::{database, with_client};

/// Patterns written by hand.
const WRITTEN: &[&str] = &[
    "^[a-z0-9]+(?:-[a-z0-9]+)*$",
    "^[A-Z]{2}\\d{2}[A-Z0-9]{1,30}$",
    "^\\+?[1-9]\\d{1,14}$",
    "^#(?:[0-9a-fA-F]{3}){1,2}$",
    "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
    "^(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}$",
    "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$",
    "^\\S+$",
    "\\S",
    "^\\s*$",
    "^.$",
    "^.{2,4}$",
    "^[^]]$",
    "^[\\w.-]+$",
    "^\\W$",
    "^\\D+$",
    "^[ä-ü]+$",
    "^[\\u{1F600}-\\u{1F64F}]$",
    "^(?:a|b|)c$",
    "^(?:)$",
    "^(?:a?){3}$",
    "^(?:a|ab)(?:c|bcd)$",
    "(?:^a|b$)",
    "a$|^b",
    "^a{0}b{0,1}$",
    "^a{2,}?b+?$",
    "^(?<year>\\d{4})$",
    "^[*+?(){}.|^$\\/]$",
    "^[-a]$",
    "^[a-]$",
    "^[\\^a]$",
    "^[\\t\\n\\r\\v\\f]$",
    "^\\x41\\u0042$",
    "^[^\\n]*$",
    "(?:$)a",
    "a^",
    "(?:^|x)y",
    "(?:^)*a",
    "(?:a|$)+b",
    "^\\$\\.\\*$",
    "'",
    "\"\\/",
];

/// Parts of random patterns.
const PIECES: &[&str] = &[
    "a",
    "b",
    "é",
    "ß",
    "-",
    "_",
    " ",
    "\\.",
    ".",
    "\\d",
    "\\D",
    "\\w",
    "\\W",
    "\\s",
    "\\S",
    "[ab]",
    "[^ab]",
    "[a-f0-9]",
    "[^a-z]",
    "[\\w-]",
    "[\\s_]",
    "[^\\s]",
    "[^\\d\\s]",
    "\\u00e9",
    "\\u{1F600}",
    "[\\u{1F600}é]",
    "\\n",
    "^",
    "$",
];
/// Counts of random patterns. Lazy counts such as `{1,3}?` are left out: within another count, the regular expression
/// engine that represents JavaScript in this test misses texts that V8 accepts.
const COUNTS: &[&str] = &[
    "", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}", "*?", "+?", "??", "{1,3}",
];

/// Characters that regular expression engines are known to treat differently.
const CHARACTERS: &[char] = &[
    'a',
    'b',
    'c',
    'f',
    'z',
    'A',
    'B',
    'Z',
    '0',
    '1',
    '5',
    '9',
    '_',
    '-',
    '.',
    ' ',
    '\t',
    '\n',
    '\r',
    '\u{b}',
    '\u{c}',
    '\u{1}',
    '\u{1f}',
    '\u{7f}',
    '\u{85}',
    '\u{a0}',
    '\u{ad}',
    'é',
    'ä',
    'ü',
    'ß',
    'ẞ',
    'ſ',
    'K',
    'İ',
    'ı',
    '\u{301}',
    '\u{180e}',
    '\u{1680}',
    '\u{2003}',
    '\u{200b}',
    '\u{2028}',
    '\u{2029}',
    '\u{202f}',
    '\u{205f}',
    '\u{3000}',
    '\u{feff}',
    '٣',
    '५',
    '０',
    'Ａ',
    '漢',
    '😀',
    '🙏',
    '\u{10ffff}',
    '\\',
    '/',
    '\'',
    '"',
    '*',
    '+',
    '?',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '|',
    '^',
    '$',
    '#',
    '@',
    '~',
];

/// Pseudorandom numbers that are the same on every machine (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).expect("fewer than sides")
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

fn made(dice: &mut Dice, depth: u32) -> String {
    let mut text = String::new();
    for _ in 0..=dice.roll(3) {
        let piece = match dice.roll(6) {
            0 if depth < 2 => format!("(?:{}|{})", made(dice, depth + 1), made(dice, depth + 1)),
            1 if depth < 2 => format!("({})", made(dice, depth + 1)),
            _ => dice.of(PIECES).to_owned(),
        };
        text.push_str(&piece);
        if !["^", "$"].contains(&piece.as_str()) {
            text.push_str(dice.of(COUNTS));
        }
    }
    if depth > 0 {
        return text;
    }
    match dice.roll(4) {
        0 => text,
        1 => format!("^{text}"),
        2 => format!("{text}$"),
        _ => format!("^{text}$"),
    }
}

/// Returns texts that the pattern accepts, texts that differ slightly, and other texts.
fn texts(dice: &mut Dice, pattern: &str) -> Vec<String> {
    let mut texts: Vec<String> = CHARACTERS.iter().map(char::to_string).collect();
    texts.push(String::new());
    texts.extend((0..6).filter_map(|length| kit_pattern::example(pattern, length, None)));
    let taken = texts.len() - 1;
    for _ in 0..120 {
        let mut text: Vec<char> = match dice.roll(3) {
            0 => Vec::new(),
            _ => texts[taken].chars().collect(),
        };
        for _ in 0..=dice.roll(4) {
            let (at, character) = (dice.roll(text.len() + 1), CHARACTERS[dice.roll(CHARACTERS.len())]);
            match dice.roll(3) {
                0 if at < text.len() => text[at] = character,
                1 if at < text.len() => {
                    text.remove(at);
                }
                _ => text.insert(at, character),
            }
        }
        texts.push(text.into_iter().collect());
    }
    texts
}

#[test]
fn accepts_the_same_texts_in_postgresql_and_javascript() {
    let Some(database) = database("accepts_the_same_texts_in_postgresql_and_javascript") else {
        return;
    };
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (seed, runs) = (number("KIT_SEED").unwrap_or(1), number("KIT_RUNS").unwrap_or(200));
    let mut dice = Dice(seed);
    let mut patterns: Vec<String> = WRITTEN.iter().map(|&pattern| pattern.to_owned()).collect();
    patterns.extend((0..runs).map(|_| made(&mut dice, 0)));
    let (mut accepted, mut held, mut compared, mut taken) = (0, 0, 0, 0);
    let mut differences = Vec::new();
    with_client(&database.url, async |client| {
        for javascript in &patterns {
            // The compiler refuses `@pattern` expressions that could take more than linear time, so skip them.
            if kit_pattern::check(javascript) != Verdict::Linear {
                continue;
            }
            accepted += 1;
            let Some(translated) = pattern(javascript) else {
                continue;
            };
            held += 1;
            let texts = texts(&mut dice, javascript);
            let array: Vec<String> = texts.iter().map(|one| string_literal(one)).collect();
            // The condition as written in a check, for all texts in one query.
            let sql = format!(
                "SELECT string_agg(CASE WHEN {} THEN '1' ELSE '0' END, '' ORDER BY place) \
                 FROM unnest(ARRAY[{}]) WITH ORDINALITY AS list (item, place)",
                condition(&Rule::Pattern(translated.clone()), "item"),
                array.join(", ")
            );
            let rows = match client.simple_query(&sql).await {
                Ok(rows) => rows,
                Err(error) => {
                    differences.push(format!("{javascript} as {translated}: {error:?}"));
                    continue;
                }
            };
            let verdicts = rows.iter().find_map(|message| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            });
            for (text, verdict) in texts.iter().zip(verdicts.expect("a row").chars()) {
                let expected = kit_pattern::matches(javascript, text).expect("a pattern of JavaScript");
                compared += 1;
                taken += usize::from(expected);
                if expected != (verdict == '1') {
                    differences.push(format!(
                        "{javascript} as {translated}: {text:?} is {expected} in JavaScript"
                    ));
                }
            }
        }
    });
    println!("{held} of {accepted} patterns are checks; {compared} texts, {taken} of them taken");
    assert!(held > 100 && held * 2 > accepted && taken * 10 > compared && taken * 10 < compared * 9);
    assert!(
        differences.is_empty(),
        "seed {seed}: {} differences\n{}",
        differences.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}
