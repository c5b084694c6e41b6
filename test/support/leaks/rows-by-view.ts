import type { Field, Relation } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { FilterDefinition } from '#plugins/filtering/declare/definition.ts'
import { page } from '#plugins/pagination/index.ts'

type Declaration = DeclaredResource['resource']['declaration']

/**
 * The declaration without what a policy with `rowsByView` does not allow: counts, also those a provider fills in,
 * cursors, and filters that lead through relations.
 */
export function withoutTellingWords({ file, resource }: DeclaredResource): DeclaredResource {
  const { countable, pagination, perPage, maxPerPage, filters, fields, provider, ...rest } = resource.declaration
  const declaration = {
    ...rest,
    ...(provider && { provider: { ...provider, complete: undefined } }),
    pagination: () => page({ size: 50 }),
    fields: ((words: never) => {
      const declared = fields(words) as readonly { readonly definition: Field }[]
      for (const { definition } of declared) if (definition.role === 'relation') forgetTellingOptions(definition)
      return declared
    }) as never,
    ...(filters && {
      filters: ((words: never) => filters(words).filter(({ filter }) => !leadsElsewhere(filter))) as never,
    }),
  }
  return { file, resource: { ...resource, declaration: declaration as unknown as Declaration } }
}

function forgetTellingOptions({ options }: Relation): void {
  options.countable = false
  if (options.paginator) options.paginator = page({ size: 50 })
  if (options.filters) options.filters = options.filters.filter(({ filter }) => !leadsElsewhere(filter))
}

function leadsElsewhere({ kind, target, children }: FilterDefinition): boolean {
  if (kind === 'through' || kind === 'has' || kind === 'hasMatching') return true
  return (kind === 'idIn' && target !== 'id') || children.some(leadsElsewhere)
}
