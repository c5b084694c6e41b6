import type { ResourceType } from '#kernel/plugin'

// Options of plugins that a project may not have: without the plugin, the types of the kernel do not know them.

interface RelationOptions {
  countable?: boolean
}

interface TypeOptions {
  readonly countable?: unknown
  readonly softDeletes?: boolean | { readonly property: string }
}

export function relationOptions({ options }: { readonly options: object }): RelationOptions {
  return options
}

export function softDeletesKey({ declaration }: ResourceType): TypeOptions['softDeletes'] {
  return (declaration as TypeOptions).softDeletes
}

/** Returns a declaration without counts. */
export function withoutCounts<D extends object>(declaration: D): D {
  const { countable, ...rest } = declaration as D & TypeOptions
  return rest as D
}
