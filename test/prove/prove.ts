import { Prover } from './prover.ts'
import { deniedRelationsStayHidden } from './rules/denied-relations.ts'
import { deniedRowsAreUnchanged, deniedRowsStayHidden } from './rules/denied-rows.ts'
import { hiddenNeverShows } from './rules/hidden.ts'
import { includesAreConstant } from './rules/includes.ts'
import { negotiation } from './rules/negotiation.ts'
import { pageLinksKeepQuery } from './rules/page-links.ts'
import { urlsAnswer } from './rules/reads.ts'
import { unknown } from './rules/unknown.ts'
import { relatedIsReadable } from './rules/visibility.ts'
import { writesAreChecked } from './rules/writes.ts'
import type { Subject } from './subject.ts'
import { type Place, survey } from './survey.ts'

export type Rule = (place: Place, prover: Prover) => Promise<void>

export const allRules: readonly Rule[] = [
  urlsAnswer,
  negotiation,
  unknown,
  writesAreChecked,
  pageLinksKeepQuery,
  hiddenNeverShows,
  includesAreConstant,
  relatedIsReadable,
  deniedRowsStayHidden,
  deniedRowsAreUnchanged,
  deniedRelationsStayHidden,
]

/** Tries every rule on every type of every server, or on those that are named. */
export async function prove(
  subject: Subject,
  names: readonly string[] = [],
  progress: (line: string) => void = () => {},
  rules: readonly Rule[] = allRules,
): Promise<Prover> {
  const prover = new Prover(subject)
  const all = await survey(subject.app, prover)
  const places = all.filter(({ type }) => names.length === 0 || names.includes(type.name))
  for (const [number, place] of places.entries()) {
    prover.begin(place.type.name)
    for (const rule of rules) {
      progress(`${number + 1}/${places.length} ${place.url} (${rule.name}), ${prover.faults.length} faults`)
      await rule(place, prover)
    }
  }
  return prover
}
