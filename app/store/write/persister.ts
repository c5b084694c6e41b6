import type { SqlEntityManager } from '@mikro-orm/sql'
import type { Changes, Context, Persister, ResourceType } from '#kernel/store'
import { duplicateId, explainWrite } from '../errors/sql-errors.ts'
import { emOf, unitOf } from '../unit.ts'
import { isPlainWrite, onlyChanged, toPlainRow } from './direct-row.ts'
import { writePlainly } from './direct-write.ts'
import { loadSubject, lockSubject, toEntity } from './load-for-update.ts'
import { toEntityValue } from './lock-rows.ts'
import { addInSingleStatement, lockMembers, relate } from './relate.ts'
import { writeSingleStatement } from './single-statement.ts'

type Entity = Record<string, unknown>

/** Writes through MikroORM's unit of work, inside the unit's transaction. */
export const storePersister: Persister = {
  transactional: true,

  load: loadSubject,
  lock: lockSubject,

  async create(type, changes, context) {
    const plain = createPlainly(type, changes, context)
    if (plain) return plain
    const { key, values, fills, toOne } = changes
    const em = workWith(context)
    // MikroORM would take the values for a change of the entity it already has under this key.
    if (key !== undefined && em.getUnitOfWork().getById(type.entity, key as never)) throw duplicateId(type, key)
    const converted = [...values].map(([property, value]) => [property, toEntityValue(type, property, value, context)])
    const data = { ...Object.fromEntries(converted), ...(key !== undefined && { [type.id.property]: key }) }
    const entity = em.create(type.entity, data as never, { partial: true, persist: true } as never)
    link(entity as Entity, toOne, context)
    for (const fill of fills) await fill(entity)
    return entity
  },

  async change(type, subject, changes, context) {
    if (changePlainly(type, subject as Entity, changes, context)) return
    const entity = await toEntity(type, subject, context)
    const { values, fills, toOne } = changes
    workWith(context)
    link(entity, toOne, context)
    for (const [property, value] of values) {
      entity[property] = toEntityValue(type, property, value, context)
    }
    for (const fill of fills) await fill(entity)
  },

  writeAtOnce: writeSingleStatement,

  async remove(_type, entity, context) {
    workWith(context).remove(entity)
  },

  async flush(type, context) {
    const unit = unitOf(context)
    try {
      await writePlainly(unit.plain.splice(0), unit)
      if (unit.usesEntities) await unit.em.flush()
    } catch (error) {
      throw explainWrite(error, type)
    }
  },

  lockMembers,
  relate,
  addAtOnce: addInSingleStatement,

  keyOf: (type, entity) => (entity as Entity)[type.id.property],
}

/** MikroORM is to write this, when it is told to. */
function workWith(context: Context): SqlEntityManager {
  const unit = unitOf(context)
  unit.usesEntities = true
  return unit.em
}

function createPlainly(type: ResourceType, changes: Changes, context: Context): Entity | null {
  if (!isPlainWrite(type, changes, context)) return null
  const entity = new (type.entity as new () => Entity)()
  const row = toPlainRow(type, changes, context, entity)
  if (row) unitOf(context).plain.push({ type, row, entity, isNew: true })
  return row && entity
}

function changePlainly(type: ResourceType, entity: Entity, changes: Changes, context: Context): boolean {
  if (!isPlainWrite(type, changes, context)) return false
  const row = toPlainRow(type, onlyChanged(entity, changes), context)
  if (row) unitOf(context).plain.push({ type, row, entity, isNew: false })
  return row !== null
}

function link(entity: Entity, toOne: Changes['toOne'], context: Context): void {
  for (const [{ property }, related] of toOne) {
    entity[property as string] =
      related && emOf(context).getReference(related.type.entity, related.key as never, { wrapped: true })
  }
}
