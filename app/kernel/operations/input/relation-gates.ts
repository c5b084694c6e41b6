import { isRelationshipWrite, type LinkageInput, linkageModeOf, type Operation } from '../../contract/operation.ts'
import type { LinkageMode } from '../../data/persister.ts'
import { additionProhibited, fullReplacementProhibited, removalProhibited } from '../../errors/core-errors.ts'
import { Faults } from '../../errors/faults.ts'
import { escapePointer } from '../../lib/json-pointer.ts'
import type { Relation } from '../../schema/field.ts'
import { applies, type Rule } from '../../schema/restrictions.ts'
import { isWritable } from './hydrate.ts'

const gates = { replace: 'cannotReplace', add: 'cannotAdd', remove: 'cannotRemove' } as const
const refusals = { replace: fullReplacementProhibited, add: additionProhibited, remove: removalProhibited } as const

/** Throws 403 if a relation is read-only, or prohibits to replace, add or remove members. */
export function checkGates(operation: Operation, linkage: readonly LinkageInput[], subject: object | null): void {
  const { request, app } = operation.context
  const isProhibited = (rule: Rule<[object | null, typeof request]>) => applies(rule, [subject, request], request)
  const mode = linkageModeOf(operation.kind)
  const faults = new Faults(app.config.limits.errors)
  for (const { relation, data } of linkage) {
    const change = data === null ? 'remove' : mode
    if (!isWritable(relation, operation)) faults.push(refuse(relation, mode, operation))
    else if (isProhibited(relation[gates[change]])) faults.push(refuse(relation, change, operation))
  }
  faults.throwAny()
}

function refuse({ name }: Relation, mode: LinkageMode, { kind }: Operation) {
  const pointer = isRelationshipWrite(kind) ? '/data' : `/data/relationships/${escapePointer(name)}`
  return refusals[mode]({ relationship: name }, { source: { pointer } })
}
