import { additionProhibited, fullReplacementProhibited, removalProhibited } from '../core-errors.ts'
import { throwFaults } from '../errors.ts'
import type { Relation, Rule } from '../fields/definition.ts'
import { applies } from '../fields/restrictions.ts'
import { escapePointer } from '../input.ts'
import {
  isRelationshipWrite,
  type LinkageInput,
  type LinkageMode,
  linkageModeOf,
  type Operation,
} from '../operation.ts'
import { isWritable } from './hydrate.ts'

const gates = { replace: 'cannotReplace', add: 'cannotAdd', remove: 'cannotRemove' } as const
const refusals = { replace: fullReplacementProhibited, add: additionProhibited, remove: removalProhibited } as const

/** Relations whose members this requester may not change in this way: 403. */
export function checkGates(operation: Operation, linkage: readonly LinkageInput[], subject: object): void {
  const { request } = operation.context
  const isClosed = (rule: Rule<[object | null, typeof request]>) => applies(rule, [subject, request], request)
  const mode = linkageModeOf(operation.kind)
  throwFaults(
    linkage.flatMap(({ relation, data }) => {
      const change = data === null ? 'remove' : mode
      if (!isWritable(relation, operation)) return [refuse(relation, mode, operation)]
      return isClosed(relation[gates[change]]) ? [refuse(relation, change, operation)] : []
    }),
  )
}

function refuse({ name }: Relation, mode: LinkageMode, { kind }: Operation) {
  const pointer = isRelationshipWrite(kind) ? '/data' : `/data/relationships/${escapePointer(name)}`
  return refusals[mode]({ relationship: name }, { source: { pointer } })
}
