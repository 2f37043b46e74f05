// Plugin as an external author writes it: a package with its own types, and a project that uses it. `docs/guide/plugins.md` shows the same.

/** Files of the plugin's package as it is published: JavaScript with the declarations that tsc writes. */
export const plugin: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "kit-plugin-plans",
    version: "1.0.0",
    keywords: ["kit", "kit-plugin"],
    type: "module",
    exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    files: ["dist"],
    peerDependencies: { "@kit/cli": "^0.1.0" },
  }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "es2024",
      module: "nodenext",
      types: ["node"],
      strict: true,
      declaration: true,
      rootDir: "src",
      outDir: "dist",
    },
    include: ["src"],
  }),
  "src/index.ts": `
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";

import type { Plugin } from "@kit/cli";

export interface PlansOptions {
  /** Names of all plans. */
  readonly plans: readonly string[];
}

/** Adds the type \`Plan\`, bounds every name, checks plans by hand, lists routes, and compiles by removing the types. */
export function plans({ plans }: PlansOptions): Plugin {
  const literals = plans.map((plan) => JSON.stringify(plan));
  return {
    name: "kit-plugin-plans",
    hooks: {
      beforeTransform({ addTypes }) {
        addTypes({
          path: "virtual/plan.types.ts",
          text: \`export type Plan = \${literals.join(" | ")};\\nexport interface Subscription {\\n  plan: Plan;\\n  seats: number;\\n}\\n\`,
        });
      },
      afterTypeParse({ program, build }) {
        for (const type of program.types) {
          if (type.kind !== "object") continue;
          for (const property of type.properties) {
            const text = program.types[property.type];
            if (property.name === "name" && text?.kind === "string") text.constraints = { ...text.constraints, maxLength: 5 };
          }
        }
        const greeting = program.declarations.find(({ name }) => name === "Greeting");
        if (greeting?.documentation.description === undefined)
          build.report({ severity: "warning", message: "Greeting has no description", ...(greeting && { span: greeting.span }) });
      },
      afterValidators({ validators, addValidator, replaceValidator }) {
        const subscription = validators.find(({ type }) => type === "Subscription");
        if (subscription === undefined) throw new Error("there is no validator of Subscription");
        replaceValidator("Subscription", \`// checked by kit-plugin-plans\\n\${subscription.text}\`);
        addValidator({ path: "plans.ts", text: \`export const plans: readonly string[] = [\${literals.join(", ")}];\\n\` });
      },
      emit({ program, addFile }) {
        const routes = program.routes.map(({ method, path }) => \`\${method} \${path}\\n\`);
        addFile({ path: "plans/routes.txt", text: routes.join("") });
        addFile({ path: "plans/program.json", text: JSON.stringify(program) });
      },
      async compile({ build, handle }) {
        const { root, config } = build;
        const to = join(root, config.distDir);
        await mkdir(join(to, "src"), { recursive: true });
        await cp(join(root, config.outputDir), join(to, config.outputDir), { recursive: true });
        const source = await readFile(join(root, "src/plan.ts"), "utf8");
        await writeFile(join(to, "src/plan.js"), stripTypeScriptTypes(source));
        handle();
      },
    },
  };
}
`,
};

/** Files of a project whose routes, application and module use what the plugin adds. */
export const project: Readonly<Record<string, string>> = {
  "kit.config.ts": `
import { defineConfig } from "@kit/cli";
import { plans } from "kit-plugin-plans";

export default defineConfig({ plugins: [plans({ plans: ["free", "paid"] })] });
`,
  "src/app.ts": `
import { createApp, defineHandlers } from "@kit/core";
import { nativeServer } from "@kit/server-native";
import type { GreetingRoutes } from "./greeting.routes.ts";

const handlers = defineHandlers<GreetingRoutes>({
  "POST /greetings": ({ body }) => ({ name: body.name, at: new Date(0) }),
});

export const app = createApp({ server: nativeServer(), routes: [{ prefix: "/greetings", handlers }] });
`,
  "src/plan.ts": `
import { plans } from "../.kit/validators/plans.ts";

export const isPlan = (text: string): boolean => plans.includes(text);
`,
};
