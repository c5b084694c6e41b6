import { Cascade, type EntityMetadata, type EntityProperty, EventType } from '@mikro-orm/core'
import type { Context } from '#kernel/store'
import { unitOf } from '../unit.ts'

/** Whether one statement may delete rows of an entity: no hook, subscriber or cascade of MikroORM takes part. */
export function deletesSilently(meta: EntityMetadata, context: Context): boolean {
  const events = unitOf(context).orm.em.getEventManager()
  return !deleteEvents.some((event) => events.hasListeners(event, meta)) && !meta.props.some(removesOthers)
}

const deleteEvents = [
  EventType.onInit,
  EventType.onLoad,
  EventType.beforeDelete,
  EventType.afterDelete,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

function removesOthers({ orphanRemoval, cascade = [] }: EntityProperty): boolean {
  return orphanRemoval === true || cascade.includes(Cascade.REMOVE) || cascade.includes(Cascade.ALL)
}
