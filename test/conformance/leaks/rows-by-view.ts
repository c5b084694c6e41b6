import type { Field, Relation } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { FilterDefinition } from '#plugins/filtering/declare/definition.ts'
import { page } from '#plugins/pagination/index.ts'
import { withoutCounts } from '../plugin-options.ts'

type Declaration = DeclaredResource['resource']['declaration']

/**
 * Returns the declaration without the features that a policy with `rowsByView` forbids: counts, also those of a provider,
 * cursors, and filters through relations.
 */
export function withoutRevealingFeatures({ file, resource }: DeclaredResource): DeclaredResource {
  const { pagination, perPage, maxPerPage, filters, fields, provider, ...rest } = withoutCounts(resource.declaration)
  const declaration = {
    ...rest,
    ...(provider && { provider: { ...provider, complete: undefined } }),
    pagination: () => page({ size: 50 }),
    fields: ((builders: never) => {
      const declared = fields(builders) as readonly { readonly definition: Field }[]
      for (const { definition } of declared) if (definition.role === 'relation') removeRevealingOptions(definition)
      return declared
    }) as never,
    ...(filters && {
      filters: ((builders: never) => filters(builders).filter(({ filter }) => !usesRelation(filter))) as never,
    }),
  }
  return { file, resource: { ...resource, declaration: declaration as unknown as Declaration } }
}

function removeRevealingOptions({ options }: Relation): void {
  Object.assign(options, { countable: false, filterable: false })
  if (options.paginator) options.paginator = page({ size: 50 })
  if (options.filters) options.filters = options.filters.filter(({ filter }) => !usesRelation(filter))
}

function usesRelation({ kind, target, children }: FilterDefinition): boolean {
  if (kind === 'through' || kind === 'has' || kind === 'hasMatching') return true
  return (kind === 'idIn' && target !== 'id') || children.some(usesRelation)
}
