import { getOrCreate } from '../lib/get-or-create.ts'
import type { Attribute, Relation } from '../model/field.ts'
import type { Query } from '../model/query.ts'
import { PlanPart } from '../model/query-plan.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { checkedHops, isKeyLinkage, linkKey } from '../model/selection.ts'
import { type Server, servesTarget } from '../model/server.ts'
import { keepPart, type ShownFields, shownFields } from '../model/shown-fields.ts'

/** What is read to show resources of one type, besides the columns of their rows. */
export interface TypePlan {
  /** The chained attributes whose rows are checked after they are read, in groups with the same relations. */
  readonly chains: readonly Chain[]
  /** The linkage that is part of every response and is not rendered from a foreign key in the row. */
  readonly linked: readonly LinkedRelation[]
  /** The linkage that is rendered from a foreign key in the row. */
  readonly foreignKeys: readonly ForeignKey[]
}

export interface Chain {
  readonly attributes: readonly Attribute[]
  readonly hops: readonly Relation[]
}

export interface LinkedRelation {
  readonly relation: Relation
  /** Whether the row holds the key, so that only hooks of the relation run, which may hide it. */
  readonly holdsKey: boolean
}

interface ForeignKey {
  readonly relation: Relation
  /** Its name in the record. */
  readonly key: string
}

const plans = new WeakMap<ShownFields, Map<Server, TypePlan>>()

/** Computed once per server and fieldset, unless the client queries relations of the primary data. */
export function typePlanOf(type: ResourceType, query: Query, server: Server, ofPrimary: boolean): TypePlan {
  const part = ofPrimary ? ofPrimaryData : ofIncluded
  return query.plan?.find(type, part) ?? keepPart(query, type, part, findTypePlan(type, query, server, ofPrimary))
}

const ofPrimaryData = new PlanPart<TypePlan>()
const ofIncluded = new PlanPart<TypePlan>()

function findTypePlan(type: ResourceType, query: Query, server: Server, ofPrimary: boolean): TypePlan {
  const shown = shownFields(type, query)
  if (ofPrimary && query.related.size > 0) return createTypePlan(type, shown, server, query.related)
  const byServer = getOrCreate(plans, shown, () => new Map<Server, TypePlan>())
  return getOrCreate(byServer, server, () => createTypePlan(type, shown, server))
}

function createTypePlan(
  type: ResourceType,
  { chained, alwaysLinked, relations }: ShownFields,
  server: Server,
  queried: Pick<Query['related'], 'has'> = new Map(),
): TypePlan {
  const checked = chained.filter((attribute) => checkedHops(attribute, type).length > 0)
  const byPath = Map.groupBy(checked, (attribute) =>
    checkedHops(attribute, type)
      .map(({ name }) => name)
      .join('.'),
  )
  const linked = alwaysLinked
    .filter((relation) => servesTarget(server, relation))
    .map((relation) => ({ relation, holdsKey: isKeyLinkage(relation) && !queried.has(relation) }))
  return {
    chains: [...byPath.values()].map((attributes) => {
      return { attributes, hops: checkedHops(attributes[0] as Attribute, type) }
    }),
    linked: linked.filter(({ relation, holdsKey }) => !holdsKey || relation.guarded),
    foreignKeys: relations
      .filter((relation) => relation.kind === 'belongsTo' && servesTarget(server, relation))
      .map((relation) => ({ relation, key: linkKey(relation) })),
  }
}
