import { type EntityMetadata, type EntityProperty, EventType, JsonType } from '@mikro-orm/core'
import type { ResourceType } from '#kernel/store'
import type { Orm } from '../connection/types.ts'
import { metaOf } from '../sql/compiler.ts'

/**
 * The reason why rows of a type are written as entities, by MikroORM: a property is not a column that is written as it is, or a hook of
 * the entity or a subscriber listens to writes. Null if statements write them.
 */
export function entityWriterReason(type: ResourceType, orm: Orm): string | null {
  const meta = metaOf(type, orm)
  const events = orm.em.getEventManager()
  const event = writeEvents.find((name) => events.hasListeners(name, meta))
  if (event) return `a hook of the entity or a subscriber listens to ${event}`
  return mappingReason(meta)
}

const writeEvents = [
  EventType.onInit,
  EventType.beforeCreate,
  EventType.afterCreate,
  EventType.beforeUpdate,
  EventType.afterUpdate,
  EventType.beforeDelete,
  EventType.afterDelete,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

function mappingReason(meta: EntityMetadata): string | null {
  if (meta.root.inheritanceType) return 'the entity shares its table with others (inheritance)'
  if (meta.virtual || meta.readonly) return 'the entity is read-only'
  if (meta.versionProperty || meta.concurrencyCheckKeys.size > 0) return 'MikroORM compares versions of the entity'
  if ((meta.constructorParams?.length ?? 0) > 0) return 'the constructor of the entity has parameters'
  if (meta.primaryKeys.length !== 1) return 'the primary key has several columns'
  const property = meta.props.find((one) => !isColumn(one))
  return property ? `MikroORM converts or generates the property '${property.name}'` : null
}

/** One column of the table, or no column at all. A statement that writes a row does not see it in a formula's subselect. */
function isColumn(property: EntityProperty): boolean {
  const { kind, fieldNames, customType, persist } = property
  if (kind === '1:m' || kind === 'm:n') return true
  if (property.onCreate || property.onUpdate || property.generated || property.polymorphic) return false
  if (property.formula && kind === 'scalar') return false
  if (kind === 'embedded' || kind === '1:1' || (kind === 'm:1' && property.primary)) return false
  const isWrittenAsIs = !customType?.convertToDatabaseValueSQL || customType instanceof JsonType
  return persist === false || (fieldNames.length === 1 && isWrittenAsIs)
}
