import { StartupError } from '../connection/startup-error.ts'
import type { SqlError } from '../errors/sql-state.ts'

/** An SQL error with what MikroORM and the drivers add: the statement, and the character in it, counted from 1. */
type FailedStatement = SqlError & { readonly query?: string; readonly position?: string }

/** The longest part of a statement in a message, in characters. */
const excerpt = 200

/** Errors of statements that create an object that exists already: table, column, type, schema, constraint or function. */
const duplicates = new Set(['42P07', '42701', '42710', '42P06', '42P16', '42723'])

/** One sentence with the file, the message, the position and the statement of a failed migration, the last one sent. */
export function toMigrationError(error: unknown, file: string, lastStatement: string): StartupError {
  const { code = '', query = lastStatement, position, constraint = '', detail } = error as FailedStatement
  // Objects of the text search have no error of their own: a unique index of the catalog rejects the second one.
  const isInCatalog = code === '23505' && constraint.startsWith('pg_')
  const message = (isInCatalog && detail) || (error as Error).message
  const statement = query ? `${place(query, position)} ${shorten(query, Number(position ?? 1))}` : ''
  const advice =
    duplicates.has(code) || isInCatalog
      ? ' If the database has this schema already, npm run migrate -- baseline marks its migrations as applied.'
      : ''
  const sentence = `The migration ${file} failed: ${message.replace(/\.$/, '')}${statement}. No migration was applied.${advice}`
  return new StartupError(sentence, { cause: error })
}

function place(query: string, position: string | undefined): string {
  if (position === undefined) return ', in:'
  const before = query.slice(0, Number(position) - 1).split('\n')
  return before.length > 1
    ? `, at line ${before.length}, character ${(before.at(-1) as string).length + 1} of:`
    : `, at character ${position} of:`
}

/** The part of the statement around the position, on one line. */
function shorten(query: string, position: number): string {
  const start = Math.max(0, position - 1 - excerpt / 2)
  const part = query
    .slice(start, start + excerpt)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '… ' : ''}${part}${start + excerpt < query.length ? ' …' : ''}`
}
