import { type EntityMetadata, type EntityProperty, EventType, JsonType } from '@mikro-orm/core'
import { type FastPath, getOrCreate } from '#kernel/store'
import { metaOf } from '../sql/compiler.ts'
import { unitOf } from '../unit.ts'

/**
 * Whether rows of a type can be written without MikroORM: each property is a column that is written as it is, and no
 * hook of the entity or subscriber listens to writes.
 */
export const acceptsType: FastPath['accepts'] = (type, context) => {
  const { orm } = unitOf(context)
  const meta = metaOf(type, orm)
  const events = orm.em.getEventManager()
  if (writeEvents.some((event) => events.hasListeners(event, meta))) return false
  return getOrCreate(eligible, meta, () => hasOnlyColumns(meta))
}

const eligible = new WeakMap<EntityMetadata, boolean>()

const writeEvents = [
  EventType.onInit,
  EventType.beforeCreate,
  EventType.afterCreate,
  EventType.beforeUpdate,
  EventType.afterUpdate,
  EventType.beforeFlush,
  EventType.onFlush,
  EventType.afterFlush,
]

function hasOnlyColumns(meta: EntityMetadata): boolean {
  if (meta.root.inheritanceType || meta.virtual || meta.readonly || meta.versionProperty) return false
  if ((meta.constructorParams?.length ?? 0) > 0 || meta.primaryKeys.length !== 1) return false
  return meta.concurrencyCheckKeys.size === 0 && meta.props.every(isColumn)
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
