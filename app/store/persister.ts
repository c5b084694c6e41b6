import type { EntityProperty } from '@mikro-orm/core'
import { type Changes, type Context, isIn, type Persister, type ResourceType } from '#kernel'
import { readable } from './columns.ts'
import { Compiler, quote } from './compiler.ts'
import { resolveScopes } from './scopes.ts'
import { duplicateId, explainWrite } from './sql-errors.ts'
import { emOf, run } from './unit.ts'

type Entity = Record<string, unknown>

/** Writes through MikroORM's unit of work, inside the unit's transaction. */
export const storePersister: Persister = {
  async load(type, key, context) {
    const em = emOf(context)
    const compiler = new Compiler(em, await resolveScopes([type], [], context))
    const alias = compiler.alias()
    const where = compiler.condition(isIn(type.id.property, [key]), type, alias)
    const scope = compiler.scope(type, alias)
    const sql = `select ${columnsOf(compiler, type, alias)} from ${compiler.table(type)} ${alias} where ${where}${scope ? ` and ${scope}` : ''} for update of ${alias}`
    const [row] = await run(sql, compiler.parameters, context)
    return row ? em.map(type.entity, row as never) : null
  },

  async create(type, { key, values, fills, toOne }, context) {
    const em = emOf(context)
    // MikroORM would take the values for a change of the entity it already has under this key.
    if (key !== undefined && em.getUnitOfWork().getById(type.entity, key as never)) throw duplicateId(type, key)
    const converted = [...values].map(([property, value]) => [property, toEntityValue(type, property, value, context)])
    const data = { ...Object.fromEntries(converted), ...(key !== undefined && { [type.id.property]: key }) }
    const entity = em.create(type.entity, data as never, { partial: true, persist: true } as never)
    link(entity as Entity, toOne, context)
    for (const fill of fills) await fill(entity)
    return entity
  },

  async change(type, entity, { values, fills, toOne }, context) {
    link(entity as Entity, toOne, context)
    for (const [property, value] of values) {
      ;(entity as Entity)[property] = toEntityValue(type, property, value, context)
    }
    for (const fill of fills) await fill(entity)
  },

  async remove(_type, entity, context) {
    emOf(context).remove(entity)
  },

  async flush(type, context) {
    try {
      await emOf(context).flush()
    } catch (error) {
      throw explainWrite(error, type)
    }
  },

  keyOf: (type, entity) => (entity as Entity)[type.id.property],
}

/** From the form a document has to the type of the property: a bigint, a decimal kept as text. */
function toEntityValue(type: ResourceType, property: string, value: unknown, context: Context): unknown {
  const { runtimeType } = emOf(context).getMetadata().get(type.entity).properties[property as never] as EntityProperty
  if (typeof value !== 'number') return value
  if (runtimeType === 'bigint') return BigInt(value)
  return runtimeType === 'string' ? String(value) : value
}

function link(entity: Entity, toOne: Changes['toOne'], context: Context): void {
  for (const [{ property }, related] of toOne) {
    entity[property as string] =
      related && emOf(context).getReference(related.type.entity, related.key as never, { wrapped: true })
  }
}

/** All that is stored in the row itself; a to-one mapped from the other side is not. */
function columnsOf(compiler: Compiler, type: ResourceType, alias: string): string {
  const platform = compiler.em.getPlatform()
  return compiler
    .meta(type)
    .props.filter((property) => property.persist !== false && !property.lazy && property.fieldNames?.length === 1)
    .filter(({ kind, owner }) => kind !== '1:m' && kind !== 'm:n' && (kind !== '1:1' || owner))
    .map((property) => {
      const column = quote(property.fieldNames[0] as string)
      return `${readable(`${alias}.${column}`, property, platform)} as ${column}`
    })
    .join(', ')
}
