import type { Server } from '../contract/server.ts'
import type { Member } from '../data/graph.ts'
import type { Query } from '../data/query.ts'
import type { RowsPlan } from '../data/query-plan.ts'
import { findTypePlan } from '../plan/type-plan.ts'
import type { Row } from '../schema/field.ts'
import type { ResourceType } from '../schema/resource-type.ts'

/** The records of one type in a document, and what is read to show them. */
export interface TypeRows {
  readonly type: ResourceType
  readonly plan: RowsPlan
  readonly records: Row[]
}

/** Groups members by type. There is more than one group only with polymorphic relations, and among included resources. */
export function groupByType(
  members: readonly Member[],
  query: Query,
  server: Server,
  ofPrimary: boolean,
): readonly TypeRows[] {
  const groups = new Map<ResourceType, TypeRows>()
  for (const { type, record } of members) {
    const group = groups.get(type)
    if (group) {
      group.records.push(record)
      continue
    }
    const { primary, included } = findTypePlan(type, query, server)
    groups.set(type, { type, plan: ofPrimary ? primary : included, records: [record] })
  }
  return [...groups.values()]
}
