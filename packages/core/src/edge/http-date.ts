const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const month = `(${months.join("|")})`;
const time = "([0-2][0-9]):([0-5][0-9]):([0-5][0-9]|60)";
const day = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const longDay = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";

/** Forms of a date (RFC 9110, 5.6.7): the current form, and two obsolete forms that recipients must accept. */
const fixed = new RegExp(`^${day}, ([0-9]{2}) ${month} ([0-9]{4}) ${time} GMT$`);
const obsolete = new RegExp(`^${longDay}, ([0-9]{2})-${month}-([0-9]{2}) ${time} GMT$`);
const ofTheLibraryOfC = new RegExp(`^${day} ${month} ([0-9]{2}| [0-9]) ${time} ([0-9]{4})$`);

/**
 * Returns the time of an HTTP date in seconds since 1970, or `undefined` if the text is none. A year of two digits is at
 * most 50 years in the future.
 */
export function secondsOfHttpDate(text: string, now: Date = new Date()): number | undefined {
  const modern = fixed.exec(text);
  if (modern !== null) {
    const [, date = "", name = "", year = "", ...clock] = modern;
    return secondsOf(Number(year), name, Number(date), clock);
  }
  const old = obsolete.exec(text);
  if (old !== null) {
    const [, date = "", name = "", short = "", ...clock] = old;
    const century = Math.floor(now.getUTCFullYear() / 100) * 100;
    const year = century + Number(short);
    return secondsOf(year > now.getUTCFullYear() + 50 ? year - 100 : year, name, Number(date), clock);
  }
  const short = ofTheLibraryOfC.exec(text);
  if (short === null) return undefined;
  const [, name = "", date = "", hours = "", minutes = "", seconds = "", year = ""] = short;
  return secondsOf(Number(year), name, Number(date), [hours, minutes, seconds]);
}

function secondsOf(
  year: number,
  name: string,
  date: number,
  [hours = "", minutes = "", seconds = ""]: readonly string[],
): number | undefined {
  const at = months.indexOf(name as (typeof months)[number]);
  const midnight = new Date(Date.UTC(2000, at, 1));
  midnight.setUTCFullYear(year, at, date);
  // A date such as 31 February would be one of the next month.
  if (midnight.getUTCDate() !== date || midnight.getUTCMonth() !== at || Number(hours) > 23) return undefined;
  return midnight.getTime() / 1000 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
