import type { AppUnderTest } from './app-under-test.ts'
import { Prover } from './prover.ts'
import { deniedRelationsStayHidden } from './rules/denied-relations.ts'
import { deniedRowsAreUnchanged, deniedRowsStayHidden } from './rules/denied-rows.ts'
import { hiddenFieldsStayHidden } from './rules/hidden-fields.ts'
import { includesAreConstant } from './rules/includes.ts'
import { mediaTypesAreNegotiated } from './rules/negotiation.ts'
import { pageLinksKeepQuery } from './rules/page-links.ts'
import { urlsReturnDescribedStatuses } from './rules/reads.ts'
import { undeclaredIsRejected } from './rules/undeclared.ts'
import { relatedIsReadable } from './rules/visibility.ts'
import { writesAreChecked } from './rules/writes.ts'
import { findServedTypes, type ServedType } from './served-types.ts'

export type Rule = (served: ServedType, prover: Prover) => Promise<void>

export const allRules: readonly Rule[] = [
  urlsReturnDescribedStatuses,
  mediaTypesAreNegotiated,
  undeclaredIsRejected,
  writesAreChecked,
  pageLinksKeepQuery,
  hiddenFieldsStayHidden,
  includesAreConstant,
  relatedIsReadable,
  deniedRowsStayHidden,
  deniedRowsAreUnchanged,
  deniedRelationsStayHidden,
]

/** Checks every rule on every type of every server, or on the named types. */
export async function prove(
  subject: AppUnderTest,
  names: readonly string[] = [],
  progress: (line: string) => void = () => {},
  rules: readonly Rule[] = allRules,
): Promise<Prover> {
  const prover = new Prover(subject)
  const all = await findServedTypes(subject.app, prover)
  const servedTypes = all.filter(({ type }) => names.length === 0 || names.includes(type.name))
  for (const [number, served] of servedTypes.entries()) {
    prover.startType(served.type.name)
    checkRows(served, subject, prover)
    for (const rule of rules) {
      progress(`${number + 1}/${servedTypes.length} ${served.url} (${rule.name}), ${prover.faults.length} faults`)
      await rule(served, prover)
    }
  }
  return prover
}

/** Without rows most rules have nothing to check: that is a fault, not a rule that holds. */
function checkRows({ type, url }: ServedType, { emptyTypes }: AppUnderTest, prover: Prover): void {
  const { reason, isFault } = emptyTypes?.get(type.name) ?? {}
  if (reason && !isFault) {
    prover.leaveUnchecked(url, reason)
    return
  }
  const remedy = `Declare example() for its attributes with values that the table accepts, or add rows in seed.ts of its folder.`
  prover.check(reason === undefined, 'a type has rows to check', url, `No row could be created: ${reason}. ${remedy}`)
}
