/** Entry point of the debug sidecar's dashboard, which shows the activity of an application in a browser. */
import { render } from "preact";

import { App } from "./app.tsx";
import { followAddress } from "./state/place.ts";
import { followTheme } from "./state/preferences.ts";
import { start } from "./state/session.ts";

followTheme();
followAddress();
start();
render(<App />, document.querySelector("#app")!);
