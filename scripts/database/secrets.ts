import type { CatalogColumn, CatalogRelation } from './introspect.ts'
import { toWords } from './names.ts'

const parts =
  /passw|passphrase|passcode|pwd|secret(?!ar)|token|credential|card_?number|cc_number|social_security|security_answer|seed_phrase|jwt|bearer/
const words = /(?:^|_)(?:hash|salt|ssn|pin|otp|totp|cvc|cvv|pw|cookies?)\d*(?:_|$)/
const keys = /(?:^|_)(?:api|access|auth|private|signing|encryption|master|hmac|ssh|session|licen[cs]e)_?keys?(?:_|$)/
const codes = /(?:^|_)(?:security|mfa|2fa|backup|recovery|reset|verification)_?codes?(?:_|$)/
const whole = /^private$|(?:^|_)pass$|^encrypted_/
/** Secrets that are numbers. Others, such as `token_count`, count or measure. */
const numbers = /passcode|card_?number|cc_number|social_security|(?:^|_)(?:ssn|pin|otp|totp|cvc|cvv)\d*(?:_|$)/

/** Whether the name of a column suggests a secret: `password`, `pin_hash`, `session_token`, `backup_codes`, `ssn`. */
export function looksSecret(name: string): boolean {
  const text = toWords(name)
  return [parts, words, keys, codes, whole].some((pattern) => pattern.test(text))
}

/** Columns such as `has_password` and `password_changed_at` hold no secret. */
const plainTypes = new Set(['bool', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'])
const numberTypes = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money'])

function suggestsSecret({ name, typeName }: CatalogColumn): boolean {
  if (plainTypes.has(typeName)) return false
  if (numberTypes.has(typeName)) return numbers.test(toWords(name)) || codes.test(toWords(name))
  return looksSecret(name)
}

/** Why columns are hidden, by `table.column`. */
export type Secrets = ReadonlyMap<string, string>

/**
 * Finds the columns with a name that suggests a secret, those that refer to one or show one in a view, and JSON columns into which
 * a trigger of a table with secrets writes whole rows.
 */
export function findSecrets(relations: readonly CatalogRelation[]): Secrets {
  const secrets = new Map<string, string>()
  for (const { name, columns } of relations) {
    for (const column of columns.filter(suggestsSecret))
      secrets.set(`${name}.${column.name}`, 'its name suggests a secret')
  }
  const derived = relations.flatMap((relation) => [...references(relation), ...shownColumns(relation)])
  const written = relations.flatMap((relation) => writtenRows(relation, relations))
  for (let before = -1; before < secrets.size; ) {
    before = secrets.size
    for (const { member, source, reason } of [...derived, ...written]) {
      const isSource = (name: string) => name === source || name.startsWith(`${source}.`)
      if (!secrets.has(member) && [...secrets.keys()].some(isSource)) secrets.set(member, reason)
    }
  }
  return secrets
}

interface Derived {
  readonly member: string
  /** The column, or the table, that makes the member a secret if it is or has one. */
  readonly source: string
  readonly reason: string
}

function references({ name, constraints }: CatalogRelation): Derived[] {
  return constraints.flatMap(({ target, columns, targetColumns }) =>
    targetColumns.map((column, index) => {
      const source = `${target}.${column}`
      return { member: `${name}.${columns[index]}`, source, reason: `it refers to ${source}, which is hidden` }
    }),
  )
}

/** The columns of a view that have the name of a column that it reads. */
function shownColumns({ name, columns, readColumns }: CatalogRelation): Derived[] {
  return readColumns
    .filter(({ column }) => columns.some((own) => own.name === column))
    .map(({ table, column }) => {
      const source = `${table}.${column}`
      return { member: `${name}.${column}`, source, reason: `it shows ${source}, which is hidden` }
    })
}

const wholeRow = /\b(?:row_to_json|to_jsonb?|hstore)\s*\(\s*(?:old|new)\b(?!\s*\.\s*[\w"])/i

/** The JSON columns of the tables that a trigger function with a whole row names after `insert into` or `update`. */
function writtenRows({ name, triggers }: CatalogRelation, relations: readonly CatalogRelation[]): Derived[] {
  return triggers
    .filter(({ source }) => wholeRow.test(source))
    .flatMap((trigger) => {
      const written = [...trigger.source.matchAll(/\b(?:insert\s+into|update)\s+(?:\w+\.)?("(?:[^"]|"")+"|\w+)/gi)]
      const tables = written.map(([, table = '']) => table.replaceAll('"', '').toLowerCase())
      const reason = `the trigger ${trigger.name} of ${name} writes rows with hidden columns to it`
      return relations
        .filter((relation) => tables.includes(relation.name.toLowerCase()))
        .flatMap((relation) => relation.columns.filter(isDocument).map((column) => `${relation.name}.${column.name}`))
        .map((member) => ({ member, source: name, reason }))
    })
}

function isDocument({ typeName }: CatalogColumn): boolean {
  return ['json', 'jsonb', 'hstore'].includes(typeName)
}
