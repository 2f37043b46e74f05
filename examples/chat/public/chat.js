const join = document.querySelector("#join");
const say = document.querySelector("#say");
const list = document.querySelector("#messages");
const status = document.querySelector("[role=status]");

/** Milliseconds before the page reconnects. */
const reconnectMs = 1000;

let socket;
/** Id of the last message that the page shows. */
let last = 0;

/** Begins a session with a name. The session may have ended before a reconnection. */
async function enter(name) {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ name });
  const { ok } = await fetch("session", { method: "POST", headers, body }).catch(() => ({ ok: false }));
  return ok;
}

/** Number of the last call of `connect`. An earlier call ends, because the page joins another room. */
let calls = 0;

async function connect(room, name) {
  const call = ++calls;
  if (!(await enter(name))) {
    status.textContent = "The chat cannot be reached.";
    setTimeout(() => call === calls && connect(room, name), reconnectMs);
    return;
  }
  if (call !== calls) return;
  const url = new URL(`rooms/${encodeURIComponent(room)}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const opened = new WebSocket(url);
  socket = opened;
  opened.addEventListener("open", () => {
    status.textContent = `You are in the room ${room}.`;
    say.hidden = false;
  });
  opened.addEventListener("message", ({ data }) => show(JSON.parse(data)));
  opened.addEventListener("close", ({ code, reason }) => {
    // The page has joined another room.
    if (socket !== opened) return;
    status.textContent = reason === "" ? "The connection was lost." : reason;
    // A message that breaks the contract would break it again.
    if (code !== 1008) setTimeout(() => socket === opened && connect(room, name), reconnectMs);
  });
}

function show({ id, author, text }) {
  // After a reconnection, the server sends the last messages again.
  if (id <= last) return;
  last = id;
  const item = document.createElement("li");
  const who = document.createElement("strong");
  who.textContent = author;
  item.append(who, `: ${text}`);
  list.append(item);
}

join.addEventListener("submit", (event) => {
  event.preventDefault();
  const { room, name } = Object.fromEntries(new FormData(join));
  list.replaceChildren();
  last = 0;
  const previous = socket;
  socket = undefined;
  previous?.close();
  connect(room, name);
});

say.addEventListener("submit", (event) => {
  event.preventDefault();
  socket.send(JSON.stringify({ text: new FormData(say).get("text") }));
  say.reset();
});
