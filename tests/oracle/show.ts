// `node tests/oracle/show.ts [PART]`: prints the differences between kit and TypeScript, for names that contain PART.
// `node tests/oracle/show.ts --shrink`: removes entries from `differences.json` that are no longer differences. New entries are added by
// hand only.

import { writeFile } from "node:fs/promises";
import { differs, differencesFile, readDifferences } from "./support/differences.ts";
import { examine } from "./support/examine.ts";
import { Fixtures } from "./support/project.ts";

const shrink = process.argv.includes("--shrink");
const part = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? "";
const known = await readDifferences();
const fixtures = await Fixtures.copy();
try {
  const { findings, problems, values } = await examine(fixtures);
  for (const problem of problems) console.log(`problem: ${problem}`);
  const differing = findings.filter(({ difference }) => difference !== undefined);
  if (shrink) {
    const left = known.filter((entry) => differing.some((finding) => differs(entry, finding)));
    await writeFile(differencesFile, `${JSON.stringify(left, null, 2)}\n`);
    console.log(`${known.length - left.length} entries no longer differ; ${left.length} are left`);
  } else {
    for (const finding of differing.filter(({ type }) => type.includes(part))) {
      const listed = known.some((entry) => differs(entry, finding)) ? ", listed" : "";
      console.log(`${finding.type} (${finding.about}${listed})\n  ${finding.difference}`);
    }
  }
  console.log(
    `${findings.length} compared, ${differing.length} differ; ${values.tested} values, ${values.accepted} accepted`,
  );
} finally {
  await fixtures.remove();
}
