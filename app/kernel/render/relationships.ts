import { type CodeScope, concatenation, type MemberCode, type Part } from '../lib/codegen.ts'
import { inQuotes, quote } from '../lib/json-text.ts'
import type { Relation, Row } from '../model/field.ts'
import type { Edge, KnownRelation } from '../model/graph.ts'
import { hiddenTestOf, isConditional } from '../model/hiding.ts'
import type { ApiRequest } from '../model/request.ts'
import { linkKey } from '../model/selection.ts'
import { hasRelatedEndpoint, hasRelationshipEndpoint, type Server, servesTarget } from '../model/server.ts'
import { compileKey, linkageWriterOf } from './identifiers.ts'
import { pageLink } from './page-link.ts'

/**
 * The relationship object of a record as code, in which `graph` is known, and `place`, where the record is. Of a relation
 * the graph knows nothing of there are only links, and the key in the record. An empty object is never rendered.
 */
export function relationshipCode(server: Server, relation: Relation, scope: CodeScope): MemberCode {
  const mayBeHidden = isConditional(relation)
  const links = linksOf(server, relation)
  const key = servesTarget(server, relation) && relation.kind === 'belongsTo' ? linkKey(relation) : null
  const known = scope.constant(`graph.known(${scope.bind(relation)})`)
  const bare = concatenation([
    ...(links ? ['"links":{', ...linkParts(links), '}'] : []),
    ...(links && key ? [','] : []),
    ...(key
      ? ['"data":', { code: `${scope.bind(compileKey(relation))}(record[${JSON.stringify(key)}], request)` }]
      : []),
  ])
  const whole = `${scope.bind(compileKnown(server, relation, links, key))}(record, place, ${known}, request)`
  const content = `(${known} === undefined ? ${bare} : ${whole})`
  const name = `${quote(relation.name)}:{`
  if (links && !mayBeHidden) return { parts: [name, { code: content }, '}'], always: true }
  const text = scope.variable()
  const isHidden = mayBeHidden ? `${scope.bind(hiddenTestOf(relation))}(record, request) || ` : ''
  const isAbsent = `${isHidden}(${text} = ${content}) === ""`
  return { parts: [{ code: `(${isAbsent} ? "" : ${concatenation([name, { code: text }, '}'])})` }], always: false }
}

/** What follows the place of a record in the links of a relation. */
interface Links {
  readonly self: string | null
  readonly related: string | null
}

function linksOf(server: Server, relation: Relation): Links | null {
  const segment = inQuotes(relation.segment)
  const isReadable = relation.hasLinks && relation.owner.operations.has('FetchOne')
  const self = isReadable && hasRelationshipEndpoint(relation) ? `/relationships/${segment}` : null
  const related = isReadable && hasRelatedEndpoint(server, relation) ? `/${segment}` : null
  return self || related ? { self, related } : null
}

function linkParts({ self, related }: Links): Part[] {
  const place = { code: 'place' }
  return [
    ...(self ? ['"self":"', place, `${self}"`] : []),
    ...(self && related ? [','] : []),
    ...(related ? ['"related":"', place, `${related}"`] : []),
  ]
}

type WriteKnown = (record: Row, place: string, known: KnownRelation, request: ApiRequest) => string

/** The content of the object, from what the graph knows. */
function compileKnown(server: Server, relation: Relation, links: Links | null, key: string | null): WriteKnown {
  const withData = servesTarget(server, relation)
  const writeLinkage = linkageWriterOf(relation)
  const writeKey = compileKey(relation)
  return (record, place, { edges, totals, withheld }, request) => {
    const edge = withData ? edges.get(record) : undefined
    let text = links ? writeLinks(links, place, edge, relation) : ''
    if (edge) text += `${text && ','}"data":${writeLinkage(edge, record, request)}`
    else if (key && !withheld?.has(record)) text += `${text && ','}"data":${writeKey(record[key], request)}`
    const total = totals?.get(record)
    return total === undefined ? text : `${text}${text && ','}"meta":{"total":${total}}`
  }
}

function writeLinks({ self, related }: Links, place: string, edge: Edge | undefined, relation: Relation): string {
  let text = '"links":{'
  if (self) text += `"self":"${place}${self}"`
  if (related) text += `${self ? ',' : ''}"related":"${place}${related}"`
  if (self && edge?.page) text += pageLinks(edge, place + self, relation)
  return `${text}}`
}

/** Links that page the linkage of one parent, on its relationship URL; linkage with association rows has no pages. */
function pageLinks({ page }: Edge, place: string, relation: Relation): string {
  if (!page || relation.pivotFields.length > 0) return ''
  const self: string = JSON.parse(`"${place}"`)
  const { links } = page.paginator.page(page.page, page.window, relation.target, pageLink(self, page.search))
  const further = Object.entries(links).filter(([name]) => name !== 'self')
  return further.map(([name, link]) => `,${quote(name)}:${quote(link)}`).join('')
}
