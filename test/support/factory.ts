import type { EntityClass, EntityData, EntityProperty, FromEntityType } from '@mikro-orm/core'
import { v4 } from 'uuid'
import type { Database } from '#store'
import { markDirty } from './app.ts'
import { testDatabase } from './database.ts'

/** What a row says of itself; what it leaves out and its table demands is made up. */
export type Row<Entity> = EntityData<FromEntityType<Entity>>

export interface Factory<Entity> {
  /** Inserts a row, in which what is given replaces what the factory says. */
  create(given?: Row<Entity>): Promise<Entity>
  createMany(count: number, given?: Row<Entity>): Promise<Entity[]>
}

/** Rows of the project's test database. `n` is another number for each row, so that names can differ. */
export function defineFactory<Entity extends object>(
  entity: EntityClass<Entity>,
  define: (n: number) => Row<Entity> = () => ({}),
  database: () => Promise<Database> = testDatabase,
): Factory<Entity> {
  const create = async (given?: Row<Entity>): Promise<Entity> => {
    const em = (await database()).orm.em.fork()
    const row = { ...define(nextNumber()), ...given }
    const created = em.create(entity, (await completed(em, entity, row)) as never)
    await em.persist(created).flush()
    if (database === testDatabase) markDirty()
    return created
  }
  return {
    create,
    async createMany(count, given) {
      const rows: Entity[] = []
      while (rows.length < count) rows.push(await create(given))
      return rows
    },
  }
}

type Manager = Database['orm']['em']

let last = 0

function nextNumber(): number {
  last += 1
  return last
}

async function completed(em: Manager, entity: EntityClass<object>, row: object): Promise<object> {
  const missing = em.getMetadata(entity).props.filter((property) => !(property.name in row) && isDemanded(property))
  const made = await Promise.all(missing.map(async (property) => [property.name, await valueFor(em, property)]))
  return { ...Object.fromEntries(made), ...row }
}

function isDemanded(property: EntityProperty): boolean {
  const { kind, nullable, primary, autoincrement, generated, formula, onCreate, persist } = property
  const isColumn = kind === 'scalar' || ((kind === 'm:1' || kind === '1:1') && property.owner !== false)
  const isFilled = property.default !== undefined || property.defaultRaw !== undefined || onCreate !== undefined
  const isGiven = (primary && autoincrement) || generated !== undefined || formula !== undefined || persist === false
  return isColumn && !nullable && !isFilled && !isGiven
}

/** Of a relation, a row that is made for it. */
async function valueFor(em: Manager, property: EntityProperty): Promise<unknown> {
  const { kind, name, items, length, runtimeType, columnTypes } = property
  const n = nextNumber()
  if (kind !== 'scalar') {
    const target = property.targetMeta?.class as EntityClass<object>
    return em.create(target, (await completed(em, target, {})) as never)
  }
  if (items?.length) return items[0]
  if (columnTypes?.[0] === 'uuid') return v4()
  if (runtimeType === 'boolean') return false
  if (runtimeType === 'Date') return new Date(Date.UTC(2026, 0, 1, 0, 0, n))
  if (columnTypes?.[0] === 'date') return '2026-01-01'
  if (columnTypes?.[0]?.startsWith('time')) return '12:00:00'
  if (runtimeType === 'number' || runtimeType === 'bigint') return n
  if (runtimeType === 'string') return `${name}-${n}`.slice(-(length ?? 1000))
  return runtimeType?.endsWith('[]') ? [] : {}
}
