import { freezeLists } from '../lib/freeze-lists.ts'
import { LruMap } from '../lib/lru-map.ts'
import type { ShownFields } from '../schema/columns.ts'
import type { Attribute, Relation } from '../schema/field.ts'
import { isNeverShown } from '../schema/field-visibility.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Query } from './query.ts'

/** The part of a query that decides which fields are shown: the fieldsets, and what `hiddenFor` hides. */
type FieldVisibility = Pick<Query, 'fields' | 'visibility'> & Partial<Pick<Query, 'plan'>>

/** The fieldsets of one type that are kept. Beyond it, the least recently used one is evicted. */
const maxFieldsets = 200

/** Decided once for a type, its fieldset and the fields that are hidden from the requester: plans share it, whatever else they read. */
export function shownFields(type: ResourceType, { fields, visibility, plan }: FieldVisibility): ShownFields {
  const planned = plan?.types.get(type)
  if (planned) return planned.shown
  const requested = (fields.size > 0 && fields.get(type.name)) || null
  const hidden = visibility?.hiddenIn(type) ?? none
  const key = requested || hidden.length > 0 ? buildKey(type, requested, hidden) : ''
  return type.shown.getOrCreate(key, maxFieldsets, () => freezeLists(selectFields(type, requested, hidden)))
}

const none: readonly string[] = []

/** Names that are no fields are left out: clients choose them, unless query parameters are strict. */
function buildKey({ fields }: ResourceType, requested: ReadonlySet<string> | null, hidden: readonly string[]): string {
  const names = requested && [...requested].filter((name) => fields.has(name)).sort()
  return `${names ? `=${names}` : ''}!${hidden}`
}

/** A fieldset of the client may omit linkage of included resources, unlike the default one. */
function selectFields(
  type: ResourceType,
  requested: ReadonlySet<string> | null,
  hidden: readonly string[],
): ShownFields {
  const { defaultFields } = type
  const isVisible = (field: Attribute | Relation) => !isNeverShown(field) && !hidden.includes(field.name)
  const fieldset = requested ?? defaultFields
  const isShown = (field: Attribute | Relation) => isVisible(field) && (!fieldset || fieldset.has(field.name))
  const relations = type.relations.filter(isShown)
  const attributes = type.attributes.filter(isShown)
  const isOmitted = (relation: Relation) => isVisible(relation) && defaultFields?.has(relation.name) === false
  return {
    attributes,
    relations,
    whenIncluded: requested ? [] : type.relations.filter(isOmitted),
    alwaysLinked: relations.filter(({ linkage }) => linkage === 'always'),
    chained: attributes.filter(({ on }) => on),
    selections: new LruMap(),
  }
}
