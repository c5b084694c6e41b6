import { resourceIdConflict } from '#kernel/errors'
import type { CreatedIds } from '#kernel/operations'
import type { Identifier, Input, LinkageInput, Operation, PlannedOperation } from '#kernel/plugin'
import { localIdNotFound } from './errors.ts'

/** Replaces the local ids of an operation by the ids of resources that earlier operations of the batch have created. */
export function resolveLocalIds(planned: PlannedOperation, lids: CreatedIds): PlannedOperation {
  const { target, input } = planned
  const id = target.lid === undefined ? target.id : requireId(target.type.name, target.lid, lids)
  if (input && planned.kind === 'Update') checkSame(input, target.type.name, id, lids)
  return {
    ...planned,
    target: { ...target, ...(id !== undefined && { id }) },
    ...(input && { input: { ...input, linkage: input.linkage.map((one) => resolveLinkage(one, lids)) } }),
  }
}

/** Remembers the id of a created resource, so that later operations of the batch can refer to it by its local id. */
export function rememberLocalId({ input, savedKey, target: { type } }: Operation, lids: CreatedIds): void {
  if (input?.lid !== undefined && savedKey !== undefined) {
    lids.set(lidKey(type.name, input.lid), type.codec.encode(savedKey))
  }
}

export function lidKey(type: string, lid: string): string {
  return `${type} ${lid}`
}

function requireId(type: string, lid: string, lids: CreatedIds): string {
  const id = lids.get(lidKey(type, lid))
  if (id === undefined) throw localIdNotFound({ type, lid })
  return id
}

/** Throws if the resource of an update has another id than its target. */
function checkSame(input: Input, type: string, id: string | undefined, lids: CreatedIds): void {
  if (input.id !== undefined && input.id !== id) {
    throw resourceIdConflict({ id: input.id }, { source: { pointer: '/data/id' } })
  }
  if (input.lid !== undefined && requireId(type, input.lid, lids) !== id) {
    throw resourceIdConflict({ id: input.lid }, { source: { pointer: '/data/lid' } })
  }
}

function resolveLinkage(linkage: LinkageInput, lids: CreatedIds): LinkageInput {
  const resolve = (identifier: Identifier): Identifier => {
    const { type, lid } = identifier
    return lid === undefined ? identifier : { ...identifier, id: requireId(type, lid, lids) }
  }
  const { data } = linkage
  if (data === null) return linkage
  return { ...linkage, data: Array.isArray(data) ? data.map(resolve) : resolve(data as Identifier) }
}
