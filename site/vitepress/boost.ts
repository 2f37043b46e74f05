/**
 * Returns the factor of a page in the search: pages of the guide come before reasons of decisions. The site contains the text of this
 * function, so the function uses no other names.
 */
export function boostDocument(id: string): number {
  return id.includes("/guide/") ? 2 : id.includes("/decisions/") ? 0.3 : 1;
}
