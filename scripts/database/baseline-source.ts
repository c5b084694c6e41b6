import { createdObject } from '../support/baseline.ts'
import { sqlName } from './entity-source.ts'
import type { CatalogColumn, CatalogConstraint, CatalogRelation, DatabaseCatalog } from './introspect.ts'
import { isMappableTable } from './names.ts'
import { triggerFault } from './runtime-names.ts'

/** An object of the schema: it is created as a whole, or not at all. */
export interface BaselineUnit {
  readonly kind: 'type' | 'function' | 'table' | 'view' | 'index' | 'foreign key' | 'trigger' | 'rule'
  /** As the report names it: `orders.orders_customer_fkey`. */
  readonly member: string
  /** The tables and views whose lack explains that it cannot be created. */
  readonly needs: readonly string[]
  readonly statements: readonly string[]
}

/** Generates the units that create the schema. `created` are the objects of earlier migrations, as `createdObject` returns them. */
export function baselineUnits(catalog: DatabaseCatalog, created: ReadonlySet<string>): BaselineUnit[] {
  const isNew = ({ statements: [first = ''] }: BaselineUnit) => !created.has(createdObject(first))
  const added = catalog.relations.filter(
    ({ name, readsOtherSchema }) => !created.has(`table ${name}`) && !readsOtherSchema && isMappableTable(name),
  )
  const relations = inOrder(added).flatMap((relation) => [
    relation.definition ? viewUnit(relation) : tableUnit(relation, catalog),
    ...indexUnits(relation),
  ])
  const keys = added.flatMap((relation) => keyUnits(relation))
  const triggers = added.flatMap((relation) => [...triggerUnits(relation, catalog), ...ruleUnits(relation)])
  const functions = functionUnits(catalog).filter(isNew)
  const others = [...functions, ...relations, ...keys, ...triggers]
  return [...textSearchUnits(catalog).filter(isNew), ...neededTypes(catalog, others).filter(isNew), ...others]
}

/** Skips an extension that the server does not have: it may serve other purposes than the tables. */
export function extensionStatement(name: string): string {
  const available = `exists (select from pg_available_extensions where name = ${sqlText(name)})`
  return `do $$ begin if ${available} then create extension if not exists ${sqlName(name)}; end if; end $$`
}

function textSearchUnits({ textSearch }: DatabaseCatalog): BaselineUnit[] {
  return textSearch.map(({ name, statements }) => ({
    kind: 'type',
    member: `text search ${name}`,
    needs: [],
    statements,
  }))
}

/** Types and sequences that another statement mentions. */
function neededTypes(
  { enums, domains, composites, ranges, sequences }: DatabaseCatalog,
  units: readonly BaselineUnit[],
): BaselineUnit[] {
  const candidates = [
    ...enums.map(({ name, values }) => `create type ${sqlName(name)} as enum (${values.map(sqlText).join(', ')})`),
    ...domains,
    ...composites,
    ...ranges,
    ...sequences.map(({ definition }) => definition),
  ]
  const texts = new Set(units.flatMap(({ statements }) => statements))
  for (const text of texts) {
    for (const candidate of candidates) if (isMentioned(candidate, text)) texts.add(candidate)
  }
  return candidates
    .filter((candidate) => texts.has(candidate))
    .map((statement) => ({ kind: 'type', member: createdObject(statement), needs: [], statements: [statement] }))
}

function isMentioned(creation: string, text: string): boolean {
  const name = createdObject(creation).replace(/^\w+ /, '').replaceAll('"', '""')
  return new RegExp(`(?<!\\w)${name.replace(/[^\w\s]/g, '\\$&')}(?!\\w)`).test(text)
}

function functionUnits({ functions, operators }: DatabaseCatalog): BaselineUnit[] {
  const all = [
    ...functions.map((one) => ({ ...one, word: one.isAggregate ? 'aggregate' : 'function' })),
    ...operators.map((one) => ({ ...one, word: 'operator' })),
  ]
  return all.map(({ word, signature, definition }) => ({
    kind: 'function',
    member: `${word} ${signature}`,
    needs: [],
    statements: [definition.trim()],
  }))
}

/** Tables before partitions before views; each group in the order of creation. */
function inOrder(relations: readonly CatalogRelation[]): CatalogRelation[] {
  const rank = ({ definition, partition }: CatalogRelation) => (definition ? 2 : partition ? 1 : 0)
  return relations.toSorted((a, b) => rank(a) - rank(b) || a.oid - b.oid)
}

export function tableUnit(relation: CatalogRelation, { sequences }: DatabaseCatalog): BaselineUnit {
  const { name, columns, constraints, partition, partitionKey } = relation
  const table = sqlName(name)
  const partitions = partitionKey ? ` partition by ${partitionKey}` : ''
  const own = constraints.filter(({ kind }) => kind !== 'foreign key').map(constraintClause)
  const unit = { kind: 'table', member: name, needs: partition ? [partition.parent] : [] } as const
  if (partition) {
    const statement = `create table ${table} partition of ${sqlName(partition.parent)} ${partition.bound}${partitions}`
    return { ...unit, statements: [statement, ...own.map((clause) => `alter table ${table} add ${clause}`)] }
  }
  const lines = [...columns.map(columnLine), ...own]
  const owned = columns.flatMap((column) => {
    const sequence = sequences.find(({ owner }) => owner === `${name}.${column.name}`)
    return sequence ? [`alter sequence ${sqlName(sequence.name)} owned by ${table}.${sqlName(column.name)}`] : []
  })
  const creation = `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n)${partitions}`
  return { ...unit, statements: [creation, ...owned] }
}

function constraintClause({ name, definition }: CatalogConstraint): string {
  return `constraint ${sqlName(name)} ${definition}`
}

function columnLine(column: CatalogColumn): string {
  const { name, type, collation, isRequired, default: value, identity, generated } = column
  const collate = collation ? ` collate ${sqlName(collation)}` : ''
  const filled = generated
    ? ` generated always as (${generated}) stored`
    : identity
      ? ` generated ${identity} as identity`
      : value
        ? ` default ${value}`
        : ''
  return `${sqlName(name)} ${type}${collate}${filled}${isRequired ? ' not null' : ''}`
}

function viewUnit({ name, kind, definition, isPopulated }: CatalogRelation): BaselineUnit {
  const query = (definition as string).trim().replace(/;$/, '')
  const statement = `create ${kind} ${sqlName(name)} as\n${query}${isPopulated ? '' : '\nwith no data'}`
  return { kind: 'view', member: name, needs: [], statements: [statement] }
}

function indexUnits({ name, indexes }: CatalogRelation): BaselineUnit[] {
  return indexes.map((index) => ({
    kind: 'index',
    member: `${name}.${index.name}`,
    needs: [name],
    statements: [index.definition],
  }))
}

function keyUnits({ name, constraints }: CatalogRelation): BaselineUnit[] {
  return constraints
    .filter(({ kind, target }) => kind === 'foreign key' && target !== null)
    .map((key) => ({
      kind: 'foreign key',
      member: `${name}.${key.name}`,
      needs: [name, key.target as string],
      statements: [`alter table ${sqlName(name)} add ${constraintClause(key)}`],
    }))
}

function triggerUnits({ name, triggers }: CatalogRelation, catalog: DatabaseCatalog): BaselineUnit[] {
  const created = triggers.filter((trigger) => triggerFault(trigger, catalog) === null)
  return created.map((trigger) => ({
    kind: 'trigger',
    member: `${name}.${trigger.name}`,
    needs: [name],
    statements: [trigger.definition, ...(trigger.mode ? [trigger.mode] : [])],
  }))
}

function ruleUnits({ name, rules }: CatalogRelation): BaselineUnit[] {
  return rules.map((rule) => ({
    kind: 'rule',
    member: `${name}.${rule.name}`,
    needs: [name],
    statements: [rule.definition],
  }))
}

function sqlText(text: string): string {
  return `'${text.replaceAll(`'`, `''`)}'`
}
