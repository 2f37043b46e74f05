import * as fc from "fast-check";

const FIRST_NAMES = [
  "Ada",
  "Alan",
  "Amara",
  "Barbara",
  "Carlos",
  "Chen",
  "Dorothy",
  "Edsger",
  "Fatima",
  "Grace",
  "Hedy",
  "Ivan",
  "Jamal",
  "Joan",
  "Katherine",
  "Linus",
  "Margaret",
  "Mei",
  "Niklaus",
  "Olga",
  "Priya",
  "Radia",
  "Sofia",
  "Tim",
  "Yuki",
] as const;

const LAST_NAMES = [
  "Allen",
  "Bartik",
  "Clarke",
  "Diaz",
  "Easley",
  "Franklin",
  "Goldberg",
  "Hamilton",
  "Ito",
  "Johnson",
  "Keller",
  "Lamarr",
  "Moore",
  "Nakamura",
  "Okafor",
  "Perlman",
  "Rossi",
  "Sato",
  "Turing",
  "Vaughan",
  "Wilson",
  "Young",
] as const;

const WORDS = [
  "apple",
  "autumn",
  "bridge",
  "candle",
  "cloud",
  "coffee",
  "dawn",
  "ember",
  "field",
  "forest",
  "garden",
  "harbor",
  "island",
  "kettle",
  "lantern",
  "letter",
  "marble",
  "meadow",
  "morning",
  "orchard",
  "paper",
  "pebble",
  "planet",
  "quiet",
  "river",
  "silver",
  "stone",
  "summer",
  "thunder",
  "valley",
  "violet",
  "window",
  "winter",
  "yellow",
] as const;

const TITLES = [
  "Groceries",
  "Plan the week",
  "Call the plumber",
  "Notes of the meeting",
  "Ideas for the garden",
  "Books to read",
  "Review the budget",
  "Packing list",
  "Birthday presents",
  "Fix the bicycle",
  "Recipe for soup",
  "Questions for Monday",
  "Water the plants",
  "Travel to Lisbon",
  "Write the report",
  "Renew the passport",
] as const;

const SENTENCES = [
  "Milk, eggs and flour.",
  "The window in the kitchen does not close.",
  "Ask Grace before Friday.",
  "It worked the second time.",
  "Half of it is done, the rest can wait.",
  "See the letter of last week.",
  "Remember the keys.",
  "Everyone agreed in the end.",
  "The train leaves at nine.",
  "There is more of it in the cellar.",
] as const;

const CITIES = [
  "Lisbon",
  "Kyoto",
  "Nairobi",
  "Oslo",
  "Lima",
  "Vienna",
  "Accra",
  "Toronto",
  "Hanoi",
  "Turin",
] as const;
const COUNTRIES = [
  "Portugal",
  "Japan",
  "Kenya",
  "Norway",
  "Peru",
  "Austria",
  "Ghana",
  "Canada",
  "Vietnam",
  "Italy",
] as const;
const STREETS = [
  "Mill Lane",
  "High Street",
  "Station Road",
  "Church Walk",
  "Park Avenue",
  "River Street",
] as const;
const COMPANIES = [
  "Northwind",
  "Blue Harbor",
  "Fern & Sons",
  "Lantern Works",
  "Orchard Supply",
  "Silver Pine",
] as const;
const COLORS = ["red", "orange", "yellow", "green", "blue", "violet", "brown", "black", "white"] as const;

/** Returns a random word. */
export function word(): fc.Arbitrary<string> {
  return fc.constantFrom(...WORDS);
}

/** Generators of values for properties whose name contains certain words. The first matching entry is used. */
const SUBJECTS: readonly (readonly [names: RegExp, () => fc.Arbitrary<string>])[] = [
  [
    /^(?:e?mail|email address)$/,
    () => fullName().map((name) => `${name.toLowerCase().replace(" ", ".")}@example.com`),
  ],
  [/\b(?:first|given) ?name$/, () => fc.constantFrom(...FIRST_NAMES)],
  [/\b(?:last|family|sur) ?name$/, () => fc.constantFrom(...LAST_NAMES)],
  [
    /\b(?:user ?name|login|handle|nick(?:name)?)$/,
    () =>
      numbered(
        fc.constantFrom(...FIRST_NAMES).map((name) => name.toLowerCase()),
        "",
      ),
  ],
  [/\b(?:company|organi[sz]ation|employer|team|brand)\b/, () => fc.constantFrom(...COMPANIES)],
  [/\b(?:city|town)\b/, () => fc.constantFrom(...CITIES)],
  [/\bcountry\b/, () => fc.constantFrom(...COUNTRIES)],
  [
    /\b(?:street|address)\b/,
    () =>
      fc.tuple(fc.integer({ min: 1, max: 99 }), fc.constantFrom(...STREETS)).map((parts) => parts.join(" ")),
  ],
  [/\b(?:zip|post(?:al)?) ?code\b/, () => digits(5)],
  [/\b(?:phone|mobile|fax)\b/, () => digits(4).map((number) => `+1 555 010 ${number}`)],
  [/\b(?:url|link|website|homepage)$/, () => word().map((name) => `https://example.com/${name}`)],
  [/\bcolou?r$/, () => fc.constantFrom(...COLORS)],
  [/\b(?:title|subject|headline|topic|summary|label|task)$/, () => fc.constantFrom(...TITLES)],
  [/\b(?:content|text|body|description|comment|message|note|notes|bio|about|reason)$/, () => sentences()],
  [/\bslug$/, () => fc.tuple(word(), word()).map((parts) => parts.join("-"))],
  [/\b(?:id|key|token|code|hash)$/, () => numbered(word(), "-")],
  [/\b(?:author|owner|creator|assignee|by|(?:display|full|real) ?name)$/, () => fullName()],
];

/** Matches names of types whose property `name` is the name of a person. */
const PEOPLE =
  /(?:^|user|person|people|author|member|customer|employee|contact|owner|profile|student|patient|player|guest|human|signer)$/i;

/**
 * Returns strings that a person would write for a property with the given name.
 *
 * @param hint - The name of the property with its type, such as `Team.name` or `User.author_id`; empty if the value has no name.
 */
export function phrase(hint: string): fc.Arbitrary<string> {
  const dot = hint.lastIndexOf(".");
  const [owner, property] = [hint.slice(0, Math.max(dot, 0)), hint.slice(dot + 1)];
  const name = property
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_\W]+/g, " ")
    .trim()
    .toLowerCase();
  if (name === "name")
    return nameOf(owner.replaceAll(/^(?:create|update|new)|(?:input|summary|details|body)$/gi, ""));
  const subject = SUBJECTS.find(([names]) => names.test(name));
  return subject === undefined ? pair() : subject[1]();
}

/** Returns names that suit a type: `Team` gives names of teams. */
function nameOf(owner: string): fc.Arbitrary<string> {
  if (PEOPLE.test(owner)) return fullName();
  if (/(?:company|organi[sz]ation|team|group|department|tenant)$/i.test(owner))
    return fc.constantFrom(...COMPANIES);
  return pair().map((text) => text.charAt(0).toUpperCase() + text.slice(1));
}

function pair(): fc.Arbitrary<string> {
  return fc.tuple(word(), word()).map((parts) => parts.join(" "));
}

function fullName(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...FIRST_NAMES), fc.constantFrom(...LAST_NAMES))
    .map((parts) => parts.join(" "));
}

function sentences(): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...SENTENCES), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(" "));
}

function numbered(name: fc.Arbitrary<string>, between: string): fc.Arbitrary<string> {
  return fc
    .tuple(name, fc.integer({ min: 1, max: 9999 }))
    .map(([text, number]) => `${text}${between}${number}`);
}

function digits(count: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 10 ** count - 1 }).map((number) => String(number).padStart(count, "0"));
}
