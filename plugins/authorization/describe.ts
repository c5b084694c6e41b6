import { isRelationshipWrite, type OperationKind } from '#kernel/plugin'
import type { DescribedOperation, OpenApiDraft } from '#openapi'
import { abilityFor } from './abilities.ts'
import { allowsAnonymous, declaredAbility } from './anonymous.ts'
import type { Authorizer } from './authorizer.ts'
import { readPolicyClass } from './policy.ts'

/** Documents 401 and 403 on every operation a policy may deny, and marks operations that need no principal. */
export function describePolicies(draft: OpenApiDraft, authorizer: Authorizer): void {
  for (const operation of draft.operations) {
    const { kind, type, object, successes } = operation
    if (!kind || !type) continue
    operation.anonymous = allowsAnonymous(operation, draft, authorizer)
    if (operation.anonymous && declaredAbility(kind, type) === false) object.security = []
    if (!isChecked(operation, kind) && !checksMembers(operation, kind)) continue
    operation.addErrors(401).headers['WWW-Authenticate'] ??= challenge
    operation.addErrors(403)
    if (isChecked(operation, kind) && isRelationshipWrite(kind)) {
      successes.set(204, { description: 'The relationship was changed, but the caller may not read it.' })
    }
  }
}

function isChecked({ type, relation, route }: DescribedOperation, kind: OperationKind): boolean {
  if (!type || !readPolicyClass(type.declaration)) return false
  if (relation?.options.security) return true
  const action = route?.action
  return abilityFor(kind, { type, ...(action && { action }) }) !== null
}

/** Returns true if the policies of member types may deny a write of the relationship. */
function checksMembers({ relation }: DescribedOperation, kind: OperationKind): boolean {
  const targets = relation?.targets ?? []
  return isRelationshipWrite(kind) && targets.some(({ declaration }) => readPolicyClass(declaration))
}

const challenge = {
  description: 'The authentication scheme to use.',
  schema: { type: 'string', examples: ['Bearer'] },
}
