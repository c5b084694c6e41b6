import { plugins } from '#app/plugins.ts'
import type { DeclaredResource, Field, Plugin, Relation } from '#kernel/plugin'
import { isPolymorphic } from '#kernel/plugin'
import { filterExpressions } from '#plugins/filter-expressions/index.ts'
import { findKind } from '#plugins/filter-expressions/operators.ts'

/** The plugins of the project, with `filter-expressions`, which is not listed. */
export const pluginsWithExpressions: readonly Plugin[] = withExpressions(plugins)

export function withExpressions(
  list: readonly Plugin[],
  options?: Parameters<typeof filterExpressions>[0],
): readonly Plugin[] {
  return list
    .filter(({ name }) => name !== 'filter-expressions')
    .flatMap((plugin) => (plugin.name === 'filtering' ? [plugin, filterExpressions(options)] : [plugin]))
}

/** Returns the resources with `filterable()` on every field that accepts it. */
export function makeFilterable(resources: readonly DeclaredResource[]): DeclaredResource[] {
  const standalone = new Set(
    resources.flatMap(({ resource }) => (resource.entity === null ? [resource.declaration.type] : [])),
  )
  return resources.map(({ file, resource }) => {
    const { declaration } = resource
    const fields = ((builders: never) => {
      const declared = declaration.fields(builders) as unknown as readonly DeclaredField[]
      const isAccepted = ({ definition }: DeclaredField) =>
        definition.role === 'relation' ? acceptsRelation(definition) : acceptsAttribute(definition)
      return declared.map((field) => (isAccepted(field) ? field.filterable() : field))
    }) as never
    const acceptsRelation = (relation: Relation) =>
      ![declaration.type, ...relation.targetNames].some((name) => standalone.has(name)) &&
      !isPolymorphic(relation) &&
      !relation.modifiers.includes('security') &&
      relation.hidden === false
    return { file, resource: { ...resource, declaration: { ...declaration, fields } } }
  })
}

interface DeclaredField {
  readonly definition: Field
  filterable(): DeclaredField
}

function acceptsAttribute(field: Field): boolean {
  if (field.role !== 'attribute' || field.hidden !== false || field.writeOnly !== false) return false
  return field.property !== null && field.on === null && findKind(field, {}) !== undefined
}
