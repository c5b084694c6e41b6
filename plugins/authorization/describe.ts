import { isRelationshipWrite, type OperationKind } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft } from '#openapi'
import { abilityOf } from './decide.ts'
import { abilityKeys, policyClassOf } from './policy.ts'

/** Documents which operations may be denied, and which are public. */
export function describePolicies({ operations }: OpenApiDraft): void {
  for (const operation of operations) {
    const { kind, type, object, successes } = operation
    if (!kind || !type) continue
    if (type.declaration.abilities?.[abilityKeys[kind]] === false) object.security = []
    if (!isChecked(operation, kind) && !asksMembers(operation, kind)) continue
    operation.fail(401).headers['WWW-Authenticate'] ??= challenge
    operation.fail(403)
    if (isChecked(operation, kind) && isRelationshipWrite(kind)) {
      successes.set(204, { description: 'The relationship is changed; the requester may not read it.' })
    }
  }
}

function isChecked({ type, relation }: DescribedOperation, kind: OperationKind): boolean {
  if (!type || !policyClassOf(type.declaration)) return false
  return abilityOf(type, kind) !== null || relation?.options.security !== undefined
}

/** Whether a write of the relation asks the policies of its members. */
function asksMembers({ relation }: DescribedOperation, kind: OperationKind): boolean {
  const targets = relation?.targets ?? []
  return isRelationshipWrite(kind) && targets.some(({ declaration }) => policyClassOf(declaration))
}

const challenge = {
  description: 'The authentication scheme to use.',
  schema: { type: 'string', examples: ['Bearer'] },
}
