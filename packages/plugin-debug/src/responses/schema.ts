import { suggestion } from "./nearest.ts";
import type { SidecarState } from "./sidecar-state.ts";
import { readArtifact } from "./artifacts.ts";
import { ErrorResponse, truncate } from "./error-response.ts";

/** Type in `.kit/schemas.json`. In a large project, empty lists and `required: true` are left out. */
interface Entry {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly table?: string | null;
  readonly schema: Schema;
  readonly inputSchema?: Schema | null;
  readonly properties: readonly Property[];
  readonly usedBy?: readonly { readonly route: string; readonly as: string }[];
  readonly refersTo?: readonly string[];
}

/** JSON Schema of a type. */
interface Schema {
  readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly $ref?: string;
}

interface Property {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly tags?: readonly string[];
}

/** Use of a type in a route: as its body, query, params or response, which are its slots. */
interface Usage {
  readonly route: string;
  readonly as: string;
  /** Types that lead from the route to this type. Absent if the route names the type itself. */
  readonly through?: readonly string[];
}

type Entries = Readonly<Record<string, Entry>>;

/** Start of a reference to a schema of the OpenAPI document. Only large projects have such references. */
const reference = "schemas/openapi.json#/components/schemas/";

/** Keywords of a property's JSON Schema that the response contains in another form, so they are not listed with its rules. */
const saidOtherwise: ReadonlySet<string> = new Set(["type", "default", "readOnly", "$ref"]);

export async function allSchemas(state: SidecarState): Promise<object> {
  const entries = await readArtifact<Entries>(state.host, "schemas.json");
  return {
    schemas: Object.values(entries).map(({ name, file, line, table }) => ({
      name,
      table: table ?? undefined,
      file,
      line,
    })),
  };
}

export async function schemaOf(state: SidecarState, name: string): Promise<object> {
  const entries = await readArtifact<Entries>(state.host, "schemas.json");
  const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
  if (entry === undefined) {
    const names = Object.keys(entries);
    throw new ErrorResponse(
      404,
      "NOT_FOUND",
      `there is no type ${truncate(name)}; ${suggestion(name, names)}`,
    );
  }
  const { file, line, table } = entry;
  const schema = await resolved(state, entry.schema);
  const inputSchema = await resolved(state, entry.inputSchema);
  return {
    name: entry.name,
    ...(table && { table }),
    properties: entry.properties.map((property) => showProperty(property, schema)),
    usedBy: usesOf(entry, entries),
    file,
    line,
    schema,
    ...(inputSchema !== undefined && inputSchema !== null && { inputSchema }),
  };
}

/** Returns a JSON Schema. If it is a reference to a schema of the OpenAPI document, returns that schema. */
async function resolved<T extends Schema | null | undefined>(
  state: SidecarState,
  schema: T,
): Promise<T | Schema> {
  if (schema?.$ref?.startsWith(reference) !== true) return schema;
  const document = await readArtifact<{ components: { schemas: Record<string, Schema> } }>(
    state.host,
    "schemas/openapi.json",
  );
  return document.components.schemas[schema.$ref.slice(reference.length)] ?? schema;
}

function showProperty(property: Property, schema: Schema): object {
  const own = schema.properties?.[property.name] ?? {};
  const isInteger = property.type === "number" && own["type"] === "integer";
  return {
    name: property.name,
    type: isInteger ? "integer" : property.type,
    ...Object.fromEntries(Object.entries(own).filter(([rule]) => !saidOtherwise.has(rule))),
    ...(property.default !== undefined && property.default !== null && { default: property.default }),
    required: property.required ?? true,
    tags: property.tags ?? [],
  };
}

/**
 * Returns the uses of a type. Slots that name the type itself come first, then slots that contain the type through other types. Each slot
 * occurs once, with its shortest path.
 */
function usesOf(entry: Entry, entries: Entries): Usage[] {
  const uses = new Map<string, Usage>();
  const seen = new Set([entry.name]);
  const open: { current: Entry; through: readonly string[] }[] = [{ current: entry, through: [] }];
  for (const { current, through } of open) {
    for (const { route, as } of current.usedBy ?? []) {
      const key = `${route} ${as}`;
      if (!uses.has(key)) uses.set(key, { route, as, ...(through.length > 0 && { through }) });
    }
    for (const other of Object.values(entries)) {
      if (other.refersTo?.includes(current.name) !== true || seen.has(other.name)) continue;
      seen.add(other.name);
      open.push({ current: other, through: [other.name, ...through] });
    }
  }
  return [...uses.values()];
}
