// Writes a model as TypeScript source.

import type {
  ChoicesModel,
  EitherModel,
  Model,
  ObjectModel,
  PropertyModel,
  Subject,
  TemplateModel,
  TupleModel,
} from "./model.ts";
import { KEY_RULES } from "./model.ts";

/** Returns the source of an exported type and of the types that it refers to. */
export function source(subject: Subject): string {
  return new Source(subject).text();
}

class Source {
  readonly #subject: Subject;
  readonly #declarations: string[] = [];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  text(): string {
    const { name, model, named } = this.#subject;
    for (const [own, recursive] of Object.entries(named)) {
      if (recursive.kind === "object")
        this.#declarations.push(`interface ${own} ${this.#body(recursive.properties)}`);
    }
    const own =
      model.kind === "object" && model.spelling === "interface"
        ? `export interface ${name} ${this.#body(model.properties)}`
        : `export type ${name} = ${this.#type(model)};`;
    return `${[...this.#declarations, own].join("\n")}\n`;
  }

  /** Adds a declaration. Returns its name. */
  #declare(write: (name: string) => string): string {
    const name = `${this.#subject.name}_${this.#declarations.length}`;
    // Reserves the position, because `write` may add other declarations.
    const index = this.#declarations.push("") - 1;
    this.#declarations[index] = write(name);
    return name;
  }

  #interface(properties: readonly PropertyModel[]): string {
    return this.#declare((name) => `interface ${name} ${this.#body(properties)}`);
  }

  #body(properties: readonly PropertyModel[]): string {
    return `{\n${properties.map((property) => this.#property(property)).join("")}}`;
  }

  #property({ name, type, optional, fallback }: PropertyModel): string {
    const written = tags(type).concat(fallback === undefined ? [] : `@default ${JSON.stringify(fallback)}`);
    const doc = written.length === 0 ? "" : `  /**\n${written.map((tag) => `   * ${tag}\n`).join("")}   */\n`;
    return `${doc}  ${JSON.stringify(name)}${optional ? "?" : ""}: ${this.#type(type)};\n`;
  }

  #type(model: Model): string {
    switch (model.kind) {
      case "date":
        return "Date";
      case "bytes":
        return "Uint8Array";
      case "text":
        return model.branded === true ? '(string & { readonly __brand: "Own" })' : "string";
      case "template":
        return template(model);
      case "choices":
        return this.#choices(model);
      case "list": {
        const element = this.#type(model.element);
        if (model.spelling === "brackets") return `(${element})[]`;
        return model.spelling === "generic" ? `Array<${element}>` : `readonly (${element})[]`;
      }
      case "tuple":
        return this.#tuple(model);
      case "dictionary": {
        const value = this.#type(model.value);
        if (model.keys === "ruled") return `Record<${this.#keys()}, ${value}>`;
        const keys = { string: "string", number: "number", template: "`x-${string}`" }[model.keys];
        return model.keys === "string" ? `Record<string, ${value}>` : `{ [key: ${keys}]: ${value} }`;
      }
      case "object":
        return this.#object(model);
      case "either":
        return this.#either(model);
      case "named":
        return model.name;
      default:
        return model.kind;
    }
  }

  #keys(): string {
    const { least, most, pattern } = KEY_RULES;
    return this.#declare(
      (name) => `/** @minLength ${least} @maxLength ${most} @pattern ${pattern} */\ntype ${name} = string;`,
    );
  }

  #choices({ values, spelling }: ChoicesModel): string {
    const literals = values.map((value) => (typeof value === "bigint" ? `${value}n` : JSON.stringify(value)));
    const union = literals.join(" | ");
    switch (spelling) {
      case "union":
        return `(${union})`;
      case "enum":
        return this.#declare(
          (name) =>
            `enum ${name} { ${literals.map((literal, index) => `M${index} = ${literal}`).join(", ")} }`,
        );
      case "constants": {
        const name = this.#declare((own) => `declare const ${own}: readonly [${literals.join(", ")}];`);
        return `(typeof ${name})[number]`;
      }
      case "keys":
        return `keyof { ${literals.map((literal) => `${literal}: 1`).join("; ")} }`;
      case "exclude":
        return `Exclude<${union} | "left out", "left out">`;
      case "extract":
        return `Extract<${union} | 99 | null, string>`;
    }
  }

  #tuple({ first, optional, rest, last }: TupleModel): string {
    const elements = [
      ...first.map((model) => this.#type(model)),
      ...optional.map((model) => `(${this.#type(model)})?`),
      ...(rest === undefined ? [] : [`...(${this.#type(rest)})[]`]),
      ...last.map((model) => this.#type(model)),
    ];
    return `[${elements.join(", ")}]`;
  }

  #either({ members, common }: EitherModel): string {
    const union = members.map((member) => this.#type(member)).join(" | ");
    return common === undefined ? `(${union})` : `(${this.#interface(common)} & (${union}))`;
  }

  #object({ properties, spelling }: ObjectModel): string {
    const half = Math.floor(properties.length / 2);
    const [front, back] = [properties.slice(0, half), properties.slice(half)];
    switch (spelling) {
      case "inline":
        return this.#body(properties);
      case "interface":
        return this.#interface(properties);
      case "extends": {
        const base = this.#interface(front);
        return this.#declare((name) => `interface ${name} extends ${base} ${this.#body(back)}`);
      }
      case "intersection":
        return `(${this.#body(front)} & ${this.#interface(back)})`;
      case "merged":
        return this.#declare(
          (name) => `interface ${name} ${this.#body(front)}\ninterface ${name} ${this.#body(back)}`,
        );
      case "omit": {
        const more: PropertyModel = { name: "left out", type: { kind: "date" }, optional: false };
        return `Omit<${this.#interface([...front, more, ...back])}, "left out">`;
      }
      case "pick": {
        const more: PropertyModel = { name: "left out", type: { kind: "date" }, optional: false };
        const names = properties.map(({ name }) => JSON.stringify(name)).join(" | ");
        return `Pick<${this.#interface([...front, more, ...back])}, ${names === "" ? "never" : names}>`;
      }
      case "mapped": {
        const whole = this.#interface(properties);
        return `{ readonly [K in keyof ${whole}]: ${whole}[K] }`;
      }
      case "generic": {
        const open = properties.find(({ type }) => tags(type).length === 0);
        if (open === undefined || open.fallback !== undefined) return this.#interface(properties);
        const parameter: Model = { kind: "named", name: "T" };
        const others = properties.map((one) => (one === open ? { ...one, type: parameter } : one));
        const name = this.#declare((own) => `interface ${own}<T = never> ${this.#body(others)}`);
        return `${name}<${this.#type(open.type)}>`;
      }
      case "conditional": {
        const whole = this.#interface(properties);
        const name = this.#declare((own) => `type ${own}<T> = T extends { a: infer U } ? U : never;`);
        return `${name}<{ a: ${whole} }>`;
      }
      case "partial":
        if (!properties.every(({ optional }) => optional)) return this.#body(properties);
        return `Partial<${this.#interface(properties.map((one) => ({ ...one, optional: false })))}>`;
      case "required":
        if (properties.some(({ optional }) => optional)) return this.#body(properties);
        return `Required<${this.#interface(properties.map((one) => ({ ...one, optional: true })))}>`;
      case "indexed":
        return `{ inner: ${this.#interface(properties)} }["inner"]`;
      case "renamed": {
        const whole = this.#interface(properties.map((one) => ({ ...one, name: `_${one.name}` })));
        return `{ [K in keyof ${whole} as K extends \`_\${infer Own}\` ? Own : never]: ${whole}[K] }`;
      }
    }
  }
}

function template({ parts }: TemplateModel): string {
  const written = parts.map((part) => (typeof part === "string" ? part : `\${${part.hole}}`));
  return `\`${written.join("")}\``;
}

/** Returns the doc tags that a property of this type has. */
export function tags(model: Model): string[] {
  const rules: Record<string, unknown> = {};
  switch (model.kind) {
    case "either":
      // A union can have rules only if it is a type with rules and `null`.
      return model.members.length === 2 && model.members[1]?.kind === "null"
        ? tags(model.members[0] as Model)
        : [];
    case "text":
      Object.assign(rules, { minLength: model.least, maxLength: model.most });
      Object.assign(rules, { format: model.format, pattern: model.pattern });
      break;
    case "template":
      rules["maxLength"] = model.most;
      break;
    case "number":
      Object.assign(rules, { integer: model.integer && "", minimum: model.minimum, maximum: model.maximum });
      Object.assign(rules, { exclusiveMinimum: model.above, exclusiveMaximum: model.below });
      rules["multipleOf"] = model.multiple;
      break;
    case "list":
      Object.assign(rules, { minItems: model.least, maxItems: model.most, uniqueItems: model.unique && "" });
      break;
    default:
  }
  return Object.entries(rules).flatMap(([tag, rule]) =>
    rule === undefined ? [] : `@${tag} ${String(rule)}`.trim(),
  );
}
