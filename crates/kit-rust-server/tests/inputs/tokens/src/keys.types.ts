/** A key that the database counts, as text on the wire. @table visits */
export interface Visit {
  /** @id @generated */
  id: bigint;
  /** @maxLength 40 */
  page: string;
}

/** A key that the database generates at random. @table tokens */
export interface Token {
  /** @id @generated uuid */
  id: string;
  /** @maxLength 40 */
  name: string;
}
