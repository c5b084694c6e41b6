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
import { clientGeneratedIdAlreadyExists, createQuery, isIn, outOfScope, resourceNotFound } from '#kernel/store'
import { heldRows, isSameLink, type Link, readLinks, toHeld } from './links.ts'
import { memoryProvider, rowsMeeting, visibleRows } from './provider.ts'

/** A row that is being changed: the stored row, null if it is new, and its values when it was loaded. */
interface Draft {
  row: Row | null
  readonly before: Row
  removed: boolean
}

/**
 * Creates the provider and persister of rows that the program keeps in memory; spread the result into a declaration. A
 * write becomes visible as a whole and is undone if its operation fails, but it is not part of a transaction.
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
  const findDraft = (entity: object) => drafts.get(entity) as Draft
  const nextKey = createKeyGenerator(rows)
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
      findDraft(entity).removed = true
    },

    async flush(type, context, entity) {
      const draft = findDraft(entity)
      if (!draft.removed) await checkWriteScope(type, context, entity as Row)
      context.unit.onRollback(save(rows, type, entity as Row, draft))
    },

    async relate(relation, entity, change, context) {
      const { row } = findDraft(entity)
      if (!row) return
      const hidden = change.mode === 'replace' ? await hiddenLinks(relation, row, context) : []
      const changed = changedLinks(readLinks(relation, row), change, hidden)
      const links = (await withPivots(relation, changed, change)).map((link) => toHeld(relation, link))
      const held = relation.toMany ? links : (links.at(-1) ?? null)
      context.unit.onRollback(assign(row, { [relation.property as string]: held }))
    },

    keyOf: (type, entity) => (entity as Row)[type.id.property],
  }
}

/** Checks the row before it is stored, because there is no transaction to roll back. */
async function checkWriteScope(type: ResourceType, context: Context, entity: Row): Promise<void> {
  const scope = await context.writeScope(type)
  if (!scope || (await rowsMeeting([entity], [scope], context)).length > 0) return
  throw outOfScope(type, scope, context)
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
  if (!rows.includes(row)) throw notFound(type, entity)
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

/** The changed values only, against lost updates: a concurrent write may have changed the other values. */
function changedValues(entity: Row, before: Row): Row {
  return Object.fromEntries(Object.entries(entity).filter(([property, value]) => before[property] !== value))
}

/** The undo keeps values that another write has changed since. */
function assign(row: Row, values: Row): Undo {
  const before = Object.entries(values).map(([property, value]) => ({ property, value, former: row[property] }))
  Object.assign(row, values)
  return () => {
    for (const { property, value, former } of before) if (row[property] === value) row[property] = former
  }
}

function notFound(type: ResourceType, entity: Row): Error {
  return resourceNotFound({ type: type.name, id: type.codec.encode(entity[type.id.property]) })
}

/** The members that the requester may not see: a replacement keeps them. */
async function hiddenLinks(relation: Relation, row: Row, context: Context): Promise<Link[]> {
  const links = readLinks(relation, row)
  const visible: RelatedKey[] = []
  for (const [type, linksOfType] of Map.groupBy(links, (link) => link.type)) {
    const query = createQuery({ type })
    const held = heldRows(linksOfType)
    const keys = new Set(linksOfType.map(({ key }) => key))
    const members = [
      ...(await visibleRows(held, type, [], context)),
      ...(await type.provider.many(type, [...keys], query, context)),
    ]
    visible.push(...members.map((member) => ({ type, key: member[type.id.property] })))
  }
  return links.filter((link) => !visible.some((member) => isSameLink(member, link)))
}

function changedLinks(before: readonly Link[], { mode, members }: LinkageChange, hidden: readonly Link[]): Link[] {
  const isNamed = (link: RelatedKey) => members.some((member) => isSameLink(member, link))
  if (mode === 'remove') return before.filter((link) => !isNamed(link))
  const kept = mode === 'add' ? before : hidden
  const former = (member: RelatedKey) => before.find((link) => isSameLink(link, member))
  const added = members.filter((member) => !kept.some((link) => isSameLink(link, member)))
  return [...kept, ...added.map(({ type, key }) => former({ type, key }) ?? { type, key })]
}

/** Sets the pivot values that were sent with the members. */
async function withPivots(
  { pivotFields }: Relation,
  links: readonly Link[],
  { mode, members }: LinkageChange,
): Promise<readonly Link[]> {
  if (pivotFields.length === 0 || mode === 'remove') return links
  return Promise.all(
    links.map(async (link) => {
      const member = members.find((named) => isSameLink(named, link))
      if (!member) return link
      const pivot = { ...link.pivot }
      const { values, fills } = member.pivotChanges(link.pivot ?? null)
      for (const [property, value] of values) pivot[property] = value
      for (const fill of fills) await fill(pivot)
      return { ...link, pivot }
    }),
  )
}

/** Returns a function that generates keys: the next number, as a text unless the existing keys are numbers. */
function createKeyGenerator(rows: readonly Row[]): (type: ResourceType) => unknown {
  let last = 0
  return ({ id: { property } }) => {
    const keys = rows.map((row) => row[property])
    last = Math.max(last, ...keys.map(Number).filter(Number.isSafeInteger)) + 1
    return keys.some((key) => typeof key === 'number') ? last : String(last)
  }
}
