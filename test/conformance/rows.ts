import type { EntityMetadata, EntityProperty } from '@mikro-orm/core'
import { ApiError, type Relation, type ResourceType } from '#kernel'
import { StatementError } from '#kernel/errors'
import { type App, type Identifier, isData, listMembers, wireId } from '#kernel/plugin'
import { quoteIdentifier } from '#store/sql/columns/column-sql.ts'
import { execute, readManager } from '#test/conformance/leaks/manager.ts'
import { readKeys } from '#test/conformance/leaks/rows.ts'
import { requiredToOnes, sampleId, sampleValue } from '#test/conformance/sample.ts'
import { findFittingMembers, type RowMembers } from './fitting-row.ts'
import { addTableRows, type EmptyType } from './table-rows.ts'

/**
 * Creates more rows by the declarations, because a single row does not show every fault. Returns the types that have no
 * rows, with the reason.
 */
export async function addRows(app: App, enough = 4): Promise<ReadonlyMap<string, EmptyType>> {
  const types = inOrder([...app.registry.types.values()])
  // A check may require one of several optional relations, whose rows the first pass creates.
  for (const type of [...types, ...types]) {
    if (!type.operations.has('Create') || !type.persister.transactional) continue
    let count = (await fetchIds(app, type)).length
    while (count < enough && (await addRow(app, type, count + 1))) count++
  }
  return addTableRows(
    app,
    types.filter((type) => type.persister.transactional && !type.isStandalone),
    enough,
  )
}

/**
 * Creates a row with generated values; if they are rejected, with those of `example()`, and then with values that satisfy the
 * checks of the table.
 */
async function addRow(
  app: App,
  type: ResourceType,
  n: number,
  pending: readonly ResourceType[] = [],
): Promise<boolean> {
  await addMembers(app, type, pending)
  const required = type.attributes.filter(({ options }) => options.rules?.required)
  const samples = Object.fromEntries(required.map((attribute) => [attribute.name, sampleValue(attribute, n)]))
  if (await create(app, type, n, { attributes: samples })) return true
  if (await create(app, type, n, { attributes: { ...samples, ...exampleValues(type) } })) return true
  const fitting = await findFittingMembers(app, type, n)
  if (!fitting) return false
  return create(app, type, n, { ...fitting, attributes: { ...samples, ...fitting.attributes } })
}

function exampleValues({ attributes }: ResourceType): Record<string, unknown> {
  const written = attributes.filter(
    ({ options, readOnlyOnCreate }) => options.example !== undefined && readOnlyOnCreate !== true,
  )
  return Object.fromEntries(written.map(({ name, options }) => [name, options.example]))
}

/** Creates a row; returns false if the application or the database rejects it: they may require more than the declaration. */
async function create(
  app: App,
  type: ResourceType,
  n: number,
  { id = sampleId(type, n), attributes, relationships }: RowMembers,
): Promise<boolean> {
  try {
    const response = await app.dispatch({
      kind: 'Create',
      type: type.name,
      server: type.servers[0] as string,
      ...(type.id.clientId === 'required' && { id }),
      attributes,
      relationships: { ...(await requiredMembers(app, type)), ...relationships },
    })
    return response.kind !== 'error'
  } catch (error) {
    const isRejection = (fault: unknown) =>
      fault instanceof ApiError || fault instanceof StatementError || (fault as { status?: number }).status
    if ([error].flat().every(isRejection)) return false
    throw error
  }
}

/**
 * Creates a row for each required relation with a unique column if other rows refer to all rows that it may have. Skips types of
 * `pending`, which require a row of this type.
 */
export async function addMembers(app: App, type: ResourceType, pending: readonly ResourceType[] = []): Promise<void> {
  const waiting = [...pending, type]
  for (const relation of requiredToOnes(type.relations)) {
    const { target } = relation
    if (waiting.includes(target) || (await freeIds(app, relation)).length > 0) continue
    await addRow(app, target, (await readKeys(app, target)).length + 1, waiting)
  }
}

/** Returns the relationships that a new row of the type requires. */
export async function requiredMembers(app: App, type: ResourceType): Promise<Record<string, Identifier | null>> {
  const members = requiredToOnes(type.relations).map(
    async (relation) => [relation.name, await findMember(app, relation)] as const,
  )
  return Object.fromEntries(await Promise.all(members))
}

async function findMember(app: App, relation: Relation): Promise<Identifier | null> {
  const { target } = relation
  const id = (await freeIds(app, relation))[0] ?? (await fetchIds(app, target))[0]
  return id === undefined ? null : { type: target.name, id }
}

/** Returns the ids that the relation of a new row may have: those that no other row has if the column is unique. */
async function freeIds(app: App, { owner, property, target }: Relation): Promise<string[]> {
  const { tableName, properties } = (await readManager(app)).getMetadata().get(owner.entity) as EntityMetadata
  const { kind, unique, fieldNames = [] } = properties[property as never] as EntityProperty
  const [column, ...others] = fieldNames
  if (column === undefined || others.length > 0 || (kind !== '1:1' && !unique)) return fetchIds(app, target)
  const rows = await execute(app, `select ${quoteIdentifier(column)}::text as key from ${quoteIdentifier(tableName)}`)
  const taken = new Set(rows.map(({ key }) => key))
  const free = (await readKeys(app, target)).filter((key) => !taken.has(String(key)))
  return free.map((key) => target.codec.encode(key))
}

async function fetchIds(app: App, type: ResourceType): Promise<string[]> {
  const response = await app.dispatch({ kind: 'FetchCollection', type: type.name, server: type.servers[0] as string })
  return isData(response) ? listMembers(response).map(({ record }) => wireId(type, record)) : []
}

/** Sorts types after the targets of their required relations. */
function inOrder(types: readonly ResourceType[]): ResourceType[] {
  const sorted = new Set<ResourceType>()
  const visit = (type: ResourceType, visited: readonly ResourceType[]): void => {
    if (visited.includes(type)) return
    for (const { targets } of requiredToOnes(type.relations))
      for (const target of targets) visit(target, [...visited, type])
    sorted.add(type)
  }
  for (const type of types) visit(type, [])
  return [...sorted]
}
