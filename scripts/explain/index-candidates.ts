import type { Catalog, Index } from '../support/catalog.ts'
import { createIndex, normalizeKey, quote } from '../support/missing-indexes.ts'
import { type Comparison, readComparisons, readKey } from './conditions.ts'
import { listNodes, type PlanNode } from './plan.ts'

/** An index that a sequential scan could use. */
export interface IndexCandidate {
  readonly index: Index
  /** The statement that creates it. */
  readonly create: string
  /** The rows that the scan has read; null if the statement was not executed. */
  readonly rows: number | null
  /** Whether the database has such an index, which the planner did not use. */
  readonly exists: boolean
}

/** Returns the indexes for the sequential scans of a plan that have a filter, or whose rows are sorted. */
export function indexCandidates(root: PlanNode, catalog: Catalog): IndexCandidate[] {
  const scans = listNodes(root).flatMap((node) => {
    const order = node['Node Type'].endsWith('Sort') ? (node['Sort Key'] ?? []) : []
    return (node.Plans ?? []).map((child) => ({ node: child, order }))
  })
  const found = [{ node: root, order: [] }, ...scans]
    .filter(({ node }) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== undefined)
    .flatMap(({ node, order }) => indexesFor(node, order, catalog).map((index) => toCandidate(index, node, catalog)))
  return [...new Map(found.map((candidate) => [candidate.create, candidate])).values()]
}

/** Names the index if a name is given; else PostgreSQL or MikroORM names it. */
export function createStatement(index: Index, name?: string): string {
  const isPlain = index.keys.every((key) => /^\w+$/.test(key))
  if (isPlain && name === undefined) return createIndex(index)
  const keys = index.keys.map((key) => {
    const [, column, direction = ''] = /^(\w+)( DESC)?$/.exec(key) ?? []
    return column ? `${quote(column)}${direction}` : `(${key})`
  })
  const list = [keys.join(', '), index.operators].join(' ').trimEnd()
  const method = index.method === 'btree' ? '' : ` using ${index.method}`
  return `create index ${name === undefined ? '' : `${quote(name)} `}on ${quote(index.table)}${method} (${list})`
}

function indexesFor(node: PlanNode, order: readonly string[], catalog: Catalog): Index[] {
  const table = node['Relation Name'] ?? ''
  const alias = node.Alias ?? table
  const comparisons = readComparisons(node.Filter ?? '', alias).filter(({ key }) => !isBoolean(table, key, catalog))
  const sorted = btreeKeys(comparisons, order, alias)
  const btree = sorted.length > 0 ? [{ table, method: 'btree', keys: sorted, operators: '' }] : []
  return [...btree, ...comparisons.flatMap((comparison) => ginIndex(comparison, table, catalog))]
}

/** Equal values first, then the order; without an order one range. */
function btreeKeys(comparisons: readonly Comparison[], order: readonly string[], alias: string): string[] {
  const equal = comparisons.filter(({ operator }) => operator === '=').map(({ key }) => key)
  const ranges = comparisons.filter((comparison) => isRange(comparison)).map(({ key }) => key)
  const sorts = sortKeys(order, alias)
  return [...new Set([...equal, ...(sorts.length > 0 ? sorts : ranges.slice(0, 1))])]
}

function isRange({ operator, value }: Comparison): boolean {
  return /^[<>]=?$/.test(operator) || (operator === '~~' && !value.startsWith("'%"))
}

/** An index is read in both directions: `desc` is needed only if the directions differ. */
function sortKeys(order: readonly string[], alias: string): string[] {
  const terms = order.map((term) => {
    const [, text = '', direction] = /^(.*?)( DESC)?(?: NULLS (?:FIRST|LAST))?$/.exec(term) ?? []
    return { ...readKey(text, alias), isDescending: direction !== undefined }
  })
  const differ = new Set(terms.map(({ isDescending }) => isDescending)).size > 1
  const isOfOther = terms.some(({ key }) => key.includes('.'))
  return isOfOther ? [] : terms.map(({ key, isDescending }) => (differ && isDescending ? `${key} DESC` : key))
}

/** The search for a part of a text needs pg_trgm. */
function ginIndex({ operator, key, value }: Comparison, table: string, { hasTrigrams }: Catalog): Index[] {
  if (operator === '@>' || operator === '&&') return [{ table, method: 'gin', keys: [key], operators: '' }]
  const isPart = operator === '~~' && value.startsWith("'%")
  return isPart && hasTrigrams ? [{ table, method: 'gin', keys: [key], operators: 'gin_trgm_ops' }] : []
}

function isBoolean(table: string, key: string, { categories }: Catalog): boolean {
  return categories.get(`${table}.${key}`) === 'B'
}

function toCandidate(index: Index, node: PlanNode, catalog: Catalog): IndexCandidate {
  const read = node['Actual Rows']
  return {
    index,
    create: createStatement(index),
    rows: read === undefined ? null : read + (node['Rows Removed by Filter'] ?? 0),
    exists: catalog.indexes.some(
      ({ table, method, keys, operators }) =>
        table === index.table &&
        method === index.method &&
        (index.operators === '' || operators === index.operators) &&
        index.keys.every((key, position) => normalizeKey(keys[position] ?? '') === normalizeKey(key)),
    ),
  }
}
