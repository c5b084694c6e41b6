import type { Attribute, Relation } from '../model/field.ts'
import type { Query } from '../model/query.ts'
import { PlanPart } from '../model/query-plan.ts'
import type { ResourceType } from '../model/resource-type.ts'
import { checkedHops, isKeyLinkage, linkKey } from '../model/selection.ts'
import { type Server, servesTarget } from '../model/server.ts'
import { type ShownFields, shownFields } from '../model/shown-fields.ts'

/** What is read to show resources of one type, besides the columns of their rows. */
export interface TypePlan {
  /** The chained attributes whose rows are checked after they are read, in groups with the same relations. */
  readonly chains: readonly Chain[]
  /** The linkage that is part of every response and is not rendered from a foreign key in the row. */
  readonly linked: readonly LinkedRelation[]
  /** The linkage that is rendered from a foreign key in the row. */
  readonly foreignKeys: readonly ForeignKey[]
  /** Whether the columns of the rows are enough. */
  readonly isInRow: boolean
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

/** The client may query relations of the primary data, whose keys in the row are not enough then. */
export function typePlanOf(type: ResourceType, query: Query, server: Server, ofPrimary: boolean): TypePlan {
  const { plan } = query
  const part = ofPrimary ? ofPrimaryData : ofIncluded
  const planned = plan?.find(type, part)
  if (planned) return planned
  const created = createTypePlan(type, shownFields(type, query), server, ofPrimary ? query.related : unrelated)
  return plan ? plan.keepOfType(type, part, created) : created
}

const unrelated: Query['related'] = new Map()

const ofPrimaryData = new PlanPart<TypePlan>()
const ofIncluded = new PlanPart<TypePlan>()

function createTypePlan(
  type: ResourceType,
  { chained, alwaysLinked, relations }: ShownFields,
  server: Server,
  queried: Query['related'],
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
  const chains = [...byPath.values()].map((attributes) => {
    return { attributes, hops: checkedHops(attributes[0] as Attribute, type) }
  })
  const read = linked.filter(({ relation, holdsKey }) => !holdsKey || relation.guarded)
  return {
    chains,
    linked: read,
    isInRow: chains.length + read.length === 0,
    foreignKeys: relations
      .filter((relation) => relation.kind === 'belongsTo' && servesTarget(server, relation))
      .map((relation) => ({ relation, key: linkKey(relation) })),
  }
}
