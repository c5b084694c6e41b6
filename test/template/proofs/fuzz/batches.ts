import type { Server } from '#kernel/plugin'
import type { RandomSource } from '#test/conformance/random.ts'
import type { Json } from '#test/template/support/corrupt-json.ts'
import { drawId, drawLinkage, drawResource } from './bodies.ts'
import type { Corpus } from './corpus.ts'
import { drawText } from './draw-names.ts'

type Operation = Record<string, Json>

/** Draws operations on resources and members, some of which use local ids of the same batch. */
export function drawBatch(server: Server, corpus: Corpus, draw: RandomSource): Json {
  return { 'atomic:operations': Array.from({ length: 1 + draw.below(4) }, () => drawOperation(server, corpus, draw)) }
}

function drawOperation({ types, prefix }: Server, corpus: Corpus, draw: RandomSource): Operation {
  const changeable = [...types.values()].filter(({ operations }) => operations.has('Update') || draw.chance(5))
  const type = draw.pick(changeable.length > 0 ? changeable : [...types.values()])
  const id = drawId(type.name, corpus, draw)
  const lid = draw.pick(['a', 'b'])
  if (type.relations.length > 0 && draw.chance(40)) {
    const relation = draw.pick(type.relations)
    const ref = { type: type.name, ...(draw.chance(15) ? { lid } : { id }), relationship: relation.name }
    const target: Operation = draw.chance(70)
      ? { ref }
      : { href: `${prefix}/${type.uriType}/${encodeURIComponent(id.toWellFormed())}/relationships/${relation.segment}` }
    return { op: draw.pick(['add', 'update', 'remove']), ...target, data: drawLinkage(relation, corpus, draw) }
  }
  const created = drawResource(type, null, corpus, draw) as Operation
  const whole = drawResource(type, id, corpus, draw)
  return draw.pick<Operation>([
    { op: 'add', data: { ...created, ...(draw.chance(40) && { lid }) } },
    { op: 'add', href: `${prefix}/${type.uriType}`, data: created },
    { op: 'update', data: whole },
    { op: 'update', ref: { type: type.name, id }, data: whole },
    { op: 'remove', ref: { type: type.name, ...(draw.chance(20) ? { lid } : { id }) } },
    { op: 'remove', href: `${prefix}/${type.uriType}/${encodeURIComponent(id.toWellFormed())}` },
    draw.chance(20) ? { op: drawText(draw), href: drawText(draw), data: created } : { op: 'add', data: created },
  ])
}
