import { type Phrase, phrase } from './error-text.ts'

/** Lists the accepted names for an error detail, and suggests one if a rejected name differs from it by a typo. */
export function acceptedNames(accepted: readonly string[], ...rejected: readonly string[]): Phrase {
  if (accepted.length === 0) return phrase('none.')
  const suggestion = rejected.flatMap((name) => nearestName(name, accepted) ?? [])[0]
  if (suggestion === undefined) return phrase('{names}.', { names: accepted })
  return phrase("{names}. Did you mean '{suggestion}'?", { names: accepted, suggestion })
}

/** Returns the candidate with the fewest edits; undefined if every candidate differs in more than a third of itself. */
function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const limit = Math.max(1, Math.floor(candidate.length / 3))
    if (Math.abs(candidate.length - name.length) > limit) continue
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (edits > limit || edits >= fewest) continue
    nearest = candidate
    fewest = edits
  }
  return nearest
}

/** https://en.wikipedia.org/wiki/Levenshtein_distance */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] as number) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] as number) + 1, (current[column - 1] as number) + 1))
    }
    previous = current
  }
  return previous[right.length] as number
}
