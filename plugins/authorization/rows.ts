import {
  type Awaitable,
  type Context,
  getOrCreate,
  loadRecords,
  type ResourceType,
  type Row,
  wholeRow,
} from '#kernel/plugin'
import { policyClassOf } from './policy.ts'

/** What a method of the type's policy reads of a row; empty when it needs no row. */
export function needsOf(type: ResourceType, ability: string | null): readonly string[] {
  const policy = policyClassOf(type.declaration)
  if (!policy || ability === null) return []
  return getOrCreate(
    getOrCreate(needs, type, () => new Map<string, readonly string[]>()),
    ability,
    () => withKeys(type, policy.needs?.[ability] ?? everythingOf(type)),
  )
}

const needs = new WeakMap<ResourceType, Map<string, readonly string[]>>()

/** The paths, each behind the keys of the to-ones it leads through. */
function withKeys(type: ResourceType, paths: readonly string[]): readonly string[] {
  const names = paths.flatMap((path) => [...keysOn(path, type), path])
  return [...new Set(names)]
}

function keysOn(path: string, type: ResourceType): readonly string[] {
  const keys: string[] = []
  let { shape } = type
  const hops = path.split('.').slice(0, -1)
  for (const [index, name] of hops.entries()) {
    const { targetKey, target } = shape.properties.get(name) ?? {}
    if (targetKey === undefined || !target) break
    keys.push([...hops.slice(0, index + 1), targetKey].join('.'))
    shape = target()
  }
  return keys
}

/** The whole row: its own values, and the key of every to-one. */
function everythingOf(type: ResourceType): readonly string[] {
  const keys = [...type.shape.properties.values()].flatMap(({ name, owner, targetKey }) =>
    owner && targetKey !== undefined ? [`${name}.${targetKey}`] : [],
  )
  return [...wholeRow(type), ...keys]
}

/** Why a path cannot be read from rows of a type; null when it can. */
export function pathFault(type: ResourceType, path: string): string | null {
  let { shape } = type
  const names = path.split('.')
  for (const name of names.slice(0, -1)) {
    const { target } = shape.properties.get(name) ?? {}
    if (!target) return `${shape.name} has no to-one relation '${name}' to a single entity`
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
 * The rows a method of a policy receives, in the order of the sources, which are records or entities. Values that a
 * source does not hold are loaded for all sources by one statement. Null for a row that does not exist any more.
 */
export function toPolicyRows(
  type: ResourceType,
  sources: readonly object[],
  ability: string,
  context: Context,
): Awaitable<readonly unknown[]> {
  const names = needsOf(type, ability)
  if (names.length === 0) return sources.map(() => undefined)
  const label = `${policyClassOf(type.declaration)?.name}.${ability}`
  const rows = sources.map((source) => toPolicyRow(names, label, (name) => valueIn(source as Row, name, type)))
  if (rows.every((row) => row !== null)) return rows
  return loadRecords(
    type,
    sources.map((source) => type.persister.keyOf(type, source)),
    names,
    context,
  ).then((records) => records.map((record) => record && requireRow(record, names, type, label)))
}

function requireRow(record: Row, names: readonly string[], type: ResourceType, label: string): Row {
  const row = toPolicyRow(names, label, (name) => record[name])
  if (row) return row
  throw new Error(`${label} needs ${names.join(', ')}; the provider of '${type.name}' does not return all of them.`)
}

/** Null when one of the values is missing. */
function toPolicyRow(names: readonly string[], label: string, read: (name: string) => unknown): Row | null {
  const row = createRow(label)
  for (const name of names) {
    const value = read(name)
    if (value === undefined) return null
    setPath(row, name.split('.'), value, label)
  }
  return row
}

/** Undefined when the source does not hold it, or holds it in the form of an entity. */
function valueIn(source: Row, path: string, { shape }: ResourceType): unknown {
  const isWrapped = shape.properties.get(path)?.wrapped === true && isInstance(source[path])
  if (Object.hasOwn(source, path)) return isWrapped ? undefined : source[path]
  const [name = '', key = ''] = path.split('.')
  if (path !== `${name}.${key}` || shape.properties.get(name)?.targetKey !== key) return undefined
  // An entity holds a reference, of which only the key is certain to be loaded.
  const reference = source[name] as Row | null | undefined
  return reference === null ? null : reference?.[key]
}

/** An object of a class. */
function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype !== null && prototype !== Object.prototype
}

/** The key of a to-one comes before its other values: where it is null, so is the to-one. */
function setPath(row: Row, [name = '', ...rest]: readonly string[], value: unknown, label: string): void {
  if (rest.length === 0) row[name] = value
  else if (!Object.hasOwn(row, name)) {
    row[name] = value === null ? null : createRow(label)
    setPath(row, [name, ...rest], value, label)
  } else if (row[name] !== null) setPath(row[name] as Row, rest, value, label)
}

/** Reading what `needs` does not name throws: undefined, or false for `in`, could be taken for an answer. */
function createRow(label: string): Row {
  const check = (row: Row, name: string | symbol): void => {
    if (typeof name === 'symbol' || Object.hasOwn(row, name) || isInherited(name)) return
    throw new Error(`${label} reads '${name}' of its row; add it to needs of the policy.`)
  }
  return new Proxy<Row>(
    {},
    {
      get(row, name) {
        check(row, name)
        return row[name as string]
      },
      has(row, name) {
        check(row, name)
        return name in row
      },
    },
  )
}

/** What a language construct or a serializer looks for on any object. */
function isInherited(name: string): boolean {
  return name in Object.prototype || name === 'then' || name === 'toJSON'
}
