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

/** Throws a 422 if another resource has the values of `uniqueEntity()`. Queries only if one of its fields was sent. */
export async function checkUnique(operation: Operation, entity: object): Promise<void> {
  const { target, input, kind } = operation
  if (kind !== 'Create' && kind !== 'Update') return
  const sent = input?.attributes ?? {}
  for (const { options } of target.type.attributes) {
    const names = options.rules?.uniqueEntity
    if (!names) continue
    const firstSent = names.find((name) => Object.hasOwn(sent, name))
    if (firstSent === undefined || !(await isTaken(names, entity, operation))) continue
    const pointer = `/data/attributes/${escapePointer(firstSent)}`
    throw validationFailed(
      { message: phrase('{names} must be unique.', { names: quoted(names) }) },
      { source: { pointer } },
    )
  }
}

/** Null counts as different from every value. */
async function isTaken(names: readonly string[], entity: object, { target, context }: Operation): Promise<boolean> {
  const { type } = target
  const values = names.map((name) => [propertyOf(type, name), propertyValue(entity, propertyOf(type, name))] as const)
  if (values.some(([, value]) => value === null || value === undefined)) return false
  const query = createQuery({ type })
  query.where.push(...values.map(([property, value]) => compare(property, '=', value)))
  const key = type.persister.keyOf(type, entity)
  if (key !== undefined && key !== null) query.where.push(not(compare(type.id.property, '=', key)))
  // Unscoped: rows outside the caller's scope count as well.
  return (await type.provider.count(type, query, unscoped(context))) > 0
}

function propertyOf(type: ResourceType, name: string): string {
  return (type.fields.get(name) as Attribute).property as string
}

function propertyValue(entity: object, property: string): unknown {
  const value = (entity as Record<string, unknown>)[property]
  return value instanceof Date ? value.toISOString() : value
}

function quoted(names: readonly string[]): Phrase {
  return verbatim(names.map((name) => `'${name}'`).join(' and '))
}
