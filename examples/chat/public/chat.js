const join = document.querySelector("#join");
const say = document.querySelector("#say");
const list = document.querySelector("#messages");
const status = document.querySelector("[role=status]");

/** Milliseconds before the page reconnects. */
const reconnectMs = 1000;

let socket;
/** Id of the last message that the page shows. */
let last = 0;

function connect(room, name) {
  const url = new URL(`rooms/${encodeURIComponent(room)}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.searchParams.set("name", name);
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
  connect(room, name);
  previous?.close();
});

say.addEventListener("submit", (event) => {
  event.preventDefault();
  socket.send(JSON.stringify({ text: new FormData(say).get("text") }));
  say.reset();
});
