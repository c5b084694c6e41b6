import { getOrCreate } from '../lib/get-or-create.ts'
import type { Attribute, Relation } from './field.ts'
import type { Query } from './query.ts'
import type { ResourceType } from './resource-type.ts'
import { isNeverShown } from './visibility.ts'

/** The fields of a type that a response shows. */
export interface ShownFields {
  readonly attributes: readonly Attribute[]
  readonly relations: readonly Relation[]
  /** The relations that the default fieldset omits: they are shown where they are included (full linkage). */
  readonly whenIncluded: readonly Relation[]
  /** The relations whose linkage is part of every response. */
  readonly alwaysLinked: readonly Relation[]
  /** The attributes that are read through to-one relations. */
  readonly chained: readonly Attribute[]
}

/** The part of a query that decides which fields are shown: the fieldsets, and what `hiddenFor` hides. */
export type FieldVisibility = Pick<Query, 'fields' | 'visibility'>

const cache = new WeakMap<object, Map<ResourceType, ShownFields>>()

/** Computed once per type and fieldset. */
export function shownFields(type: ResourceType, query: FieldVisibility): ShownFields {
  const fieldset = fieldsetOf(type, query)
  const cached = cache.get(fieldset ?? type)?.get(type)
  if (cached) return cached
  const shown = selectFields(type, fieldset, omittedByDefault(type, query))
  getOrCreate(cache, fieldset ?? type, () => new Map<ResourceType, ShownFields>()).set(type, shown)
  return shown
}

/** The names of the fields that may be shown. Null if all may. */
export function fieldsetOf(type: ResourceType, { fields, visibility }: FieldVisibility): ReadonlySet<string> | null {
  const fieldset = (fields.size > 0 && fields.get(type.name)) || type.defaultFields
  const hidden = visibility?.hiddenIn(type)
  return hidden && hidden.length > 0 ? withoutHidden(hidden, fieldset, type) : fieldset
}

/** Whether the client requests a fieldset of the type. */
export function requestsFieldset(type: ResourceType, { fields }: FieldVisibility): boolean {
  return fields.size > 0 && fields.has(type.name)
}

/** Empty if the client requests a fieldset: such a fieldset may omit linkage. */
function omittedByDefault(type: ResourceType, query: FieldVisibility): readonly Relation[] {
  const { defaultFields } = type
  if (!defaultFields || requestsFieldset(type, query)) return []
  const hidden = query.visibility?.hiddenIn(type) ?? []
  return type.relations.filter(
    (relation) => !isNeverShown(relation) && !defaultFields.has(relation.name) && !hidden.includes(relation.name),
  )
}

const narrowed = new WeakMap<object, Map<string, ReadonlySet<string>>>()

/** Returns the same set for the same hidden fields, because the set is a cache key. */
function withoutHidden(
  hidden: readonly string[],
  fieldset: ReadonlySet<string> | null,
  type: ResourceType,
): ReadonlySet<string> {
  const sets = getOrCreate(narrowed, fieldset ?? type, () => new Map<string, ReadonlySet<string>>())
  const names = fieldset ?? new Set(type.fields.keys())
  return getOrCreate(
    sets,
    `${type.name} ${hidden.join()}`,
    () => new Set([...names].filter((name) => !hidden.includes(name))),
  )
}

function selectFields(
  type: ResourceType,
  fieldset: ReadonlySet<string> | null,
  whenIncluded: readonly Relation[],
): ShownFields {
  const isShown = (field: Attribute | Relation) => !isNeverShown(field) && (!fieldset || fieldset.has(field.name))
  const relations = type.relations.filter(isShown)
  const attributes = type.attributes.filter(isShown)
  return {
    attributes,
    relations,
    whenIncluded,
    alwaysLinked: relations.filter(({ linkage }) => linkage === 'always'),
    chained: attributes.filter(({ on }) => on),
  }
}
