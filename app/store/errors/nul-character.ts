/**
 * Returns the error for a statement whose text has a NUL character, which MikroORM writes into it with a value: the SQLSTATE
 * with which PostgreSQL refuses a bound value. The server itself would report a violation of the protocol, as it does for a
 * broken connection.
 */
export function nulCharacterError(): Error {
  return Object.assign(new Error('A value contains a NUL character.'), { code: '22021' })
}
