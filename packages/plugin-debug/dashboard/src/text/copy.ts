/**
 * Copies a text to the clipboard. Returns true on success. Browsers offer the clipboard API only to pages of this machine or with TLS.
 * Other pages use the deprecated command `copy`.
 */
export async function copy(text: string): Promise<boolean> {
  if (isSecureContext && navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The user may have refused the permission. The older command needs no permission.
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("aria-hidden", "true");
  area.className = "offscreen";
  const focused = document.activeElement;
  // Inside an open dialog, because the browser lets only elements of the dialog have the focus.
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
