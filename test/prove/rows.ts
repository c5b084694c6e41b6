import { ApiError, type Relation, type ResourceType } from '#kernel'
import { type App, type Identifier, isData, listMembers, wireId } from '#kernel/plugin'
import { sampleId, sampleOf } from '#test/prove/sample.ts'
import { addTableRows } from './table-rows.ts'

/**
 * Creates more rows by the declarations, because a single row does not show every fault. Returns the types that have no
 * rows, with the reason.
 */
export async function addRows(app: App, enough = 4): Promise<ReadonlyMap<string, string>> {
  const types = inOrder([...app.registry.types.values()])
  for (const type of types) {
    if (!type.operations.has('Create') || !type.persister.transactional) continue
    let count = (await idsOf(app, type)).length
    while (count < enough && (await addRow(app, type, count + 1))) count++
  }
  return addTableRows(
    app,
    types.filter((type) => type.persister.transactional && !type.isStandalone),
    enough,
  )
}

/** Creates a row with generated values, or with those of `example()` if the application rejects the former. */
async function addRow(app: App, type: ResourceType, n: number): Promise<boolean> {
  const required = type.attributes.filter(({ options }) => options.rules?.required)
  const samples = Object.fromEntries(required.map((attribute) => [attribute.name, sampleOf(attribute, n)]))
  return (await create(app, type, n, samples)) || create(app, type, n, { ...samples, ...examplesOf(type) })
}

function examplesOf({ attributes }: ResourceType): Record<string, unknown> {
  const written = attributes.filter(
    ({ options, readOnlyOnCreate }) => options.example !== undefined && readOnlyOnCreate !== true,
  )
  return Object.fromEntries(written.map(({ name, options }) => [name, options.example]))
}

/** Creates a row; returns false if the application rejects it, because it may require more than its declaration. */
async function create(
  app: App,
  type: ResourceType,
  n: number,
  attributes: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  try {
    const response = await app.dispatch({
      kind: 'Create',
      type: type.name,
      server: type.servers[0] as string,
      ...(type.id.clientId === 'required' && { id: sampleId(type, n) }),
      attributes,
      relationships: await requiredMembers(app, type),
    })
    return response.kind !== 'error'
  } catch (error) {
    if ([error].flat().every((fault) => fault instanceof ApiError || (fault as { status?: number }).status))
      return false
    throw error
  }
}

/** Returns the relationships that a new row of the type requires. */
export async function requiredMembers(app: App, type: ResourceType): Promise<Record<string, Identifier | null>> {
  const relations = type.relations.filter(({ options, toMany }) => options.rules?.required && !toMany)
  const members = relations.map(async (relation) => [relation.name, await memberOf(app, relation)] as const)
  return Object.fromEntries(await Promise.all(members))
}

async function memberOf(app: App, { target }: Relation): Promise<Identifier | null> {
  const [id] = await idsOf(app, target)
  return id === undefined ? null : { type: target.name, id }
}

async function idsOf(app: App, type: ResourceType): Promise<string[]> {
  const response = await app.dispatch({ kind: 'FetchCollection', type: type.name, server: type.servers[0] as string })
  return isData(response) ? listMembers(response).map(({ record }) => wireId(type, record)) : []
}

/** Sorts types after the targets of their required relations. */
function inOrder(types: readonly ResourceType[]): ResourceType[] {
  const sorted = new Set<ResourceType>()
  const visit = (type: ResourceType, visited: readonly ResourceType[]): void => {
    if (visited.includes(type)) return
    const required = type.relations.filter(({ options }) => options.rules?.required)
    for (const { targets } of required) for (const target of targets) visit(target, [...visited, type])
    sorted.add(type)
  }
  for (const type of types) visit(type, [])
  return [...sorted]
}
