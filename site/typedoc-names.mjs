// Plugin of TypeDoc: names modules as users import them, `@kit/core/codec` in place of `core/src/codec`. The pages have no icon, so that
// browsers do not ask for one.

/** Kind of a module in TypeDoc: `ReflectionKind.Module`. Its package cannot be imported here, because it is installed in target/site. */
const MODULE = 2;

/** Called by TypeDoc when it starts. */
export function load(app) {
  app.converter.on("resolveBegin", ({ project }) => {
    for (const module of project.getReflectionsByKind(MODULE))
      module.name = `@kit/${module.name.replace("/src", "")}`;
  });
  app.renderer.hooks.on("head.end", () => ({
    tag: "link",
    props: { rel: "icon", href: "data:," },
    children: [],
  }));
}
