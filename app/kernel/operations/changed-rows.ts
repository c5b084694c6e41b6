import { isRelationshipWrite, type PlannedOperation } from '../contract/operation.ts'
import type { RowKeys } from '../data/store.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { listIdentifiers, typeNamed } from './input/members.ts'

/**
 * The stored rows that the operations change: the subjects of updates, deletions, relationship writes and actions, and the
 * members whose foreign key changes. Rows with a local id and rows that a replacement removes are unknown yet.
 */
export function changedRows(operations: readonly PlannedOperation[]): RowKeys {
  const rows = new Map<ResourceType, Set<unknown>>()
  const add = (type: ResourceType | undefined, id: string | undefined) => {
    const key = id === undefined ? undefined : type?.codec.decode(id)
    if (!type || key === undefined) return
    const keys = rows.get(type)
    if (keys) keys.add(key)
    else rows.set(type, new Set([key]))
  }
  for (const { kind, target, input } of operations) {
    if (kind === 'Update' || kind === 'Delete' || kind === 'Action' || isRelationshipWrite(kind))
      add(target.type, target.id)
    for (const linkage of input?.linkage ?? []) {
      const { relation } = linkage
      if (relation.kind !== 'hasMany' && relation.kind !== 'hasOne') continue
      for (const { type, id } of listIdentifiers(linkage)) add(typeNamed(relation, type), id)
    }
  }
  return rows
}
