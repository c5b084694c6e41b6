import { hasRelatedEndpoint, hasRelationshipEndpoint, type Server, servesTarget } from '../contract/server.ts'
import { findHiddenTest } from '../contract/visibility.ts'
import type { Edge } from '../data/graph.ts'
import { linkKey } from '../data/selection.ts'
import { type CodeScope, concatenation, type MemberCode, type Part } from '../lib/codegen.ts'
import { inQuotes, quote } from '../lib/json-text.ts'
import type { Relation } from '../schema/field.ts'
import { isConditional } from '../schema/field-visibility.ts'
import { createLinkageWriter, keyWriter } from './identifiers.ts'
import { pageLink } from './page-link.ts'

/**
 * Generates the code of a relationship object. The code uses `record`, its `url`, `graph` and `request`. It returns an
 * empty text if the relationship is hidden, or has neither links nor data nor meta; with `whenIncluded`, also if its
 * members are not included.
 */
export function relationshipCode(
  server: Server,
  relation: Relation,
  scope: CodeScope,
  { whenIncluded = false } = {},
): MemberCode {
  const loaded = scope.constant(`graph.relations?.get(${scope.bind(relation)})`)
  const edge = scope.variable()
  const edgeCode = servesTarget(server, relation) ? `${loaded}?.edges.get(record)` : 'undefined'
  const links = linkParts(server, relation, edge, loaded, scope)
  const members = [dataCode(server, relation, edge, loaded, scope), totalCode(loaded, scope)].map((code) => ({ code }))
  const text = links ? concatenation([...links, ...members]) : `(${concatenation(members)}).slice(1)`
  const content = `(${edge} = ${edgeCode}, ${text})`
  const name = `${quote(relation.name)}:{`
  const mayBeHidden = isConditional(relation)
  if (links && !mayBeHidden && !whenIncluded) return { parts: [name, { code: content }, '}'], always: true }
  const written = scope.variable()
  const isOmitted = whenIncluded ? `!(${edgeCode})?.included || ` : ''
  const isHidden = mayBeHidden ? `${scope.bind(findHiddenTest(relation))}(record, request) || ` : ''
  const object = concatenation([name, { code: written }, '}'])
  return {
    parts: [{ code: `(${isOmitted}${isHidden}(${written} = ${content}) === "" ? "" : ${object})` }],
    always: false,
  }
}

/** Null if the relation has no links. `edge` and `loaded` are names of variables in the code. */
function linkParts(server: Server, relation: Relation, edge: string, loaded: string, scope: CodeScope): Part[] | null {
  const isReadable = relation.hasLinks && relation.owner.operations.has('FetchOne')
  const hasSelf = isReadable && hasRelationshipEndpoint(relation)
  const hasRelated = isReadable && hasRelatedEndpoint(server, relation)
  if (!hasSelf && !hasRelated) return null
  const url = { code: 'url' }
  const segment = inQuotes(relation.segment)
  const self = `/relationships/${segment}`
  const total = `${loaded}.totals?.get(record)`
  const pages = `${scope.bind(pageLinks)}(${edge}, url + ${JSON.stringify(self)}, ${scope.bind(relation)}, ${total})`
  return [
    '"links":{',
    ...(hasSelf ? ['"self":"', url, `${self}"`] : []),
    ...(hasSelf && hasRelated ? [','] : []),
    ...(hasRelated ? ['"related":"', url, `/${segment}"`] : []),
    ...(hasSelf ? [{ code: `(${edge}?.page === undefined ? "" : ${pages})` }] : []),
    '}',
  ]
}

/** The linkage that was loaded, or else the key in the record. */
function dataCode(server: Server, relation: Relation, edge: string, loaded: string, scope: CodeScope): string {
  const linkage = `',"data":' + ${scope.bind(createLinkageWriter(relation))}(${edge}, record, request)`
  const hasKey = servesTarget(server, relation) && relation.kind === 'belongsTo'
  const key = `',"data":' + ${scope.bind(keyWriter(relation))}(record[${JSON.stringify(linkKey(relation))}], request)`
  const otherwise = hasKey ? `${loaded}?.withheld?.has(record) ? "" : ${key}` : '""'
  return `(${edge} !== undefined ? ${linkage} : ${otherwise})`
}

function totalCode(loaded: string, scope: CodeScope): string {
  return `(${loaded}?.totals ? ${scope.bind(writeTotal)}(${loaded}.totals.get(record)) : "")`
}

function writeTotal(total: number | undefined): string {
  return total === undefined ? '' : `,"meta":{"total":${total}}`
}

/**
 * Writes the links to other pages of the linkage, on the relationship URL; to the last page if the page or the relation
 * is counted. Linkage with pivot values has no pages.
 */
function pageLinks({ page }: Edge, url: string, relation: Relation, total: number | undefined): string {
  if (!page || relation.pivotFields.length > 0) return ''
  const self: string = JSON.parse(`"${url}"`)
  const counted = total === undefined ? page.page : { ...page.page, total }
  const { links } = page.paginator.page(counted, page.window, relation.target, pageLink(self, page.search))
  const pages = Object.entries(links).filter(([name]) => name !== 'self')
  return pages.map(([name, link]) => `,${quote(name)}:${quote(link)}`).join('')
}
