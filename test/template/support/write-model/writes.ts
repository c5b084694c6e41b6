import type { RandomSource } from '#test/conformance/random.ts'
import { drawAttributes } from './attributes.ts'
import { isTaken, type RelationModel, relations, remove, type TypeName, type Way } from './relations.ts'
import type { Effect, State } from './state.ts'

export interface Write {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** What is wrong with it, as the statuses that may tell; a write without faults is done. */
  readonly faults: readonly number[]
  readonly effect: Effect
}

/** `number` makes names that no other write uses. */
export function drawWrite(state: State, draw: RandomSource, number: number): Write {
  const kind = draw.below(10)
  if (kind < 3) return drawCreate(state, draw, number)
  if (kind < 5) return drawUpdate(state, draw, number)
  if (kind < 6) return drawDelete(state, draw)
  return drawRelationshipWrite(state, draw)
}

const types: readonly TypeName[] = ['shelves', 'books', 'tags', 'labels']
const missing = { shelves: '4711', books: '4711', labels: '4711', tags: '00000000-0000-4000-8000-000000004711' }

function drawCreate(state: State, draw: RandomSource, number: number): Write {
  const type = draw.pick(types)
  const { attributes, values, faults } = drawAttributes(state, type, draw, `${number}`, true)
  const own = drawOwnId(state, type, draw, number)
  const related = drawRelationships(state, type, draw, '')
  const wrongType = draw.chance(5)
  const data = { type: wrongType ? 'artists' : type, ...own.member, attributes, relationships: related.relationships }
  return {
    method: 'POST',
    path: `/${type}`,
    body: { data },
    faults: [...faults, ...own.faults, ...related.faults, ...(wrongType ? [409] : [])],
    effect(next, id) {
      next[type].set(id, { ...blank(), ...values } as never)
      related.effect(next, id)
    },
  }
}

function drawUpdate(state: State, draw: RandomSource, number: number): Write {
  const type = draw.pick(types)
  const { id, faults: idFaults } = drawId(state, type, draw)
  const { attributes, values, faults } = drawAttributes(state, type, draw, `${number}`, false, id)
  const related = drawRelationships(state, type, draw, id)
  const otherId = draw.chance(5)
  const data = { type, id: otherId ? missing[type] : id, attributes, relationships: related.relationships }
  return {
    method: 'PATCH',
    path: `/${type}/${id}`,
    body: { data },
    faults: [...idFaults, ...faults, ...related.faults, ...(otherId && id !== missing[type] ? [409] : [])],
    effect(next) {
      Object.assign(next[type].get(id) ?? {}, values)
      related.effect(next, id)
    },
  }
}

function drawDelete(state: State, draw: RandomSource): Write {
  const type = draw.pick(types)
  const { id, faults } = drawId(state, type, draw)
  return { method: 'DELETE', path: `/${type}/${id}`, faults, effect: (next) => remove(next, type, id) }
}

function drawRelationshipWrite(state: State, draw: RandomSource): Write {
  const relation = draw.pick(relations)
  const { id, faults: idFaults } = drawId(state, relation.type, draw)
  const [method, way] = draw.pick(relation.toMany || draw.chance(10) ? ways : ways.slice(0, 1))
  const { data, ids, faults } = drawMembers(state, relation, draw, id)
  return {
    method,
    path: `/${relation.type}/${id}/relationships/${relation.name}`,
    body: { data },
    faults: [...idFaults, ...faults, ...(relation.toMany || way === 'replace' ? [] : [403])],
    effect: (next) => relation.change(next, id, ids, way),
  }
}

const ways: readonly (readonly [method: string, way: Way])[] = [
  ['PATCH', 'replace'],
  ['POST', 'add'],
  ['DELETE', 'remove'],
]

/** None, one or more relationships of the resource. */
function drawRelationships(state: State, type: TypeName, draw: RandomSource, id: string) {
  const drawn = relations
    .filter((relation) => relation.type === type && draw.chance(45))
    .map((relation) => ({ relation, ...drawMembers(state, relation, draw, id) }))
  return {
    relationships: Object.fromEntries(drawn.map(({ relation, data }) => [relation.name, { data }])),
    faults: drawn.flatMap(({ faults }) => faults),
    effect(next: State, parent: string) {
      for (const { relation, ids } of drawn) relation.change(next, parent, ids, 'replace')
    },
  }
}

function drawMembers(state: State, relation: RelationModel, draw: RandomSource, parent: string) {
  const { target, toMany } = relation
  const size = draw.below(toMany ? 4 : 2)
  const members = Array.from({ length: size }, () => drawMember(state, target, draw))
  const identifiers = members.map(({ identifier }) => identifier)
  const ids = members.map(({ identifier }) => identifier.id)
  const wrongCardinality = draw.chance(4)
  const list = toMany !== wrongCardinality
  const faults = members.flatMap((member) => member.faults)
  if (wrongCardinality) faults.push(400)
  if (isTaken(state, relation, parent, ids)) faults.push(409)
  return { data: list ? identifiers : (identifiers[0] ?? null), ids, faults }
}

function drawMember(state: State, type: TypeName, draw: RandomSource) {
  const { id, faults } = drawId(state, type, draw)
  if (draw.chance(4)) return { identifier: { type: 'artists', id }, faults: [409] }
  if (draw.chance(4)) return { identifier: { type, id: 'no id' }, faults: [404, 422] }
  return { identifier: { type, id }, faults }
}

/** Mostly of a row that is there. */
function drawId(state: State, type: TypeName, draw: RandomSource): { id: string; faults: number[] } {
  const ids = [...state[type].keys()]
  if (ids.length === 0 || draw.chance(7)) return { id: missing[type], faults: [404] }
  return { id: draw.pick(ids), faults: [] }
}

/** A client may name tags, and nothing else. */
function drawOwnId(
  state: State,
  type: TypeName,
  draw: RandomSource,
  number: number,
): { member: object; faults: number[] } {
  if (type !== 'tags') return draw.chance(6) ? { member: { id: '900' }, faults: [403] } : { member: {}, faults: [] }
  if (draw.chance(10)) return { member: { id: 'no id' }, faults: [422] }
  if (draw.chance(10) && state.tags.size > 0) return { member: { id: drawId(state, type, draw).id }, faults: [409] }
  return { member: { id: `00000000-0000-4000-9000-${String(number).padStart(12, '0')}` }, faults: [] }
}

function blank(): object {
  return { position: 1, rating: null, shelf: null, tags: new Set<string>() }
}
