// Checks OpenAPI documents of all versions with the recommended rules of the linters Redocly and Spectral. The
// meta-schemas are checked in packages/core/test/codec/openapi.test.ts.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { repository } from "../e2e/support/project.ts";
import { redocly, stoplight } from "./linters.ts";

const goldens = join(repository, "crates/kit-emit/tests/goldens");
/** Rules that the hand-written programs of kit-emit break, because they have no texts for people. */
const TEXTS = /^(info-|tag-description|operation-(description|summary|4xx-response)|oas3-unused-component)/;

const DOCUMENTS = [
  ["3.0", "openapi-3.0/bodies"],
  ["3.1", "bodies"],
  ["3.2", "openapi-3.2/bodies"],
  ["3.0", "openapi-3.0/contracts"],
  ["3.0", "openapi-3.0/kitchen-sink"],
  ["3.1", "contracts"],
  ["3.2", "openapi-3.2/contracts"],
  ["3.2", "openapi-3.2/kitchen-sink"],
  ["3.0", "entity-tags/3.0"],
  ["3.1", "entity-tags/3.1"],
  ["3.2", "entity-tags/3.2"],
] as const;

/** Rule that documents of 3.0 break for lines and events, because only their description can name the component. */
const STREAMS = /^no-unused-components #\/components\/schemas\/Book:/;

for (const [version, directory] of DOCUMENTS) {
  const source = await readFile(join(goldens, directory, "schemas/openapi.json"), "utf8");

  test(`${directory} is a document of OpenAPI ${version} without problems under Redocly's rules`, async () => {
    assert.match((JSON.parse(source) as { openapi: string }).openapi, new RegExp(`^${version}\\.\\d$`));
    assert.deepEqual(
      (await redocly(source)).filter(
        (line) => !TEXTS.test(line) && !(directory === "openapi-3.0/bodies" && STREAMS.test(line)),
      ),
      [],
    );
  });

  // The rules of Spectral do not know 3.2.
  if (version === "3.2") continue;
  test(`${directory} has no problems under Spectral's rules`, async () => {
    assert.deepEqual(
      (await stoplight(source)).filter((line) => !TEXTS.test(line)),
      [],
    );
  });
}
