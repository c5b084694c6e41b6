import type { Action, Relation, ResourceType } from '#kernel/plugin'

/** The words for a type or a relation in sentences. */
export interface Nouns {
  /** `albums`, `ordered tracks`. */
  readonly plural: string
  /** `album`; `resource of type people` for an irregular plural. */
  readonly singular: string
}

/** `catalog-exports` → `catalog exports` and `catalog export`. */
export function toNouns({ name }: Pick<ResourceType, 'name'>): Nouns {
  const plural = toWords(name)
  return { plural, singular: toSingular(plural) ?? `resource of type ${name}` }
}

/** `orderedTracks` → `ordered tracks`. */
export function relationNoun({ name }: Pick<Relation, 'name'>): string {
  return toWords(name)
}

/** `mark-read` → `Mark read`. */
export function toVerb({ name }: Pick<Action, 'name'>): string {
  const words = toWords(name)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `album` → `an album`, `user` → `a user`. */
export function withArticle(noun: string): string {
  return /^(?:[aeio]|u(?!ni|s[aei]|ti|rl))/.test(noun) ? `an ${noun}` : `a ${noun}`
}

/** Returns null if the word is not a regular English plural. */
export function toSingular(plural: string): string | null {
  if (/(?:series|species|news|[uis]s)$/.test(plural)) return null
  if (/[^aeiou]ies$/.test(plural) && !/(?:mov|cook)ies$/.test(plural)) return `${plural.slice(0, -3)}y`
  if (/(?:ss|x|z|ch|sh|[^ao]us)es$/.test(plural)) return plural.slice(0, -2)
  return plural.endsWith('s') ? plural.slice(0, -1) : null
}

function toWords(name: string): string {
  return name
    .replaceAll('-', ' ')
    .replaceAll('_', ' ')
    .replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
