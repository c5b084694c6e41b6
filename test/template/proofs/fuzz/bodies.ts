import type { Relation, ResourceType } from '#kernel'
import type { Attribute } from '#kernel/plugin'
import type { RandomSource } from '#test/conformance/random.ts'
import { corruptJson, type Json, unusualJson } from '#test/template/support/corrupt-json.ts'
import { injections, oddTexts } from '#test/template/support/hostile-texts.ts'
import type { Corpus } from './corpus.ts'
import { drawText } from './draw-names.ts'

const odd: readonly Json[] = [...unusualJson, ...injections, ...oddTexts]

/** Returns the document as text, sometimes corrupted. */
export function drawBody(document: Json, draw: RandomSource): string {
  const corrupted = draw.chance(30) ? corruptJson(document, draw, 1 + draw.below(3), odd) : document
  const text = JSON.stringify(corrupted)
  if (draw.chance(3)) return text.slice(0, draw.below(text.length))
  if (draw.chance(3))
    return text.replace(/"(title|name|id|type|data)"/, `"${draw.pick(['__proto__', 'constructor', ''])}"`)
  return draw.chance(1) ? '['.repeat(5_000) + text : text
}

export function drawResource(type: ResourceType, id: string | null, corpus: Corpus, draw: RandomSource): Json {
  const attributes = type.attributes
    .filter(() => draw.chance(70))
    .map((attribute) => [attribute.name, drawValue(type, attribute, corpus, draw)])
  const relations = type.relations
    .filter(() => draw.chance(40))
    .map((relation) => [relation.name, { data: drawLinkage(relation, corpus, draw) }])
  return {
    type: type.name,
    ...(id !== null && { id }),
    attributes: { ...Object.fromEntries(attributes), ...(draw.chance(10) && { undeclared: drawText(draw) }) },
    ...(relations.length > 0 && { relationships: Object.fromEntries(relations) }),
  }
}

/** Draws a value of some row, a value of the same kind, or any value. */
function drawValue(type: ResourceType, attribute: Attribute, { samples }: Corpus, draw: RandomSource): Json {
  const existing = samples.get(`${type.name}.${attribute.name}`) ?? []
  if (existing.length > 0 && draw.chance(85)) return draw.pick(existing)
  if (draw.chance(50)) return drawText(draw)
  return draw.pick<Json>([
    ...odd,
    draw.below(1000),
    draw.below(100) / 7,
    draw.chance(50),
    [drawText(draw)],
    { a: drawText(draw) },
  ])
}

export function drawLinkage(relation: Relation, corpus: Corpus, draw: RandomSource): Json {
  const identifier = () => drawIdentifier(relation, corpus, draw)
  if (draw.chance(4)) return draw.pick<Json>([null, [], {}, identifier(), [identifier(), null]])
  if (!relation.toMany) return draw.chance(20) ? null : identifier()
  return Array.from({ length: draw.below(4) }, identifier)
}

function drawIdentifier(relation: Relation, corpus: Corpus, draw: RandomSource): Json {
  const name = draw.chance(5) ? draw.pick(corpus.types).type.name : draw.pick(relation.targetNames)
  const pivot = Object.fromEntries(
    relation.pivotFields.map(({ name }) => [name, draw.chance(70) ? draw.below(9) : draw.pick(odd)]),
  )
  return {
    type: name,
    id: drawId(name, corpus, draw),
    ...(relation.pivotFields.length > 0 && draw.chance(60) && { meta: { pivot } }),
  }
}

export function drawId(type: string, { ids }: Corpus, draw: RandomSource): string {
  const existing = ids.get(type) ?? []
  return existing.length > 0 && !draw.chance(12) ? draw.pick(existing) : drawText(draw)
}
