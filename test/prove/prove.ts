import { Prover } from './prover.ts'
import { deniedRelationsStayHidden } from './rules/denied-relations.ts'
import { deniedRowsAreUnchanged, deniedRowsStayHidden } from './rules/denied-rows.ts'
import { hiddenFieldsStayHidden } from './rules/hidden.ts'
import { includesAreConstant } from './rules/includes.ts'
import { mediaTypesAreNegotiated } from './rules/negotiation.ts'
import { pageLinksKeepQuery } from './rules/page-links.ts'
import { urlsReturnDescribedStatuses } from './rules/reads.ts'
import { undeclaredIsRejected } from './rules/unknown.ts'
import { relatedIsReadable } from './rules/visibility.ts'
import { writesAreChecked } from './rules/writes.ts'
import type { AppUnderTest } from './subject.ts'
import { type ServedType, findServedTypes } from './survey.ts'

export type Rule = (place: ServedType, prover: Prover) => Promise<void>

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
  const places = all.filter(({ type }) => names.length === 0 || names.includes(type.name))
  for (const [number, place] of places.entries()) {
    prover.startType(place.type.name)
    for (const rule of rules) {
      progress(`${number + 1}/${places.length} ${place.url} (${rule.name}), ${prover.faults.length} faults`)
      await rule(place, prover)
    }
  }
  return prover
}
