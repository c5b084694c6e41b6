import { localIdNotFound, resourceIdConflict } from '../../errors/core-errors.ts'
import type { Identifier, Input, LinkageInput, Operation, OperationDraft } from '../../model/operation.ts'
import type { Unit } from '../../model/provider.ts'

type Lids = Unit['lids']

/** The operation of a batch with ids in place of the local ids that operations before it have given. */
export function resolveLocalIds(draft: OperationDraft, { lids }: Unit): OperationDraft {
  const { target, input } = draft
  const id = target.lid === undefined ? target.id : idOf(target.type.name, target.lid, lids)
  if (input && draft.kind === 'Update') checkSame(input, target.type.name, id, lids)
  return {
    ...draft,
    target: { ...target, ...(id !== undefined && { id }) },
    ...(input && { input: { ...input, linkage: input.linkage.map((one) => settleLinkage(one, lids)) } }),
  }
}

/** Operations that follow in the batch may name what one of them has made. */
export function noteLid({ input, target: { type }, context: { unit } }: Operation, key: unknown): void {
  if (input?.lid !== undefined) unit.lids.set(lidKey(type.name, input.lid), type.codec.encode(key))
}

export function lidKey(type: string, lid: string): string {
  return `${type} ${lid}`
}

function idOf(type: string, lid: string, lids: Lids): string {
  const id = lids.get(lidKey(type, lid))
  if (id === undefined) throw localIdNotFound({ type, lid })
  return id
}

/** The resource that is sent is the one the operation is about. */
function checkSame(input: Input, type: string, id: string | undefined, lids: Lids): void {
  if (input.id !== undefined && input.id !== id) {
    throw resourceIdConflict({ id: input.id }, { source: { pointer: '/data/id' } })
  }
  if (input.lid !== undefined && idOf(type, input.lid, lids) !== id) {
    throw resourceIdConflict({ id: input.lid }, { source: { pointer: '/data/lid' } })
  }
}

function settleLinkage(linkage: LinkageInput, lids: Lids): LinkageInput {
  const settleOne = (identifier: Identifier): Identifier => {
    const { type, lid } = identifier
    return lid === undefined ? identifier : { ...identifier, id: idOf(type, lid, lids) }
  }
  const { data } = linkage
  if (data === null) return linkage
  return { ...linkage, data: Array.isArray(data) ? data.map(settleOne) : settleOne(data as Identifier) }
}
