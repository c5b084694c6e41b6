import type { Relation, ResourceType } from '#kernel'
import type { Attribute } from '#kernel/plugin'
import type { Draw } from '#test/specification/random.ts'
import { corruptJson, type Json, unusualJson } from '#test/support/corrupt-json.ts'
import { injections, oddTexts } from '#test/support/hostile-texts.ts'
import type { Ground } from './ground.ts'
import { drawText } from './words.ts'

const odd: readonly Json[] = [...unusualJson, ...injections, ...oddTexts]

/** A document as the endpoint expects it, which may have been spoiled afterwards. */
export function drawBody(document: Json, draw: Draw): string {
  const spoiled = draw.chance(30) ? corruptJson(document, draw, 1 + draw.below(3), odd) : document
  const text = JSON.stringify(spoiled)
  if (draw.chance(3)) return text.slice(0, draw.below(text.length))
  if (draw.chance(3))
    return text.replace(/"(title|name|id|type|data)"/, `"${draw.pick(['__proto__', 'constructor', ''])}"`)
  return draw.chance(1) ? '['.repeat(5_000) + text : text
}

export function drawResource(type: ResourceType, id: string | null, ground: Ground, draw: Draw): Json {
  const attributes = type.attributes
    .filter(() => draw.chance(70))
    .map((one) => [one.name, drawValue(type, one, ground, draw)])
  const relations = type.relations
    .filter(() => draw.chance(40))
    .map((one) => [one.name, { data: drawLinkage(one, ground, draw) }])
  return {
    type: type.name,
    ...(id !== null && { id }),
    attributes: { ...Object.fromEntries(attributes), ...(draw.chance(10) && { nobody: drawText(draw) }) },
    ...(relations.length > 0 && { relationships: Object.fromEntries(relations) }),
  }
}

/** What some row has there; or something of the kind; or anything. */
function drawValue(type: ResourceType, attribute: Attribute, { samples }: Ground, draw: Draw): Json {
  const known = samples.get(`${type.name}.${attribute.name}`) ?? []
  if (known.length > 0 && draw.chance(85)) return draw.pick(known)
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

export function drawLinkage(relation: Relation, ground: Ground, draw: Draw): Json {
  const identifier = () => drawIdentifier(relation, ground, draw)
  if (draw.chance(4)) return draw.pick<Json>([null, [], {}, identifier(), [identifier(), null]])
  if (!relation.toMany) return draw.chance(20) ? null : identifier()
  return Array.from({ length: draw.below(4) }, identifier)
}

function drawIdentifier(relation: Relation, ground: Ground, draw: Draw): Json {
  const name = draw.chance(5) ? draw.pick(ground.types).type.name : draw.pick(relation.targetNames)
  const pivot = Object.fromEntries(
    relation.pivotFields.map(({ name }) => [name, draw.chance(70) ? draw.below(9) : draw.pick(odd)]),
  )
  return {
    type: name,
    id: drawId(name, ground, draw),
    ...(relation.pivotFields.length > 0 && draw.chance(60) && { meta: { pivot } }),
  }
}

export function drawId(type: string, { ids }: Ground, draw: Draw): string {
  const known = ids.get(type) ?? []
  return known.length > 0 && !draw.chance(12) ? draw.pick(known) : drawText(draw)
}
