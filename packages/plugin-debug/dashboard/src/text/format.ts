/** Formats milliseconds: `0.42 ms`, `12 ms`, `3.1 s`, `2 min`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return "–";
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  if (ms < 1_000) return `${ms.toFixed(ms < 100 ? 1 : 0)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats the uptime of a process: `4 min 12 s`, `3 h 20 min`, `2 d 4 h`. */
export function uptime(seconds: number): string {
  const [s, min, h] = [Math.floor(seconds), Math.floor(seconds / 60), Math.floor(seconds / 3_600)];
  if (min < 1) return `${s} s`;
  if (h < 1) return `${min} min ${s % 60} s`;
  return h < 24 ? `${h} h ${min % 60} min` : `${Math.floor(h / 24)} d ${h % 24} h`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Formats a number of bytes: `812 B`, `3.4 MiB`. */
export function bytes(size: number): string {
  let value = size;
  let unit = 0;
  while (value >= 1_024 && unit + 1 < units.length) {
    value /= 1_024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Formats a number: `12,345`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/** Formats a rate per second, with more digits for small rates: `0.03/s`, `4.2/s`, `310/s`. */
export function rate(perSecond: number): string {
  const digits = perSecond >= 100 || perSecond === 0 ? 0 : perSecond >= 10 ? 1 : 2;
  return `${perSecond.toFixed(digits)}/s`;
}

/** Formats a time of day in the local time zone: `14:03:07.214`. */
export function clock(time: number | string, withMs = true): string {
  const date = new Date(time);
  const ms = withMs ? `.${String(date.getMilliseconds()).padStart(3, "0")}` : "";
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${ms}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** Formats the time that has passed since an event: `now`, `12 s ago`, `3 min ago`. */
export function ago(time: number | string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - new Date(time).getTime()) / 1_000));
  if (seconds < 2) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

/** Formats JSON with line breaks and indentation. Returns a string that is not JSON unchanged. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
