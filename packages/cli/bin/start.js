// Must run on every version of Node, so that an old one reports the required version. Nothing newer may be imported before the check.
// Node 24.0.0 to 24.4.0 use a hash function for strings with which clients can slow a server down (CVE-2025-27209).
const oldest = [24, 4, 1];
const wanted = oldest.join(".");

/** Runs a `kit` command with these arguments, and sets the exit code. Fails if this version of Node is too old. */
export function start(args) {
  const version = process.versions.node;
  const parts = version.split(".").map(Number);
  const differing = oldest.findIndex((part, index) => parts[index] !== part);
  if (differing !== -1 && parts[differing] < oldest[differing]) {
    process.stderr.write(
      "error: kit needs Node " +
        wanted +
        " or newer, but this is Node " +
        version +
        " (" +
        process.execPath +
        ").\n" +
        "Install it from https://nodejs.org, or for this project alone: npm install --save-dev node@24\n",
    );
    process.exitCode = 1;
    return;
  }
  process.getBuiltinModule("node:module").enableCompileCache(cacheDirectory());
  import("#main").then(
    (kit) => kit.main(args),
    (error) => {
      process.stderr.write("error: kit could not be started: " + (error && error.stack) + "\n");
      process.exitCode = 70;
    },
  );
}

/**
 * Returns the directory in which Node keeps the compiled code of kit's modules for the next command. Node's own choice is the directory
 * for temporary files, where another user of the machine could put code.
 */
function cacheDirectory() {
  const bin = import.meta.dirname;
  const modules = bin.lastIndexOf("node_modules");
  // kit's own repository has no `node_modules` around this file.
  return (modules === -1 ? bin + "/../" : bin.slice(0, modules)) + "node_modules/.cache/kit/compiled";
}
