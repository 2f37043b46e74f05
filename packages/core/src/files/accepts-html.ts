/** Returns true if the header `accept` names `text/html`, as browsers do for pages but not for scripts or `fetch`. */
export function acceptsHtml(header: string | undefined): boolean {
  return (header ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/html" && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter));
  });
}
