/** Entry point of the playground: types on the left, the files that kit generates from them on the right. */
import { render } from "preact";

import { App } from "./app.tsx";
import { open } from "./state/address.ts";

render(<App opened={await open(location.hash)} />, document.querySelector("#app")!);
