import type {
  Changes,
  Context,
  LinkageChange,
  Persister,
  Provider,
  RelatedKey,
  Relation,
  ResourceType,
  Row,
} from '#kernel/store'
import { clientGeneratedIdAlreadyExists, createQuery, denial, isIn, resourceNotFound } from '#kernel/store'
import { isSameLink, keysByType, linksOf, toHeld } from './links.ts'
import { meeting, memoryProvider, visibleRows } from './provider.ts'

/** A row under change: what it was, and the row it came from; null when it is new. */
interface Draft {
  row: Row | null
  readonly before: Row
  removed: boolean
}

/**
 * Rows the program keeps, read and written; spread it into a declaration. A write is seen by others when it is whole, and
 * undone when its operation fails, but it is part of no transaction.
 */
export function memoryStore(initial: readonly object[] = []): {
  readonly provider: Provider
  readonly persister: Persister
} {
  const rows = initial.map((row): Row => ({ ...row }))
  return { provider: memoryProvider(rows), persister: memoryPersister(rows) }
}

function memoryPersister(rows: Row[]): Persister {
  const drafts = new WeakMap<object, Draft>()
  const draftOf = (entity: object) => drafts.get(entity) as Draft
  const nextKey = keyMaker(rows)
  return {
    transactional: false,

    async load(type, key, context) {
      const [row] = await visibleRows(rows, type, [isIn(type.id.property, [key])], context, true)
      if (!row) return null
      const entity = { ...row }
      drafts.set(entity, { row, before: row, removed: false })
      return entity
    },

    async create(type, changes) {
      const entity: Row = { [type.id.property]: changes.key ?? nextKey(type) }
      drafts.set(entity, { row: null, before: {}, removed: false })
      await apply(entity, changes)
      return entity
    },

    change: (_type, entity, changes) => apply(entity as Row, changes),

    async remove(_type, entity) {
      draftOf(entity).removed = true
    },

    async flush(type, context, entity) {
      const draft = draftOf(entity)
      if (!draft.removed) await checkWriteScope(type, context, entity as Row)
      context.unit.onRollback(save(rows, type, entity as Row, draft))
    },

    async relate(relation, entity, change, context) {
      const { row } = draftOf(entity)
      if (!row) return
      const hidden = change.mode === 'replace' ? await hiddenLinks(relation, row, context) : []
      const links = changedLinks(linksOf(relation, row), change, hidden).map((link) => toHeld(relation, link))
      const held = relation.toMany ? links : (links.at(-1) ?? null)
      context.unit.onRollback(assign(row, { [relation.property as string]: held }))
    },

    keyOf: (type, entity) => (entity as Row)[type.id.property],
  }
}

/** Before the row is stored: there is no transaction that could be rolled back. */
async function checkWriteScope(type: ResourceType, context: Context, entity: Row): Promise<void> {
  const within = await context.writeScope(type)
  if (!within || (await meeting([entity], [within], context)).length > 0) return
  throw denial(context.principal, `A row of ${type.name} outside of the writer's scope`)
}

async function apply(entity: Row, { values, fills, toOne }: Changes): Promise<void> {
  for (const [relation, related] of toOne) entity[relation.property as string] = related && toHeld(relation, related)
  for (const [property, value] of values) entity[property] = value
  for (const fill of fills) await fill(entity)
}

type Undo = () => void

/** Adds, changes or removes the row of a draft. */
function save(rows: Row[], type: ResourceType, entity: Row, draft: Draft): Undo {
  const { row, before, removed } = draft
  if (row === null) return add(rows, type, entity, draft)
  if (!rows.includes(row)) throw gone(type, entity)
  return removed ? remove(rows, row) : assign(row, changedValues(entity, before))
}

function add(rows: Row[], type: ResourceType, entity: Row, draft: Draft): Undo {
  const { property } = type.id
  if (rows.some((row) => row[property] === entity[property])) {
    const id = type.codec.encode(entity[property])
    throw clientGeneratedIdAlreadyExists({ type: type.name, id }, { source: { pointer: '/data/id' } })
  }
  const row = { ...entity }
  draft.row = row
  rows.push(row)
  return () => {
    remove(rows, row)
  }
}

function remove(rows: Row[], row: Row): Undo {
  const index = rows.indexOf(row)
  if (index >= 0) rows.splice(index, 1)
  return () => {
    if (!rows.includes(row)) rows.splice(index, 0, row)
  }
}

/** Only what was changed: another write may have changed the rest meanwhile. */
function changedValues(entity: Row, before: Row): Row {
  return Object.fromEntries(Object.entries(entity).filter(([property, value]) => before[property] !== value))
}

/** Its undo leaves values that another write has changed since. */
function assign(row: Row, values: Row): Undo {
  const before = Object.entries(values).map(([property, value]) => ({ property, value, former: row[property] }))
  Object.assign(row, values)
  return () => {
    for (const { property, value, former } of before) if (row[property] === value) row[property] = former
  }
}

function gone(type: ResourceType, entity: Row): Error {
  return resourceNotFound({ type: type.name, id: type.codec.encode(entity[type.id.property]) })
}

/** The members the requester may not see: a replacement leaves them. */
async function hiddenLinks(relation: Relation, row: Row, context: Context): Promise<RelatedKey[]> {
  const links = linksOf(relation, row)
  const seen: RelatedKey[] = []
  for (const [type, keys] of keysByType(links)) {
    const query = createQuery({ type })
    const members = await type.provider.many(type, [...keys], query, context)
    seen.push(...members.map((member) => ({ type, key: member[type.id.property] })))
  }
  return links.filter((link) => !seen.some((one) => isSameLink(one, link)))
}

function changedLinks(
  before: readonly RelatedKey[],
  { mode, members }: LinkageChange,
  hidden: readonly RelatedKey[],
): RelatedKey[] {
  const isNamed = (link: RelatedKey) => members.some((member) => isSameLink(member, link))
  if (mode === 'remove') return before.filter((link) => !isNamed(link))
  const kept = mode === 'add' ? before : hidden
  return [...kept, ...members.filter((member) => !kept.some((link) => isSameLink(link, member)))]
}

/** The next number, as a text unless the ids there are are numbers. */
function keyMaker(rows: readonly Row[]): (type: ResourceType) => unknown {
  let last = 0
  return ({ id: { property } }) => {
    const keys = rows.map((row) => row[property])
    last = Math.max(last, ...keys.map(Number).filter(Number.isSafeInteger)) + 1
    return keys.some((key) => typeof key === 'number') ? last : String(last)
  }
}
