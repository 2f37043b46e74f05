// `node tests/oracle/show.ts [PART]`: prints what differs between kit and TypeScript, as far as names contain PART.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { examine } from "./support/examine.ts";
import { Fixtures } from "./support/project.ts";

const part = process.argv[2] ?? "";
const known = JSON.parse(await readFile(join(import.meta.dirname, "differences.json"), "utf8")) as readonly {
  type: string;
  about: string;
}[];
const fixtures = await Fixtures.copy();
try {
  const { findings, problems, values } = await examine(fixtures);
  for (const problem of problems) console.log(`problem: ${problem}`);
  const differing = findings.filter(({ difference }) => difference !== undefined);
  for (const { type, about, difference } of differing.filter((one) => one.type.includes(part))) {
    const listed = known.some((entry) => entry.type === type && entry.about === about);
    console.log(`${type} (${about}${listed ? ", listed" : ""})\n  ${difference}`);
  }
  console.log(
    `${findings.length} compared, ${differing.length} differ; ${values.shown} values, ${values.accepted} accepted`,
  );
} finally {
  await fixtures.remove();
}
