/** A process that opens a database: prints its URL, then stays until its standard input ends. `--leave` ends at once. */
import { openDatabase } from "../src/index.ts";

const [dataDir, flag] = process.argv.slice(2);
const database = await openDatabase(dataDir === undefined ? {} : { dataDir });
console.log(database.url);
if (flag !== "--leave") process.stdin.resume();
