import type { EntityClass, EntityData, EntityProperty, FromEntityType } from '@mikro-orm/core'
import { v4 } from 'uuid'
import type { Database } from '#store'
import { markDirty } from './app.ts'
import { testDatabase } from './database.ts'

/** The values of a row; required values that are missing are generated. */
export type Row<Entity> = EntityData<FromEntityType<Entity>>

export interface Factory<Entity> {
  /** Inserts a row; the overrides values replace those of the factory. */
  create(overrides?: Row<Entity>): Promise<Entity>
  createMany(count: number, overrides?: Row<Entity>): Promise<Entity[]>
}

/** Defines rows of a test database. `n` is a different number for each row, so that names can differ. */
export function defineFactory<Entity extends object>(
  entity: EntityClass<Entity>,
  define: (n: number) => Row<Entity> = () => ({}),
  database: () => Promise<Database> = testDatabase,
): Factory<Entity> {
  const create = async (overrides?: Row<Entity>): Promise<Entity> => {
    const em = (await database()).orm.em.fork()
    const row = { ...define(nextNumber()), ...overrides }
    const created = em.create(entity, (await withRequiredValues(em, entity, row)) as never)
    await em.persist(created).flush()
    if (database === testDatabase) markDirty()
    return created
  }
  return {
    create,
    async createMany(count, overrides) {
      const rows: Entity[] = []
      while (rows.length < count) rows.push(await create(overrides))
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

async function withRequiredValues(em: Manager, entity: EntityClass<object>, row: object): Promise<object> {
  const missing = em.getMetadata(entity).props.filter((property) => !(property.name in row) && isRequired(property))
  const generated = await Promise.all(missing.map(async (property) => [property.name, await valueFor(em, property)]))
  return { ...Object.fromEntries(generated), ...row }
}

function isRequired(property: EntityProperty): boolean {
  const { kind, nullable, primary, autoincrement, generated, formula, onCreate, persist } = property
  const isColumn = kind === 'scalar' || ((kind === 'm:1' || kind === '1:1') && property.owner !== false)
  const isFilled = property.default !== undefined || property.defaultRaw !== undefined || onCreate !== undefined
  const isGenerated =
    (primary && autoincrement) || generated !== undefined || formula !== undefined || persist === false
  return isColumn && !nullable && !isFilled && !isGenerated
}

/** Generates a value of the column, or a row of the related entity. */
async function valueFor(em: Manager, property: EntityProperty): Promise<unknown> {
  const { kind, name, items, length, type, runtimeType, columnTypes: [column = ''] = [] } = property
  const n = nextNumber()
  if (kind !== 'scalar') {
    const target = property.targetMeta?.class as EntityClass<object>
    return em.create(target, (await withRequiredValues(em, target, {})) as never)
  }
  if (items?.length) return items[0]
  const text = [...textForms].find(([form]) => form.test(column))?.[1] ?? textsByType[type]
  if (text && runtimeType !== 'number') return text(n)
  // A domain has the type of the property.
  const valueType = runtimeType === 'unknown' ? type : runtimeType
  if (valueType === 'boolean') return false
  if (valueType === 'Date') return new Date(Date.UTC(2026, 0, 1, 0, 0, n))
  if (valueType === 'Buffer') return Buffer.from([n % 256])
  if (numberTypes.has(valueType)) return n
  if (textTypes.has(valueType)) return `${name}-${n}`.slice(-(length ?? 1000))
  return valueType?.endsWith('[]') ? [] : {}
}

const numberTypes: ReadonlySet<string> = new Set(['number', 'bigint', 'integer', 'smallint', 'double', 'float'])
const textTypes: ReadonlySet<string> = new Set(['string', 'text', 'character'])

type Text = (n: number) => string

/** Texts of columns that do not accept every text, by the type of the column. */
const textForms: ReadonlyMap<RegExp, Text> = new Map<RegExp, Text>([
  [/^uuid$/, () => v4()],
  [/^date$/, () => '2026-01-01'],
  [/^time(?!stamp)/, () => '12:00:00'],
  [/^interval/, (n) => `${n} seconds`],
  [/^(?:inet|cidr)$/, (n) => `192.0.2.${n % 256}`],
  [/^macaddr$/, () => '02:00:00:00:00:01'],
  [/^macaddr8$/, () => '02:00:00:00:00:00:00:01'],
  [/^(?:numeric|money)/, (n) => `${n}`],
  [/range$/, () => 'empty'],
  [/^bit(?: varying)?(?:\(|$)/, () => '1'],
])

/** The same by the type of the property, for columns whose type is a domain. */
const textsByType: Readonly<Record<string, Text>> = {
  UuidType: () => v4(),
  DecimalType: (n) => `${n}`,
  IntervalType: (n) => `${n} seconds`,
  date: () => '2026-01-01',
  time: () => '12:00:00',
}
