import type { ResourceType } from '#kernel'
import { drawPath, drawText, fieldNames, filterKeys, relationNames, sortKeys } from '../draw-names.ts'
import { drawQuery } from '../query.ts'
import { type Candidate, type Parameter, toCandidate } from './candidate.ts'
import { drawLength, type Endpoint, findEndpoint, type Mutation, type Tools } from './mutation.ts'

type Change = (endpoint: Endpoint, candidate: Candidate, tools: Tools) => readonly Parameter[]

/** Added parameters replace those of the same name, except in lists. */
const changes: readonly Change[] = [
  // More parameters of the generators
  ({ type, relation }, _, { corpus, draw }) =>
    toCandidate({ method: 'GET', path: `/${drawQuery(type, relation, corpus, draw)}`, headers: {}, body: null })
      .parameters,

  // Parameters of another candidate
  (_, __, { other }) => other.parameters,

  // Includes: many paths, each as deep as it may be
  ({ shown }, _, { draw }) => [
    ['include', [...new Set(times(draw.pick([2, 10, 50]), () => drawPath(shown, draw)))].join()],
  ],

  // All sort keys, counts or fields
  ({ shown, relation }, _, { draw }) => [
    [
      'sort',
      sortKeys(shown, relation)
        .sort(draw.chance(50) ? undefined : () => -1)
        .slice(0, 10)
        .join(),
    ],
  ],
  ({ shown }, _, { draw }) => [['withCount', [...relationNames(shown), ...(draw.chance(50) ? ['_self_'] : [])].join()]],
  (_, __, { corpus }) => wholeFieldsets(corpus.types.map(({ type }) => type)),

  // Long values
  ({ shown, relation }, _, { draw }) => {
    const key = draw.pick([...filterKeys(shown, relation), 'none'])
    const value = drawLongText(draw)
    return draw.chance(50)
      ? [[`filter[${key}]`, value]]
      : times(drawLength(draw) % 200, (at) => [`filter[${key}][]`, `${value.slice(0, 40)}${at}`])
  },
  ({ shown }, _, tools) => relatedQueries(shown, tools),
  (_, { parameters }, { draw }) => {
    if (parameters.length === 0) return []
    const [name, value] = draw.pick(parameters)
    const separator = draw.pick([',', '', ' '])
    return [[name, times(draw.pick([2, 4, 16, 64]), () => value).join(separator)]]
  },

  // Pages and cursors
  (_, __, { draw }) => [
    ['page[size]', draw.pick(['50', '1000000'])],
    ['page[number]', draw.pick(['1', '2', '4000', '100000000'])],
  ],
  (_, __, { corpus, draw }) => {
    const token = draw.pick([...corpus.cursors, 'WyJhIl0'])
    const value = draw.chance(50) ? token : Buffer.from(JSON.stringify(times(1_000, () => 1))).toString('base64url')
    return [[draw.pick(['page[after]', 'page[before]']), value]]
  },

  // Many names
  (_, __, { draw }) => {
    const count = draw.pick([100, 199, 201, 1_000])
    const family = draw.pick(['filter', 'fields', 'page', 'rQ', 'unknown'])
    return times(count, (at) => [draw.chance(90) ? `${family}[a${at}]` : `${family}${at}`, drawText(draw).slice(0, 20)])
  },
]

export const queryMutations: readonly Mutation[] = [
  ...changes.map((change) => toMutation(change)),
  (candidate, { draw }) => ({ ...candidate, parameters: candidate.parameters.filter(() => draw.chance(60)) }),
]

function toMutation(change: Change): Mutation {
  return (candidate, tools) => {
    const endpoint = findEndpoint(candidate, tools.corpus)
    if (!endpoint) return candidate
    const added = change(endpoint, candidate, tools)
    const names = new Set(added.map(([name]) => name))
    return { ...candidate, parameters: [...candidate.parameters.filter(([name]) => !names.has(name)), ...added] }
  }
}

function wholeFieldsets(types: readonly ResourceType[]): Parameter[] {
  return types.map((type) => [`fields[${type.name}]`, fieldNames(type).join()])
}

/** Returns filters of all to-many relations: values of rows, and a long text that the links of every resource repeat. */
function relatedQueries(type: ResourceType, { corpus, draw }: Tools): Parameter[] {
  const filters = type.relations.flatMap((relation): Parameter[] =>
    relation.toMany
      ? filterKeys(relation.target, relation).map((key) => {
          const present = (corpus.samples.get(`${relation.target.name}.${key}`) ?? []).slice(0, 20)
          return [`rQ[${relation.name}][filter][${key}]`, [...present.flat(), drawLongText(draw)].join()]
        })
      : [],
  )
  return [['include', relationNames(type).join()], ...filters.filter(() => draw.chance(50))]
}

/** Texts that are slow to split, to match or to search for. */
function drawLongText(draw: Tools['draw']): string {
  const part = draw.pick(['a', '%', '_', 'a ', 'a,', '0', '9', '-', '\\', 'é', 'a-', '1.', ' '])
  return part.repeat(draw.pick([10, 100, 1_000, 4_000])) + draw.pick(['', '!', '\n'])
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
