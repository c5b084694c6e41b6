import { isIn } from './condition.ts'
import type { Context } from './context.ts'
import { clientGeneratedIdAlreadyExists, resourceNotFound } from './core-errors.ts'
import type { Rec, Relation } from './fields/definition.ts'
import { memoryProvider, visibleRows } from './memory.ts'
import type { Changes, LinkageChange, Persister, Provider } from './provider.ts'
import { createQuery } from './query.ts'
import type { ResourceType } from './resource.ts'

/** A row under change: what it was, and the row it came from; null when it is new. */
interface Draft {
  row: Rec | null
  readonly before: Rec
  removed: boolean
}

/**
 * Rows the program keeps, read and written; spread it into a declaration. A write is seen by others when it is whole,
 * but it is part of no transaction. A relation is a property holding the key of the related resource, or a list of keys.
 */
export function memoryStore(initial: readonly object[] = []): {
  readonly provider: Provider
  readonly persister: Persister
} {
  const rows = initial.map((row): Rec => ({ ...row }))
  return { provider: memoryProvider(rows), persister: memoryPersister(rows) }
}

function memoryPersister(rows: Rec[]): Persister {
  const drafts = new WeakMap<object, Draft>()
  const draftOf = (entity: object) => drafts.get(entity) as Draft
  const nextKey = keyMaker(rows)
  return {
    transactional: false,

    async load(type, key, context) {
      const [row] = await visibleRows(rows, type, [isIn(type.id.property, [key])], context)
      if (!row) return null
      const entity = { ...row }
      drafts.set(entity, { row, before: row, removed: false })
      return entity
    },

    async create(type, changes) {
      const entity: Rec = { [type.id.property]: changes.key ?? nextKey(type) }
      drafts.set(entity, { row: null, before: {}, removed: false })
      await apply(entity, changes)
      return entity
    },

    change: (_type, entity, changes) => apply(entity as Rec, changes),

    async remove(_type, entity) {
      draftOf(entity).removed = true
    },

    async flush(type, _context, entity) {
      const draft = draftOf(entity)
      if (draft.row === null) add(rows, type, entity as Rec, draft)
      else if (!rows.includes(draft.row)) throw gone(type, entity as Rec)
      else if (draft.removed) rows.splice(rows.indexOf(draft.row), 1)
      else update(entity as Rec, draft as Draft & { row: Rec })
    },

    async relate(relation, entity, change, context) {
      const { row } = draftOf(entity)
      if (!row) return
      const hidden = change.mode === 'replace' ? await hiddenKeys(relation, row, context) : []
      row[relation.property as string] = changedKeys(relation, row, change, hidden)
    },

    keyOf: (type, entity) => (entity as Rec)[type.id.property],
  }
}

async function apply(entity: Rec, { values, fills, toOne }: Changes): Promise<void> {
  for (const [{ property }, related] of toOne) entity[property as string] = related?.key ?? null
  for (const [property, value] of values) entity[property] = value
  for (const fill of fills) await fill(entity)
}

function add(rows: Rec[], type: ResourceType, entity: Rec, draft: Draft): void {
  const { property } = type.id
  if (rows.some((row) => row[property] === entity[property])) {
    const id = type.codec.encode(entity[property])
    throw clientGeneratedIdAlreadyExists({ type: type.name, id }, { source: { pointer: '/data/id' } })
  }
  draft.row = { ...entity }
  rows.push(draft.row)
}

/** Only what was changed: another write may have changed the rest meanwhile. */
function update(entity: Rec, draft: Draft & { row: Rec }): void {
  const changed = Object.entries(entity).filter(([property, value]) => draft.before[property] !== value)
  Object.assign(draft.row, Object.fromEntries(changed))
}

function gone(type: ResourceType, entity: Rec): Error {
  return resourceNotFound({ type: type.name, id: type.codec.encode(entity[type.id.property]) })
}

/** The members the requester may not see: a replacement leaves them. */
async function hiddenKeys({ property, target }: Relation, row: Rec, context: Context): Promise<unknown[]> {
  const keys = keysIn(row[property as string])
  const query = createQuery({ kind: 'collection', server: context.server, type: target }, new Set())
  const seen = await target.provider.many(target, keys, query, context)
  return keys.filter((key) => !seen.some((member) => member[target.id.property] === key))
}

function changedKeys(
  { toMany, property }: Relation,
  row: Rec,
  { mode, members }: LinkageChange,
  hidden: readonly unknown[],
): unknown {
  const named = members.map(({ key }) => key)
  const before = keysIn(row[property as string])
  if (!toMany) return named[0] ?? hidden[0] ?? null
  if (mode === 'remove') return before.filter((key) => !named.includes(key))
  return [...new Set([...(mode === 'add' ? before : hidden), ...named])]
}

function keysIn(value: unknown): unknown[] {
  return [value ?? []].flat()
}

/** The next number, as a text unless the ids there are are numbers. */
function keyMaker(rows: readonly Rec[]): (type: ResourceType) => unknown {
  let last = 0
  return ({ id: { property } }) => {
    const keys = rows.map((row) => row[property])
    last = Math.max(last, ...keys.map(Number).filter(Number.isSafeInteger)) + 1
    return keys.some((key) => typeof key === 'number') ? last : String(last)
  }
}
