import type { SqlError } from './sql-state.ts'

/** The columns and the value of the violated constraint. Empty if the error names none. */
export function violatedKey(error: unknown): { readonly columns: string; readonly value: string } {
  // `Key (name)=(Ada) already exists.`; the words are in the language of the server.
  const [, columns = '', value = ''] = /\((.+?)\)=\((.*)\)/s.exec((error as SqlError).detail ?? '') ?? []
  return { columns, value }
}

/**
 * The columns of a unique index or an exclusion constraint, those in expressions included: `isbn, "order", lower(title)`. A
 * foreign key violation has no quotes.
 */
export function columnsIn(key: string): string[] {
  const names = key
    .replace(/'[^']*'/g, '')
    .matchAll(/"((?:[^"]|"")+)"|(?<![\p{L}\p{N}_$:])([\p{L}_][\p{L}\p{N}_$]*)(?![\p{L}\p{N}_$(])/gu)
  return Array.from(names, ([name, quoted]) => quoted?.replaceAll('""', '"') ?? name)
}

/** The column of a check constraint with the default name, such as `books_state_check`. Empty for another name. */
export function checkedColumn({ table = '', constraint = '' }: SqlError): string {
  const isDefault = constraint.startsWith(`${table}_`) && constraint.endsWith('_check')
  return isDefault ? constraint.slice(table.length + 1, -'_check'.length) : ''
}

/** The table of the missing row of a foreign key violation: `Key (code)=(x) is not present in table "books".` */
export function referencedTable({ detail = '' }: SqlError): string | undefined {
  return /["«»„“”]\s*([^"«»„“”]+?)\s*["«»„“”]/.exec(detail.replace(/\(.+?\)=\(.*\)/s, ''))?.[1]
}
