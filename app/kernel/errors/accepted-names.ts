import { type Phrase, phrase } from './error-text.ts'

/** Lists the accepted names for an error detail, and suggests one if a rejected name differs from it by a typo. */
export function acceptedNames(accepted: readonly string[], ...rejected: readonly string[]): Phrase {
  if (accepted.length === 0) return phrase('none.')
  for (const name of rejected.slice(0, maxCompared)) {
    const suggestion = nearestName(name, accepted)
    if (suggestion !== undefined)
      return phrase("{names}. Did you mean '{suggestion}'?", { names: accepted, suggestion })
  }
  return phrase('{names}.', { names: accepted })
}

/**
 * The end of a boot fault about an unknown name: ` Did you mean 'title'?`; an empty text if no accepted name is near, or if
 * the declared name is not a text.
 */
export function didYouMean(name: unknown, accepted: Iterable<string>): string {
  const suggestion = typeof name === 'string' ? nearestName(name, [...accepted]) : undefined
  return suggestion === undefined ? '' : ` Did you mean '${suggestion}'?`
}

/** Rejected names that a suggestion is searched for: a detail lists no more of them. */
const maxCompared = 20

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

/** https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance#Optimal_string_alignment_distance */
function editDistance(left: string, right: string): number {
  const rows = [Array.from({ length: right.length + 1 }, (_, index) => index)]
  const distance = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= right.length; column++) {
      const isEqual = left[row - 1] === right[column - 1]
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const substitution = distance(row - 1, column - 1) + (isEqual ? 0 : 1)
      const insertionOrDeletion = Math.min(distance(row - 1, column), distance(row, column - 1)) + 1
      const transposition = isSwapped ? distance(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY
      current.push(Math.min(substitution, insertionOrDeletion, transposition))
    }
  }
  return distance(left.length, right.length)
}
