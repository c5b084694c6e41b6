import { defineError, type Principal } from '#kernel'
import type { HookContext } from '#plugins/lifecycle/index.ts'
import type { Claim, ClaimStatus } from './entity.ts'

/** The next statuses of each status, and the role that may set them. */
const transitions: Readonly<Record<ClaimStatus, Readonly<Partial<Record<ClaimStatus, string>>>>> = {
  draft: { submitted: 'employee' },
  submitted: { draft: 'employee', approved: 'manager', rejected: 'manager' },
  approved: { paid: 'accountant' },
  rejected: { draft: 'employee' },
  paid: {},
}

export const transitionRefused = defineError(
  'TRANSITION_REFUSED',
  409,
  'The transition is not allowed',
  "Cannot change 'status' from {from} to {to}. Allowed for this requester: {allowed}.",
)

/** Rejects a change of the status that the table does not list for a role of the requester. */
export function checkTransition(
  claim: Claim,
  original: { readonly status: ClaimStatus },
  { context: { principal } }: HookContext,
): void {
  const [from, to] = [original.status, claim.status]
  const allowed = nextStatuses(from, principal)
  if (from === to || allowed.includes(to)) return
  const source = { pointer: '/data/attributes/status' }
  throw transitionRefused({ from, to, allowed: allowed.join(', ') || 'none' }, { source })
}

function nextStatuses(from: ClaimStatus, principal: Principal | null): string[] {
  const next = Object.entries(transitions[from])
  return next.flatMap(([status, role]) => (principal?.roles.includes(role) ? status : []))
}
