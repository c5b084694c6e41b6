import type { Attribute, Relation, ResourceType } from '#kernel'
import type { RandomSource } from '#test/conformance/random.ts'
import { drawExpression, printExpression } from '#test/template/proofs/filters/random-expression.ts'
import type { Corpus } from './corpus.ts'
import { drawName, drawPath, drawText, fieldNames, filterKeys, relationNames, sortKeys } from './draw-names.ts'

type Parameter = readonly [name: string, value: string]

/** Draws a query string for a collection, a resource or a relation. */
export function drawQuery(type: ResourceType, relation: Relation | null, corpus: Corpus, draw: RandomSource): string {
  if (draw.chance(40)) return ''
  const shown = relation?.target ?? type
  const parameters = Array.from({ length: 1 + draw.below(3) }, () => draw.pick(families)(shown, relation, corpus, draw))
  return `?${parameters.map(([name, value]) => `${encodeName(name, draw)}=${encode(value, draw)}`).join('&')}`
}

type Family = (type: ResourceType, relation: Relation | null, corpus: Corpus, draw: RandomSource) => Parameter

const families: readonly Family[] = [
  (type, _, __, draw) => ['include', several(draw, () => drawPath(type, draw))],
  (type, _, { types }, draw) => {
    const { type: of } = draw.chance(50) ? { type } : draw.pick(types)
    return [`fields[${drawName([of.name], draw)}]`, several(draw, () => drawName(fieldNames(of), draw))]
  },
  (type, relation, _, draw) => ['sort', several(draw, () => sign(draw) + drawName(sortKeys(type, relation), draw))],
  (type, relation, corpus, draw) => {
    const key = drawName(filterKeys(type, relation), draw)
    if (key === 'where') return ['filter[where]', drawExpressionText(type, corpus, draw)]
    return [`filter[${key}]${draw.pick(['', '', '', '[]', '[min]', '[max]', '[from]', '[x][y]'])}`, drawText(draw)]
  },
  (_, __, { cursors }, draw) => {
    const member = draw.pick(['number', 'size', 'offset', 'limit', 'after', 'before', 'kind', 'odd'])
    return [`page[${member}]`, drawPage(member, cursors, draw)]
  },
  (type, _, __, draw) => ['withCount', several(draw, () => drawName([...relationNames(type), '_self_'], draw))],
  (type, _, corpus, draw) => {
    const name = drawName(relationNames(type), draw)
    const inner = type.relations.find((candidate) => candidate.name === name)
    const family = draw.pick(['relatedQuery', 'rQ'])
    if (draw.chance(50)) {
      return [`${family}[${name}][sort]`, drawName(inner ? sortKeys(inner.target, inner) : [], draw)]
    }
    const key = drawName(inner ? filterKeys(inner.target, inner) : [], draw)
    if (inner?.target && key === 'where')
      return [`${family}[${name}][filter][where]`, drawExpressionText(inner.target, corpus, draw)]
    return [`${family}[${name}][${draw.pick(['filter', 'filter', 'page', 'odd'])}][${key}]`, drawText(draw)]
  },
  (_, __, ___, draw) => [
    draw.pick([
      'q',
      'filter',
      'sort[]',
      'page',
      'fields',
      '',
      '[',
      ']]',
      'a[b',
      '__proto__[x]',
      'filter[__proto__][x]',
      'filter[a][b][c][d][e][f]',
    ]),
    drawText(draw),
  ],
]

/** Draws an expression with values of some row or any text, sometimes with a changed character. */
function drawExpressionText(type: ResourceType, { samples, ids }: Corpus, draw: RandomSource): string {
  const valuesOf = (of: ResourceType, attribute: Attribute | null) => {
    const found = attribute ? (samples.get(`${of.name}.${attribute.name}`) ?? []) : (ids.get(of.name) ?? [])
    const values = found.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)) as (
      | string
      | number
      | boolean
    )[]
    return values.length > 0 && !draw.chance(10) ? values : [drawText(draw)]
  }
  const text = printExpression(drawExpression(type, valuesOf, draw, 2 + draw.below(8)), draw)
  if (!draw.chance(10)) return text
  const at = draw.below(text.length)
  return `${text.slice(0, at)}${draw.pick(['', '(', ')', ',', "'", 'not(', drawText(draw)])}${text.slice(at + 1)}`
}

function drawPage(member: string, cursors: readonly string[], draw: RandomSource): string {
  if (draw.chance(30)) return drawText(draw)
  if (member === 'kind') return draw.pick(['page', 'offset', 'cursor', 'fixed'])
  if (member === 'after' || member === 'before') return drawCursor(cursors, draw)
  return draw.pick(['1', '2', '3', '0', '50', '100', '999999999'])
}

/** Draws a valid cursor, one with a changed character, or an invented one. */
function drawCursor(cursors: readonly string[], draw: RandomSource): string {
  const cursor = cursors.length > 0 ? draw.pick(cursors) : ''
  if (draw.chance(40)) return cursor
  if (draw.chance(40)) {
    const at = draw.below(cursor.length + 1)
    return `${cursor.slice(0, at)}${draw.pick(['A', '_', '0', ''])}${cursor.slice(at + 1)}`
  }
  const invented = draw.pick<unknown>([
    [],
    {},
    null,
    ['id'],
    { k: [drawText(draw)], v: [drawText(draw)] },
    [[['id', 'asc']], ["'"]],
  ])
  return Buffer.from(JSON.stringify(invented)).toString('base64url')
}

function several(draw: RandomSource, one: () => string): string {
  return Array.from({ length: 1 + draw.below(3) }, one).join(',')
}

function sign(draw: RandomSource): string {
  return draw.pick(['', '', '', '-', '-', '-', '+'])
}

/** Encodes a name, sometimes with raw brackets. */
function encodeName(name: string, draw: RandomSource): string {
  const encoded = encode(name, draw)
  return draw.chance(70) ? encoded.replaceAll('%5B', '[').replaceAll('%5D', ']') : encoded
}

/** Encodes text, sometimes with bytes that are not UTF-8 or with a truncated sequence. */
export function encode(text: string, draw: RandomSource): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  return draw.chance(3) ? encoded + draw.pick(['%', '%E0%A4', '%FF', '%ED%A0%80', '%00']) : encoded
}
