#!/usr/bin/env node
// Runs on every Node that there is, so that an old one is told what it lacks. Nothing newer may be imported before that.
const wanted = 24;
const version = process.versions.node;

if (Number.parseInt(version, 10) < wanted) {
  process.stderr.write(
    "error: kit needs Node " +
      wanted +
      " or newer, but this is Node " +
      version +
      " (" +
      process.execPath +
      ").\n" +
      "Install it from https://nodejs.org, or for this project alone: npm install --save-dev node@" +
      wanted +
      "\n",
  );
  process.exitCode = 1;
} else {
  import("#main").then(
    (kit) => kit.main(process.argv.slice(2)),
    (error) => {
      process.stderr.write("error: kit could not be started: " + (error && error.stack) + "\n");
      process.exitCode = 70;
    },
  );
}
