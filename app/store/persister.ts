import { type Changes, type Context, isIn, type Persister } from '#kernel'
import { Compiler } from './compiler.ts'
import { lockRows, toEntityValue } from './entities.ts'
import { relate } from './relate.ts'
import { resolveScopes } from './scopes.ts'
import { duplicateId, explainWrite } from './sql-errors.ts'
import { emOf, unitOf } from './unit.ts'

type Entity = Record<string, unknown>

/** Writes through MikroORM's unit of work, inside the unit's transaction. */
export const storePersister: Persister = {
  transactional: true,

  async load(type, key, context) {
    const compiler = new Compiler(unitOf(context), await resolveScopes([type], [], context))
    const alias = compiler.alias()
    const where = compiler.condition(isIn(type.id.property, [key]), type, alias)
    const scope = compiler.scope(type, alias)
    const [found] = await lockRows(compiler, type, alias, scope ? `${where} and ${scope}` : where, context)
    return found?.entity ?? null
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

  relate,

  keyOf: (type, entity) => (entity as Entity)[type.id.property],
}

function link(entity: Entity, toOne: Changes['toOne'], context: Context): void {
  for (const [{ property }, related] of toOne) {
    entity[property as string] =
      related && emOf(context).getReference(related.type.entity, related.key as never, { wrapped: true })
  }
}
