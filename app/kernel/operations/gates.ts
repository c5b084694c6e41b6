import { fullReplacementProhibited, removalProhibited } from '../core-errors.ts'
import { throwFaults } from '../errors.ts'
import type { Relation, Rule } from '../fields/definition.ts'
import { escapePointer } from '../input.ts'
import type { LinkageInput, Operation } from '../operation.ts'
import { isWritable } from './hydrate.ts'

/** Relations whose members this requester may not change in this way: 403. One that is read-only is passed over. */
export function checkGates(operation: Operation, linkage: readonly LinkageInput[], subject: object): void {
  const { request } = operation.context
  const isClosed = (rule: Rule<[object | null, typeof request]>) =>
    typeof rule === 'function' ? rule(subject, request) : rule
  throwFaults(
    linkage.flatMap(({ relation, data }) => {
      if (!isWritable(relation, operation)) return []
      if (!isClosed(data === null ? relation.cannotRemove : relation.cannotReplace)) return []
      const prohibited = data === null ? removalProhibited : fullReplacementProhibited
      return [prohibited({ relationship: relation.name }, { source: { pointer: placeOf(relation, operation) } })]
    }),
  )
}

function placeOf({ name }: Relation, { kind }: Operation): string {
  return kind === 'UpdateRelationship' ? '/data' : `/data/relationships/${escapePointer(name)}`
}
