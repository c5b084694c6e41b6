import type { Attribute, Relation, ResourceType } from '#kernel'
import { isPolymorphic } from '#kernel/plugin'
import type { HiddenRows } from './leak-request.ts'

// Expressions of `filter[where]` that name hidden rows, directly or through relations.

const maxHops = 3

/** Returns expressions on resources of a type. Empty if the type does not lead to the hidden rows. */
export function expressionsOn(root: ResourceType, hidden: HiddenRows): string[] {
  const named = comparisons(hidden)
  return pathsTo(root, hidden.type, maxHops).flatMap((path) => {
    const inner = path.length > 0 ? [...named.map((part) => nest(path, part)), nest(path, null)] : named
    return inner.flatMap((expression, index) => (index === 0 ? [expression, `not(${expression})`] : [expression]))
  })
}

/** Returns comparisons with the id and one value of each attribute. */
function comparisons({ type, ids, values }: HiddenRows): string[] {
  const attributes = type.attributes.filter(isFilterable)
  return [
    `in(id,${ids.slice(0, 3).map(quote).join()})`,
    ...attributes.flatMap((attribute) =>
      (values.get(attribute.name) ?? [])
        .slice(0, 1)
        .map((value) => `eq(${attribute.name},${literal(attribute, value)})`),
    ),
  ]
}

function nest([name, ...rest]: readonly string[], inner: string | null): string {
  if (name === undefined) return inner as string
  const part = rest.length > 0 || inner !== null ? `,${nest(rest, inner)}` : ''
  return `has(${name}${part})`
}

/** Returns the paths of filterable relations from a type to another; the empty one to itself. */
function pathsTo(root: ResourceType, type: ResourceType, hops: number): string[][] {
  if (root === type) return [[]]
  if (hops === 0) return []
  const relations = root.relations.filter((relation) => isFilterable(relation) && !isPolymorphic(relation))
  return relations.flatMap(({ name, target }) => pathsTo(target, type, hops - 1).map((path) => [name, ...path]))
}

/** Without the types of the plugin, which a project may have removed. */
function isFilterable({ options }: Attribute | Relation): boolean {
  return (options as { readonly filterable?: boolean }).filterable === true
}

function literal({ kind }: Attribute, value: string): string {
  return kind === 'integer' || kind === 'decimal' || kind === 'boolean' ? value : quote(value)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
