/** Puts a text into the clipboard; whether that worked. Browsers have one for pages of this machine and of TLS only, and an older way for the others. */
export async function copy(text: string): Promise<boolean> {
  if (isSecureContext && navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // It may have been refused; the older way asks nobody.
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  area.className = "offscreen";
  const focused = document.activeElement;
  // A dialog keeps the focus within itself.
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- there is no other way without TLS
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
