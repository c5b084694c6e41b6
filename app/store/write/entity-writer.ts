import type { Changes, Context, Persister, ResourceType, Row } from '#kernel/store'
import { duplicateId, toWriteError } from '../errors/write-errors.ts'
import { listEmbeddedMembers, toEntityForm } from '../sql/columns/embedded.ts'
import { metaOf, propertyOf } from '../sql/compiler.ts'
import { emOf, unitOf } from '../unit.ts'
import { loadEntity } from './load-for-update.ts'
import { lockInOrder } from './lock-in-order.ts'
import { toEntityValue } from './lock-rows.ts'
import { setReference } from './references.ts'
import { deleteJoinRows } from './relations/delete-join-rows.ts'
import { lockMembers, relateMembers } from './relations/relate-members.ts'
import { removeEntity } from './remove-entity.ts'

/** Writes entities through MikroORM's unit of work. */
export const storePersister: Persister = {
  transactional: true,

  load: loadEntity,
  lockInOrder,

  async create(type, { key, values, fills, toOne }, context) {
    const em = emOf(context)
    // MikroORM would treat the values as a change of the entity in its identity map.
    if (key !== undefined && em.getUnitOfWork().getById(type.entity, key as never)) throw duplicateId(type, key)
    const converted = [...values].map(([property, value]) => [property, toEntityValue(type, property, value, context)])
    const data = { ...Object.fromEntries(converted), ...(key !== undefined && { [type.id.property]: key }) }
    const entity = em.create(type.entity, data as never, { partial: true, persist: true } as never)
    setReferences(type, entity as Row, toOne, context)
    for (const fill of fills) await fill(entity)
    return entity
  },

  async change(type, subject, { values, fills, toOne }, context) {
    const entity = subject as Row
    setReferences(type, entity, toOne, context)
    for (const [property, value] of values) setValue(type, entity, property, value, context)
    for (const fill of fills) await fill(entity)
  },

  async remove(type, entity, context) {
    removeEntity(type, entity, context)
  },

  async purge(type, entity, context) {
    await deleteJoinRows(type, entity, context)
    emOf(context).remove(entity)
  },

  async flush(type, context) {
    try {
      await emOf(context).flush()
    } catch (error) {
      throw toWriteError(error, type, context)
    }
  },

  lockMembers,
  relate: relateMembers,

  keyOf: (type, entity) => (entity as Row)[type.id.property],
}

/** MikroORM creates the instance of an embeddable. */
function setValue(type: ResourceType, entity: Row, name: string, value: unknown, context: Context): void {
  const property = propertyOf(metaOf(type, unitOf(context).orm), name)
  const converted = toEntityForm(property, value)
  if (!listEmbeddedMembers(property)) entity[name] = converted
  else emOf(context).assign(entity, { [name]: converted }, { mergeEmbeddedProperties: false })
}

function setReferences(type: ResourceType, entity: Row, toOne: Changes['toOne'], context: Context): void {
  const meta = metaOf(type, unitOf(context).orm)
  for (const [relation, related] of toOne) {
    const property = propertyOf(meta, relation.property as string)
    if (related) setReference(entity, property, related, relation, context)
    else entity[property.name] = null
  }
}
