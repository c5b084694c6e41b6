import { type Awaitable, type Context, getOrCreate, type ResourceType, type Row } from '#kernel/plugin'
import { isObjectLiteral, loadRecords, wholeRow } from '#kernel/queries'
import { policyMethod, readPolicyClass } from './policy.ts'

declare module '#kernel/plugin' {
  interface ResourceType {
    /** The columns and paths that methods of the policy read, by ability. */
    abilityNeeds?: Map<string, readonly string[]>
  }
}

/** Returns the columns and dotted paths a policy method reads; empty if it reads no row. Cached per type. */
export function listNeeds(type: ResourceType, ability: string | null): readonly string[] {
  if (ability === null) return none
  type.abilityNeeds ??= new Map()
  return type.abilityNeeds.get(ability) ?? getOrCreate(type.abilityNeeds, ability, () => findNeeds(type, ability))
}

const none: readonly string[] = []

function findNeeds(type: ResourceType, ability: string): readonly string[] {
  const policy = readPolicyClass(type.declaration)
  return policy ? withForeignKeys(type, policy.needs?.[ability] ?? allColumns(type)) : none
}

/** Puts the keys of the to-ones on a path before the path itself, because `setPath` needs them first. */
function withForeignKeys(type: ResourceType, paths: readonly string[]): readonly string[] {
  const names = paths.flatMap((path) => [...foreignKeysOn(path, type), path])
  return [...new Set(names)]
}

function foreignKeysOn(path: string, type: ResourceType): readonly string[] {
  const keys: string[] = []
  let { shape } = type
  const relations = path.split('.').slice(0, -1)
  for (const [index, name] of relations.entries()) {
    const { targetKey, target } = shape.properties.get(name) ?? {}
    if (targetKey === undefined || !target) break
    keys.push([...relations.slice(0, index + 1), targetKey].join('.'))
    shape = target()
  }
  return keys
}

/** Returns every column of the row, and the key of every to-one. */
function allColumns(type: ResourceType): readonly string[] {
  const keys = [...type.shape.properties.values()].flatMap(({ name, owner, targetKey }) =>
    owner && targetKey !== undefined ? [`${name}.${targetKey}`] : [],
  )
  return [...wholeRow(type), ...keys]
}

/** Returns why a path of `needs` cannot be read from rows of a type; null if it can. */
export function pathFault(type: ResourceType, path: string): string | null {
  let { shape } = type
  const names = path.split('.')
  for (const name of names.slice(0, -1)) {
    const { targetKey, target } = shape.properties.get(name) ?? {}
    if (targetKey === undefined || !target) return `${shape.name} has no to-one relation '${name}' to a single entity`
    shape = target()
  }
  const last = names.at(-1) as string
  const role = shape.properties.get(last)?.role
  if (role === 'scalar') return null
  return role
    ? `'${last}' is a relation; name a property of it, as in '${path}.id'`
    : `${shape.name} has no property '${last}'`
}

/**
 * Returns the rows a policy method receives, in the order of the sources, which are records or entities. Loads values
 * that a source lacks with one statement for all sources. Returns null for a row that no longer exists, and undefined
 * for every row if the method reads none.
 */
export function toPolicyRows(
  type: ResourceType,
  sources: readonly object[],
  ability: string,
  context: Context,
): Awaitable<readonly unknown[]> {
  const paths = listNeeds(type, ability)
  if (paths.length === 0) return sources.map(() => undefined)
  const method = policyMethod(type, ability)
  const rows = sources.map((source) => toPolicyRow(paths, method, (path) => valueIn(source as Row, path, type)))
  if (rows.every((row) => row !== null)) return rows
  const keys = sources.map((source) => type.persister.keyOf(type, source))
  return loadRecords(type, keys, paths, context).then((records) =>
    records.map((record) => record && toCompleteRow(record, paths, type, method)),
  )
}

/** Throws if the provider left out a value: a policy must not decide on a row with gaps. */
function toCompleteRow(record: Row, paths: readonly string[], type: ResourceType, method: string): Row {
  const row = toPolicyRow(paths, method, (path) => record[path])
  if (row) return row
  throw new Error(`${method} needs ${paths.join(', ')}; the provider of '${type.name}' does not return all of them.`)
}

/** Returns null if a value is missing. */
function toPolicyRow(paths: readonly string[], method: string, read: (path: string) => unknown): Row | null {
  const row = createGuardedRow(method)
  for (const path of paths) {
    const value = read(path)
    if (value === undefined) return null
    setPath(row, path.split('.'), value, method)
  }
  return row
}

/** Returns undefined if the source lacks the value, or holds it wrapped in an object of MikroORM. */
function valueIn(source: Row, path: string, { shape }: ResourceType): unknown {
  if (Object.hasOwn(source, path)) {
    const isWrapped = shape.properties.get(path)?.wrapped === true && !isPlain(source[path])
    return isWrapped ? undefined : source[path]
  }
  const [name = ''] = path.split('.')
  const { targetKey = '' } = shape.properties.get(name) ?? {}
  if (path !== `${name}.${targetKey}`) return undefined
  // A to-one of an entity is a reference, and only its key is certain to be loaded.
  const reference = source[name] as Row | null | undefined
  return reference === null ? null : reference?.[targetKey]
}

/** Returns true for values of a record: records hold embedded objects as plain objects, entities as instances of a class. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain)
  return value === null || typeof value !== 'object' || isObjectLiteral(value)
}

/** Sets a nested value. The key of a to-one must be set before its other values: if it is null, so is the to-one. */
function setPath(row: Row, [name = '', ...rest]: readonly string[], value: unknown, method: string): void {
  if (rest.length === 0) row[name] = value
  else if (!Object.hasOwn(row, name)) {
    row[name] = value === null ? null : createGuardedRow(method)
    setPath(row, [name, ...rest], value, method)
  } else if (row[name] !== null) setPath(row[name] as Row, rest, value, method)
}

/**
 * Creates a row that throws when the policy reads a property outside `needs`. Such a property was not loaded: its
 * `undefined` (or `false` for `in`) could make a condition true that the stored value makes false.
 */
function createGuardedRow(method: string): Row {
  const requireNeeded = (row: Row, name: string | symbol): void => {
    if (typeof name === 'symbol' || Object.hasOwn(row, name) || isImplicitlyRead(name)) return
    throw new Error(`${method} reads '${name}' of its row; add it to needs of the policy.`)
  }
  return new Proxy<Row>(
    {},
    {
      get(row, name) {
        requireNeeded(row, name)
        return row[name as string]
      },
      has(row, name) {
        requireNeeded(row, name)
        return name in row
      },
    },
  )
}

/** Returns true for properties that `await`, JSON.stringify and language constructs read of any object. */
function isImplicitlyRead(name: string): boolean {
  return name in Object.prototype || name === 'then' || name === 'toJSON'
}
