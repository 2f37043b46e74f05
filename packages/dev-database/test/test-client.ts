import { createTestDatabase } from "../src/index.ts";
import { open } from "../src/postgres-protocol.ts";

// Program that creates a test database and never closes it.
const database = await createTestDatabase({
  dataDir: process.argv[2] ?? "",
  template: {
    key: "notes",
    prepare: async (url) => {
      const { port, username, password, pathname } = new URL(url);
      const connection = await open({
        port: Number(port),
        user: username,
        password,
        database: pathname.slice(1),
      });
      await connection.query("CREATE TABLE notes (id integer PRIMARY KEY, title text)");
      await connection.query("INSERT INTO notes VALUES (1, 'of the template')");
      connection.end();
    },
  },
});
console.log(database.url);
process.stdin.resume();
