// Request documents from the arguments of methods.

/** An identifier or a row; `pivot` is sent in `meta`. */
export interface Linked {
  readonly type: string
  readonly id?: string
  readonly lid?: string
  readonly pivot?: unknown
}
export type LinkedValue = Linked | null | readonly Linked[]

export interface NewResourceInput {
  readonly id?: string
  readonly relations?: Readonly<Record<string, LinkedValue>>
}

/** A resource object to send. */
export function toResource(
  identifier: { readonly type: string; readonly id?: string; readonly lid?: string },
  attributes: object | undefined,
  relations: NewResourceInput['relations'],
): object {
  return {
    ...identifier,
    ...(attributes && { attributes }),
    ...(relations && {
      relationships: Object.fromEntries(
        Object.entries(relations)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, { data: toLinkage(value) }]),
      ),
    }),
  }
}

/** The linkage of rows, identifiers and local ids. */
export function toLinkage(value: LinkedValue): unknown {
  if (value === null) return null
  return Array.isArray(value) ? value.map(toIdentifier) : toIdentifier(value as Linked)
}

function toIdentifier({ type, id, lid, pivot }: Linked): object {
  return { type, ...(lid === undefined ? { id } : { lid }), ...(pivot !== undefined && { meta: { pivot } }) }
}
