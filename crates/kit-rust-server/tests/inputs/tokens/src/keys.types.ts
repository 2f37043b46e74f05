/** A key that the database counts, as text on the wire. @table stats.visits */
export interface Visit {
  /** @id @generated */
  id: bigint;
  /** @maxLength 40 */
  page: string;
}

/** A key that the database generates at random. @table access.tokens */
export interface Token {
  /** @id @generated uuid */
  id: string;
  /** @maxLength 40 */
  name: string;
}

/** A foreign key to a table of another schema. @table stats.uses */
export interface Use {
  /** @id @generated */
  id: bigint;
  /** @references Token.id @index */
  tokenId: string;
}
