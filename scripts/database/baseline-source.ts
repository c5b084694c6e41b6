import { createdObject } from '../support/baseline.ts'
import { sqlName } from './entity-source.ts'
import type { CatalogColumn, CatalogFunction, CatalogRelation, DatabaseCatalog } from './introspect.ts'

/** The statements of a baseline: those of every table, and those before all tables. */
export interface BaselineStatements {
  readonly first: readonly string[]
  readonly extensions: readonly string[]
  /** By table or view, in an order in which they can be executed. */
  readonly tables: ReadonlyMap<string, readonly string[]>
}

/** Languages of functions that an embedded PostgreSQL has. */
const languages = new Set(['sql', 'plpgsql'])

/**
 * Generates the statements that create the schema, from the definitions of PostgreSQL. `created` are the objects of earlier
 * migrations, as `createdObject` returns them.
 */
export function baselineStatements(catalog: DatabaseCatalog, created: ReadonlySet<string>): BaselineStatements {
  const { enums, sequences, domains, composites } = catalog
  const isNew = (statement: string) => !created.has(createdObject(statement))
  const functions = catalog.functions.filter(({ definition }) => isNew(definition.trim()))
  const tables = tableParts(catalog, { created, functions: functions.filter(isUsable) })
  const rowless = functionStatements(functions.filter((one) => isUsable(one) && !one.usesRows))
  const types = [
    ...enums.map(({ name, values }) => `create type ${sqlName(name)} as enum (${values.map(sqlText).join(', ')})`),
    ...domains,
    ...composites,
    ...sequences.map(({ definition }) => definition),
  ]
  const needed = neededBy([...rowless, ...[...tables.values()].flat()], types.filter(isNew))
  const extensions = catalog.extensions.filter((name) => isNew(extensionStatement(name)))
  return { first: [...extensions.map(extensionStatement), ...needed, ...rowless], tables, extensions }
}

function isUsable({ language }: CatalogFunction): boolean {
  return languages.has(language)
}

interface Additions {
  readonly created: ReadonlySet<string>
  /** Functions that no earlier migration creates. */
  readonly functions: readonly CatalogFunction[]
}

function tableParts({ relations, sequences, functions: all }: DatabaseCatalog, { created, functions }: Additions) {
  const added = relations.filter(({ name, readsOtherSchema }) => !created.has(`table ${name}`) && !readsOtherSchema)
  const tables = new Map<string, string[]>()
  const owned = new Map(sequences.flatMap(({ name, owner }) => (owner ? [[owner, name] as const] : [])))
  const ordered = inOrder(added)
  const lastTable = ordered.findLast(({ definition }) => !definition)
  for (const relation of ordered) {
    const statements = relation.definition ? viewStatements(relation) : tableStatements(relation, owned)
    const late = relation === lastTable ? functionStatements(functions.filter(({ usesRows }) => usesRows)) : []
    tables.set(relation.name, [...statements, ...readyKeys(relation, tables, added), ...late])
  }
  for (const { name, triggers } of added) {
    const runnable = triggers.filter((trigger) => all.some((one) => isUsable(one) && one.name === trigger.function))
    const last = [...tables.keys()].at(-1) ?? name
    tables.get(last)?.push(...runnable.map(({ definition }) => definition))
  }
  return tables
}

/** The candidates, statements that create a type or sequence, whose name one of the other statements contains. */
function neededBy(statements: readonly string[], candidates: readonly string[]): string[] {
  const texts = new Set(statements)
  for (const text of texts) {
    for (const candidate of candidates) if (isMentioned(candidate, text)) texts.add(candidate)
  }
  return candidates.filter((candidate) => texts.has(candidate))
}

function isMentioned(creation: string, text: string): boolean {
  const name = createdObject(creation).replace(/^\w+ /, '').replaceAll('"', '""')
  return new RegExp(`(?<!\\w)${name.replace(/[^\w\s]/g, '\\$&')}(?!\\w)`).test(text)
}

/** A body may call functions that are created later. */
function functionStatements(functions: readonly CatalogFunction[]): string[] {
  const statements = functions.map(({ definition }) => definition.trim())
  return statements.length > 0 ? ['set local check_function_bodies to off', ...statements] : []
}

/** Skips an extension that the server does not have: it may serve other purposes than the tables. */
function extensionStatement(name: string): string {
  const available = `exists (select from pg_available_extensions where name = ${sqlText(name)})`
  return `do $$ begin if ${available} then create extension if not exists ${sqlName(name)}; end if; end $$`
}

/** Tables before partitions before views; each group in the order of creation. */
function inOrder(relations: readonly CatalogRelation[]): CatalogRelation[] {
  const rank = ({ definition, partition }: CatalogRelation) => (definition ? 2 : partition ? 1 : 0)
  return relations.toSorted((a, b) => rank(a) - rank(b) || a.oid - b.oid)
}

function tableStatements(relation: CatalogRelation, owned: ReadonlyMap<string, string>): string[] {
  const { name, columns, constraints, indexes, partition, partitionKey } = relation
  const table = sqlName(name)
  if (partition) return [`create table ${table} partition of ${sqlName(partition.parent)} ${partition.bound}`]
  const lines = [
    ...columns.map(columnLine),
    ...constraints
      .filter(({ kind }) => kind !== 'foreign key')
      .map(({ name: constraint, definition }) => `constraint ${sqlName(constraint)} ${definition}`),
  ]
  const partitions = partitionKey ? ` partition by ${partitionKey}` : ''
  const sequences = columns.flatMap((column) => {
    const sequence = owned.get(`${name}.${column.name}`)
    return sequence ? [`alter sequence ${sqlName(sequence)} owned by ${table}.${sqlName(column.name)}`] : []
  })
  return [
    `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${partitions}`,
    ...sequences,
    ...indexes.map(({ definition }) => definition),
  ]
}

function columnLine({ name, type, isRequired, default: value, identity, generated }: CatalogColumn): string {
  const filled = generated
    ? ` generated always as (${generated}) stored`
    : identity
      ? ` generated ${identity} as identity`
      : value
        ? ` default ${value}`
        : ''
  return `${sqlName(name)} ${type}${filled}${isRequired ? ' not null' : ''}`
}

function viewStatements({ name, kind, definition, indexes }: CatalogRelation): string[] {
  const query = (definition as string).trim().replace(/;$/, '')
  return [`create ${kind} ${sqlName(name)} as\n${query}`, ...indexes.map((index) => index.definition)]
}

/** The foreign keys between this table and the tables before it. */
function readyKeys(
  relation: CatalogRelation,
  before: ReadonlyMap<string, unknown>,
  all: readonly CatalogRelation[],
): string[] {
  const isCreated = (table: string | null) =>
    table === relation.name || before.has(table ?? '') || (table !== null && !all.some(({ name }) => name === table))
  const owners = all.filter(({ name, partition }) => (name === relation.name || before.has(name)) && !partition)
  return owners.flatMap(({ name, constraints }) =>
    constraints
      .filter(({ kind, target }) => kind === 'foreign key' && isCreated(target))
      .filter(({ target }) => name === relation.name || target === relation.name)
      .map((key) => `alter table ${sqlName(name)} add constraint ${sqlName(key.name)} ${key.definition}`),
  )
}

function sqlText(text: string): string {
  return `'${text.replaceAll(`'`, `''`)}'`
}
