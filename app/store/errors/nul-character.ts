/**
 * Returns the error for a statement whose text has a NUL character, which MikroORM writes into it with a value: the SQLSTATE
 * with which PostgreSQL refuses a bound value. The server itself would report a violation of the protocol, as it does for a
 * broken connection. Null if the text has none.
 */
export function nulCharacterError(sql: string): Error | null {
  if (!sql.includes('\0')) return null
  return Object.assign(new Error('A value contains a NUL character.'), { code: '22021' })
}
