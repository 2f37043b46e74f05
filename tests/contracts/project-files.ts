/** Files of the projects that tests of contracts build. */

/** Returns the manifest and the settings of a project that uses some of kit's packages. */
export function projectFiles(name: string, packages: readonly string[]): [path: string, text: string][] {
  const manifest = {
    name,
    version: "1.0.0",
    private: true,
    type: "module",
    dependencies: Object.fromEntries(packages.map((of) => [`@kit/${of}`, "0.1.0"])),
    devDependencies: { "@kit/cli": "0.1.0", "@types/node": "24.10.1", typescript: "7.0.2" },
  };
  const settings = {
    compilerOptions: {
      target: "es2024",
      lib: ["es2024"],
      module: "nodenext",
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ["src", ".kit/**/*"],
  };
  return [
    ["package.json", JSON.stringify(manifest, null, 2)],
    ["tsconfig.json", JSON.stringify(settings, null, 2)],
  ];
}
