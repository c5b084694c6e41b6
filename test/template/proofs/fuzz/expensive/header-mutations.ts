import { mediaType } from '#kernel/plugin'
import { tokens } from '../corpus.ts'
import { withProfiles } from '../requests.ts'
import { findEndpoint, type Mutation } from './mutation.ts'

export const headerMutations: readonly Mutation[] = [
  (candidate, { draw }) => {
    const { authorization: _, ...headers } = candidate.headers
    const token = draw.pick([...tokens, null])
    return { ...candidate, headers: token === null ? headers : { ...headers, authorization: `Bearer ${token}` } }
  },
  (candidate) => ({ ...candidate, headers: { ...candidate.headers, accept: withProfiles } }),
  (candidate, { draw }) => {
    const range = draw.pick(['a/b', '*/*;q=0', `${mediaType};a=b`, ',', 'a/b;c="', `${mediaType};profile="a a"`])
    const count = Math.floor(draw.pick([100, 4_000, 12_000]) / (range.length + 1))
    const accept = [...Array.from({ length: count }, () => range), ...(draw.chance(50) ? [mediaType] : [])].join()
    return { ...candidate, headers: { ...candidate.headers, accept } }
  },
  (candidate, { draw }) => {
    const accept = `${mediaType};profile="${Array.from({ length: 4_000 }, (_, at) => `a${at % 10}`).join(' ')}"`
    return { ...candidate, headers: { ...candidate.headers, [draw.pick(['accept', 'content-type'])]: accept } }
  },
  (candidate, { draw }) => {
    const name = draw.pick([
      'authorization',
      'accept-language',
      'if-none-match',
      'if-match',
      'cookie',
      'accept-encoding',
    ])
    const value = draw.pick(['a', 'a,', 'de;q=0.5,', '"a",', ' a', 'Bearer a.', 'a-']).repeat(draw.pick([100, 1_000]))
    return { ...candidate, headers: { ...candidate.headers, [name]: value.trim() } }
  },

  // The same request to another resource, or to another of its relations
  (candidate, { corpus, draw }) => {
    const endpoint = findEndpoint(candidate, corpus)
    const ids = endpoint ? (corpus.ids.get(endpoint.type.name) ?? []) : []
    if (!endpoint || ids.length === 0) return candidate
    const { server, type } = draw.pick(corpus.types.filter(({ type }) => type === endpoint.type))
    const resource = `${server.prefix}/${type.uriType}/${encodeURIComponent(draw.pick(ids))}`
    const relations = type.relations.flatMap(({ segment }) => [segment, `relationships/${segment}`])
    return { ...candidate, path: draw.pick([resource, ...relations.map((relation) => `${resource}/${relation}`)]) }
  },
]
