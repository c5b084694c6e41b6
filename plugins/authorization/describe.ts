import { type DescribedOperation, isRelationshipWrite, type OpenApiDraft, type OperationKind } from '#kernel'
import { abilityOf } from './decide.ts'
import { abilityKeys } from './policy.ts'

/** Who may be refused, and what is documented as open to everybody. */
export function describePolicies({ operations }: OpenApiDraft): void {
  for (const operation of operations) {
    const { kind, type, object, successes } = operation
    if (!kind || !type) continue
    if (type.declaration.abilities?.[abilityKeys[kind]] === false) object.security = []
    if (!isChecked(operation, kind)) continue
    operation.fail(401).headers['WWW-Authenticate'] ??= challenge
    operation.fail(403)
    if (isRelationshipWrite(kind)) {
      successes.set(204, { description: 'It is done; the requester may not see the members.' })
    }
  }
}

function isChecked({ type, relation }: DescribedOperation, kind: OperationKind): boolean {
  if (!type?.declaration.policy) return false
  return abilityOf(type, kind) !== null || relation?.options.security !== undefined
}

const challenge = {
  description: 'How to say who asks.',
  schema: { type: 'string', examples: ['Bearer'] },
}
