// Random contracts of request bodies, and their source.

import type { Random } from "../../property/support/random.ts";

/** Rules of a part with files. */
export interface FileRules {
  readonly many: boolean;
  readonly optional: boolean;
  readonly least?: number;
  readonly most?: number;
  readonly bytes?: number;
  readonly mime?: readonly string[];
}

/** Property `title` of a body: a text with a maximum length. */
export interface TitleRules {
  readonly optional: boolean;
  readonly most?: number;
}

/** A format of a body. */
export type Format =
  | { readonly kind: "json" | "form"; readonly title: TitleRules }
  | {
      readonly kind: "multipart";
      readonly title?: TitleRules;
      readonly files: Readonly<Record<string, FileRules>>;
    }
  | { readonly kind: "text" | "bytes" | "raw"; readonly media: string };

/** The body of a route. */
export interface Contract {
  /** Formats with different media types. */
  readonly formats: readonly Format[];
  /** Maximum size of the body in bytes. */
  readonly limit?: number;
}

const fileNames = ["f", "g"];
// Of other media types, such as images, the application also checks the first bytes.
const mimes = [["text/csv"], ["text/*"], ["text/csv", "application/x-a"], ["application/x-a"]] as const;

export function contractOf(random: Random): Contract {
  const limit = limitOf(random);
  const formats = random.several([structured(random), textual(random)], random.chance(25) ? 2 : 1);
  return { formats, ...(limit !== undefined && { limit }) };
}

function limitOf(random: Random): number | undefined {
  return random.pick([undefined, undefined, 600, 3000]);
}

function structured(random: Random): Format {
  switch (random.below(4)) {
    case 0:
      return { kind: "json", title: titleOf(random) };
    case 1:
      return { kind: "form", title: titleOf(random) };
    default: {
      const names = random.several(fileNames, 1 + random.below(2));
      const files = Object.fromEntries(names.map((name) => [name, fileOf(random)]));
      // A name may belong to a file in one contract, and to a field in another.
      const title = random.chance(40) ? { title: titleOf(random) } : {};
      return { kind: "multipart", files, ...title };
    }
  }
}

function textual(random: Random): Format {
  const kind = random.pick(["text", "bytes", "raw"] as const);
  return { kind, media: random.pick(["text/plain", "text/csv", "image/png"]) };
}

function titleOf(random: Random): TitleRules {
  const most = random.pick([undefined, 3, 8]);
  return { optional: random.chance(40), ...(most !== undefined && { most }) };
}

function fileOf(random: Random): FileRules {
  const many = random.chance(50);
  const bytes = random.pick([undefined, 10, 40]);
  const mime = random.pick([undefined, ...mimes]);
  const least = many ? random.pick([undefined, 1, 2]) : undefined;
  const most = many ? random.pick([undefined, 2, 3]) : undefined;
  return {
    many,
    optional: random.chance(30),
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(bytes !== undefined && { bytes }),
    ...(mime !== undefined && { mime }),
  };
}

/** Returns a changed copy of a contract. The copy is equal with a probability of one in ten. */
export function mutated(random: Random, contract: Contract): Contract {
  if (random.chance(10)) return contract;
  const { limit: _, ...rest } = contract;
  if (random.chance(15)) {
    const limit = limitOf(random);
    return { ...rest, ...(limit !== undefined && { limit }) };
  }
  if (random.chance(15)) return { ...contract, formats: contractOf(random).formats };
  const at = random.below(contract.formats.length);
  const formats = contract.formats.map((format, index) => (index === at ? changed(random, format) : format));
  return { ...contract, formats };
}

function changed(random: Random, format: Format): Format {
  switch (format.kind) {
    case "json":
    case "form":
      return { ...format, title: titleOf(random) };
    case "multipart": {
      const { title, files } = format;
      if (random.chance(25)) {
        const { title: _, ...rest } = format;
        return title === undefined || random.chance(50) ? { ...rest, title: titleOf(random) } : rest;
      }
      const name = random.pick(fileNames);
      const { [name]: known, ...others } = files;
      if (known !== undefined && random.chance(20) && Object.keys(others).length > 0)
        return { ...format, files: others };
      if (known === undefined || random.chance(20))
        return { ...format, files: { ...files, [name]: fileOf(random) } };
      const fresh = fileOf(random);
      const { bytes, mime, ...kept } = known;
      const rules = random.pick([
        { ...fresh, many: known.many },
        {
          ...kept,
          ...(mime !== undefined && { mime }),
          ...(fresh.bytes !== undefined && { bytes: fresh.bytes }),
        },
        {
          ...kept,
          ...(bytes !== undefined && { bytes }),
          ...(fresh.mime !== undefined && { mime: fresh.mime }),
        },
      ]);
      return { ...format, files: { ...files, [name]: valid(rules) } };
    }
    default:
      return textual(random);
  }
}

/** A single file has no number of files. */
function valid({ least, most, ...rules }: FileRules): FileRules {
  if (!rules.many) return rules;
  return { ...rules, ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
}

/** Returns the types of a contract, its route, and its option in `on`. */
export function sourceOf(
  contract: Contract,
  index: number,
): { readonly types: string; readonly route: string; readonly option: string | undefined } {
  const declared: string[] = [];
  const formats = contract.formats.map((format, number) => {
    const name = `B${index}x${number}`;
    switch (format.kind) {
      case "json":
      case "form":
        declared.push(`export interface ${name} { ${titleSource(format.title)} }`);
        return format.kind === "json" ? `Json<${name}>` : `Form<${name}>`;
      case "multipart": {
        const title = format.title === undefined ? "" : titleSource(format.title);
        const files = Object.entries(format.files).map(([part, rules]) => fileSource(part, rules));
        declared.push(`export interface ${name} { ${[title, ...files].join(" ")} }`);
        return `Multipart<${name}>`;
      }
      case "text":
        return `Text<"${format.media}">`;
      case "bytes":
        return `Bytes<"${format.media}">`;
      case "raw":
        return `Raw<"${format.media}">`;
    }
  });
  const body = formats.join(" | ");
  const limit = contract.limit;
  const types = [
    ...declared,
    `// POST /p${index}: ${body}${limit === undefined ? "" : `, at most ${limit} bytes`}`,
  ];
  return {
    types: types.join("\n"),
    route: `"POST /p${index}": RouteContract<void, void, ${body}, void>;`,
    option: limit === undefined ? undefined : `"POST /p${index}": { limits: { bodyBytes: ${limit} } }`,
  };
}

function titleSource({ optional, most }: TitleRules): string {
  const tag = most === undefined ? "" : `/** @maxLength ${most} */ `;
  return `${tag}title${optional ? "?" : ""}: string;`;
}

function fileSource(name: string, { many, optional, least, most, bytes, mime }: FileRules): string {
  const tags = [
    ...(least === undefined ? [] : [`@minItems ${least}`]),
    ...(most === undefined ? [] : [`@maxItems ${most}`]),
    ...(bytes === undefined ? [] : [`@maxBytes ${bytes}`]),
    ...(mime === undefined ? [] : [`@mime ${mime.join(", ")}`]),
  ];
  const comment = tags.length === 0 ? "" : `/** ${tags.join(" ")} */ `;
  return `${comment}${name}${optional ? "?" : ""}: File${many ? "[]" : ""};`;
}
