import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import type { Relation, ResourceType } from '#kernel'
import type { App, Attribute, Identifier } from '#kernel/plugin'
import { literal, readManager } from '#test/conformance/leaks/manager.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { readTableKey } from '#test/conformance/leaks/table-key.ts'
import { dateCandidates, numberCandidates, textCandidates } from './candidates.ts'
import { type Check, readChecks, satisfyChecks } from './check-constraints.ts'
import { isValidText, type Rules, sampleId, sampleValue } from './sample.ts'

/** Members of a new resource. */
export interface RowMembers {
  readonly id?: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Identifier | null>>
}

interface Member {
  readonly column: string
  readonly name: string
  readonly kind: 'id' | 'attributes' | 'relationships'
  /** Whether the column is an array of PostgreSQL. */
  readonly isArray?: boolean
  /** Undefined is a member that is not sent. */
  readonly values: readonly unknown[]
}

/** Finds values for the members whose columns are in checks of the table, so that the checks hold; null if there are none. */
export async function findFittingMembers(app: App, type: ResourceType, n: number): Promise<RowMembers | null> {
  const { table } = await readTableKey(app, type)
  const checks = await readChecks(app, table)
  const members = await checkedMembers(app, type, n, checks)
  const candidates = new Map(
    members.map((member) => [member.column, member.values.map((value) => toSql(value, member))]),
  )
  const solution = await satisfyChecks(app, table, checks, candidates)
  if ('violated' in solution) return null
  const row = { id: {}, attributes: {}, relationships: {} } as Record<Member['kind'], Record<string, unknown>>
  for (const { column, name, kind, values } of members) {
    const value = values[candidates.get(column)?.indexOf(solution.chosen.get(column) ?? null) ?? -1]
    if (value !== undefined) row[kind][name] = value
  }
  const relationships = row.relationships as Record<string, Identifier>
  return { ...row.id, attributes: row.attributes, relationships }
}

async function checkedMembers(app: App, type: ResourceType, n: number, all: readonly Check[]): Promise<Member[]> {
  const checksOf = (column: string) => all.filter(({ columns }) => columns.includes(column))
  const { properties } = (await readManager(app)).getMetadata().get(type.entity) as EntityMetadata
  const propertyOf = (name: string | null) => properties[name as never] as EntityProperty | undefined
  const columnOf = (name: string | null) => propertyOf(name)?.fieldNames?.[0] ?? ''
  const id = columnOf(type.id.property)
  const members: Member[] = []
  if (type.id.clientId === 'required')
    members.push({ column: id, name: 'id', kind: 'id', values: ids(type, n, checksOf(id)) })
  for (const attribute of type.attributes.filter(({ readOnlyOnCreate }) => readOnlyOnCreate !== true)) {
    const column = columnOf(attribute.property)
    const values = attributeValues(attribute, n, checksOf(column))
    const isArray = propertyOf(attribute.property)?.columnTypes?.[0]?.endsWith('[]') === true
    members.push({ column, name: attribute.name, kind: 'attributes', isArray, values: optional(attribute, values) })
  }
  for (const relation of type.relations.filter(({ toMany }) => !toMany)) {
    const column = columnOf(relation.property)
    if (checksOf(column).length === 0) continue
    const keys = (await readKeys(app, relation.target)).map((key) => identify(relation, key))
    members.push({ column, name: relation.name, kind: 'relationships', values: optional(relation, keys) })
  }
  return members.filter(({ column }) => checksOf(column).length > 0)
}

/** Adds the absent member if it is not required. */
function optional({ options }: Attribute | Relation, values: readonly unknown[]): readonly unknown[] {
  return options.rules?.required ? values : [undefined, ...values]
}

function identify({ target }: Relation, key: unknown): Identifier {
  return { type: target.name, id: target.codec.encode(key) }
}

function ids(type: ResourceType, n: number, checks: readonly Check[]): string[] {
  const texts = [sampleId(type, n), ...textCandidates(n, checks)]
  return texts.filter((text) => type.codec.accepts(text) && type.codec.decode(text) !== undefined)
}

function attributeValues(attribute: Attribute, n: number, checks: readonly Check[]): readonly unknown[] {
  const { kind, options } = attribute
  const { rules = {} } = options
  const first = [sampleValue(attribute, n), ...(options.example === undefined ? [] : [options.example])]
  if (rules.in) return rules.in
  if (kind === 'integer' || kind === 'decimal') {
    const numbers = numberCandidates(n, checks).filter((number) => isInRange(number, rules))
    return [...first, ...numbers.filter((number) => kind === 'decimal' || Number.isInteger(number))]
  }
  if (kind === 'boolean') return [false, true]
  if (kind === 'date') return [...first, ...dateCandidates(n)]
  if (kind === 'dateTime') return [...first, ...dateCandidates(n).map((date) => `${date}T00:00:00Z`)]
  if (kind === 'time') return [...first, '00:00:00', '18:00:00']
  if (kind === 'arrayList') return [...first, ['sample'], [n]]
  if (typeof first[0] !== 'string') return first
  const texts = [...textCandidates(n, checks), ...numberCandidates(n, checks).map(String)]
  return [...first, ...texts.filter((text) => isValidText(text, rules))]
}

function isInRange(number: number, { min = number, max = number, exclusiveMin, exclusiveMax }: Rules): boolean {
  if (number < min || number > max) return false
  return (
    !(exclusiveMin !== undefined && number <= exclusiveMin) && !(exclusiveMax !== undefined && number >= exclusiveMax)
  )
}

/** The value as a literal of SQL; null for a member that is not sent. */
function toSql(value: unknown, { kind, isArray }: Member): string | null {
  if (value === undefined) return null
  if (kind === 'relationships') return literal((value as Identifier).id)
  if (isArray) return literal(JSON.stringify(value).replace(/^\[(.*)\]$/s, '{$1}'))
  return literal(typeof value === 'object' ? JSON.stringify(value) : value)
}
