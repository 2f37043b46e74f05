/** Program that opens a database, prints its URL, and runs until its standard input ends. With `--leave` it exits immediately. */
import { openDatabase } from "../src/index.ts";

const [dataDir, flag] = process.argv.slice(2);
const database = await openDatabase(dataDir === undefined ? {} : { dataDir });
console.log(database.url);
if (flag !== "--leave") process.stdin.resume();
