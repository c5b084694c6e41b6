import type { Relation, ResourceType } from '#kernel'
import { findFilters, relationFilters } from '#plugins/filtering/index.ts'
import { findSorts, relationSorts } from '#plugins/sorting/index.ts'
import type { RandomSource } from '#test/conformance/random.ts'
import { injections, oddTexts } from '#test/template/support/hostile-texts.ts'

/** Draws any text: an injection, an unusual text or a plain one. */
export function drawText(draw: RandomSource): string {
  if (draw.chance(30)) return draw.pick(injections)
  if (draw.chance(30)) return draw.pick(oddTexts)
  return draw.pick(['a', 'the', '1', '2', '10', 'true', 'false', 'rock', '2020-01-01', '1995-03-13T00:00:00Z', '1,2'])
}

/** Draws one of the valid names, or sometimes any text. */
export function drawName(words: readonly string[], draw: RandomSource): string {
  return words.length === 0 || draw.chance(4) ? drawText(draw) : draw.pick(words)
}

export function fieldNames(type: ResourceType): string[] {
  return [...type.fields.keys()]
}

export function relationNames(type: ResourceType): string[] {
  return type.relations.map(({ name }) => name)
}

export function sortKeys(type: ResourceType, relation: Relation | null): string[] {
  return [...(relation ? relationSorts(relation) : findSorts(type)).keys()]
}

export function filterKeys(type: ResourceType, relation: Relation | null): string[] {
  return [...(relation ? relationFilters(relation) : findFilters(type)).keys()]
}

/** Draws an include path such as `albums.tracks.playlists`. */
export function drawPath(type: ResourceType, draw: RandomSource): string {
  const hops: string[] = []
  let at: ResourceType | undefined = type
  do {
    const relation: Relation | undefined = at && at.relations.length > 0 ? draw.pick(at.relations) : undefined
    hops.push(relation && !draw.chance(4) ? relation.name : drawText(draw))
    at = relation?.target
  } while (at && draw.chance(35))
  return hops.join('.')
}
