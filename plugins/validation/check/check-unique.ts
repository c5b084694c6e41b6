import {
  type Attribute,
  compare,
  createQuery,
  escapePointer,
  not,
  type Operation,
  type Phrase,
  phrase,
  type ResourceType,
  unscoped,
  validationFailed,
  verbatim,
} from '#kernel/plugin'

/** No other resource has the values the entity is about to be saved with. Looked up only when one of them was sent. */
export async function checkUnique(operation: Operation, entity: object): Promise<void> {
  const { target, input, kind } = operation
  if (kind !== 'Create' && kind !== 'Update') return
  const sent = input?.attributes ?? {}
  for (const { options } of target.type.attributes) {
    const names = options.rules?.uniqueEntity
    if (!names) continue
    const first = names.find((name) => Object.hasOwn(sent, name))
    if (first === undefined || !(await isTaken(names, entity, operation))) continue
    const pointer = `/data/attributes/${escapePointer(first)}`
    throw validationFailed(
      { message: phrase('{names} must be unique.', { names: quoted(names) }) },
      { source: { pointer } },
    )
  }
}

async function isTaken(names: readonly string[], entity: object, { target, context }: Operation): Promise<boolean> {
  const { type } = target
  const values = names.map((name) => [propertyOf(type, name), heldBy(entity, propertyOf(type, name))] as const)
  if (values.some(([, value]) => value === null || value === undefined)) return false
  const query = createQuery({ type })
  query.where.push(...values.map(([property, value]) => compare(property, '=', value)))
  const key = type.persister.keyOf(type, entity)
  if (key !== undefined && key !== null) query.where.push(not(compare(type.id.property, '=', key)))
  return (await type.provider.count(type, query, unscoped(context))) > 0 // a value of a hidden row is taken all the same
}

function propertyOf(type: ResourceType, name: string): string {
  return (type.fields.get(name) as Attribute).property as string
}

function heldBy(entity: object, property: string): unknown {
  const value = (entity as Record<string, unknown>)[property]
  return value instanceof Date ? value.toISOString() : value
}

function quoted(names: readonly string[]): Phrase {
  return verbatim(names.map((name) => `'${name}'`).join(' and '))
}
