const login = document.querySelector("#login");
const form = document.querySelector("#add");
const progress = document.querySelector("progress");
const status = form.querySelector("[role=status]");
const list = document.querySelector("#photos");

async function show() {
  const response = await fetch("/photos");
  const photos = await response.json();
  list.replaceChildren(...photos.map(itemOf));
}

function itemOf({ image: path, title }) {
  const item = document.createElement("li");
  const image = document.createElement("img");
  image.src = path;
  image.alt = title;
  item.append(image, title);
  return item;
}

/** Sends the form. Only `XMLHttpRequest` reports how much of a body is sent. */
function send() {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => (progress.value = loaded / total));
    request.addEventListener("load", () => {
      const { error } = request.response ?? {};
      if (request.status === 201) resolve();
      else reject(new Error(error?.details?.fields?.[0]?.expected ?? error?.message ?? "The server failed"));
    });
    request.addEventListener("error", () => reject(new Error("The connection was lost")));
    const body = new FormData(form);
    if (body.get("tags") === "") body.delete("tags");
    request.send(body);
  });
}

login.addEventListener("submit", async (event) => {
  event.preventDefault();
  const response = await fetch("/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(Object.fromEntries(new FormData(login))),
  });
  login.hidden = response.ok;
  form.hidden = !response.ok;
  if (response.ok) form.querySelector("input").focus();
  else login.querySelector("[role=status]").textContent = (await response.json()).error.message;
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  progress.hidden = false;
  status.textContent = "";
  try {
    await send();
    form.reset();
    status.textContent = "The photo was added.";
    await show();
  } catch (error) {
    status.textContent = error.message;
  } finally {
    progress.hidden = true;
  }
});

await show();
