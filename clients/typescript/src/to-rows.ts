import type { JsonDocument } from './send.ts'

export interface Resource {
  readonly type: string
  readonly id: string
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly meta?: Meta
  readonly links?: Meta
}
interface Relationship {
  readonly data?: Identifier | null | readonly Identifier[]
  readonly meta?: Meta
}
export interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: Meta
}
type Meta = Readonly<Record<string, unknown>>
type RowObject = Record<string, unknown>

/** The relations to resolve, by name, and the rows that are built already. */
interface Node {
  readonly children: Map<string, Node>
  readonly rows: Map<string, RowObject>
  /** Whether every relation with included resources is resolved: without `include`, the server chooses. */
  readonly resolvesAll: boolean
}

/**
 * Returns a function that converts resources of a document to rows. Relations are resolved along the include paths only,
 * so that rows are trees without cycles.
 */
export function rowReader(
  document: JsonDocument,
  include: readonly string[] | undefined,
): (resource: Resource) => RowObject {
  const included = new Map<string, Resource>()
  // A live collection may have both: the copy in data has the linkage of all includes.
  for (const resource of [document.included, document.data].flat() as (Resource | null | undefined)[]) {
    if (resource) included.set(resourceKey(resource), resource)
  }
  const root = createNode(include === undefined)
  for (const path of include ?? []) {
    let node = root
    for (const name of path.split('.')) {
      const child = node.children.get(name) ?? createNode(false)
      node.children.set(name, child)
      node = child
    }
  }
  const leaf = createNode(false)

  function toRow(resource: Resource, node: Node): RowObject {
    const known = node.rows.get(resourceKey(resource))
    if (known) return known
    const { type, id, attributes, relationships = {}, meta, links } = resource
    const row: RowObject = { type, id, ...attributes }
    node.rows.set(resourceKey(resource), row)
    const counts: RowObject = {}
    for (const [name, { data, meta: relationMeta }] of Object.entries(relationships)) {
      const child = node.children.get(name) ?? (node.resolvesAll ? leaf : null)
      const total = relationMeta?.total
      if (total !== undefined) counts[name] = total
      if (data === undefined) continue
      row[name] = Array.isArray(data)
        ? data.map((one) => member(one, child))
        : data && member(data as Identifier, child)
    }
    if (meta) row.$meta = meta
    if (links) row.$links = links
    if (Object.keys(counts).length > 0) row.$counts = counts
    return row
  }

  function member(identifier: Identifier, node: Node | null): RowObject {
    const resource = node && included.get(resourceKey(identifier))
    if (!resource) return toRef(identifier)
    const row = toRow(resource, node)
    return identifier.meta ? { ...row, $meta: { ...(row.$meta as Meta), ...identifier.meta } } : row
  }

  return (resource) => toRow(resource, root)
}

export function toRef({ type, id, meta }: Identifier): RowObject {
  return meta ? { type, id, $meta: meta } : { type, id }
}

function createNode(resolvesAll: boolean): Node {
  return { children: new Map(), rows: new Map(), resolvesAll }
}

export function resourceKey({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`
}
