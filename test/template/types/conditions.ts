import type { Condition, ConditionVisitor } from '#kernel/store'

// A visitor needs a function for every kind of condition, so that a new kind does not compile without one.

const kind = ({ kind }: Condition): string => kind
const kinds = { and: kind, or: kind, not: kind, compare: kind, in: kind, null: kind, text: kind, exists: kind }

export const complete: ConditionVisitor<string> = { ...kinds, pivot: kind, native: kind, never: kind }

// @ts-expect-error Property 'never' is missing in type
export const incomplete: ConditionVisitor<string> = { ...kinds, pivot: kind, native: kind }

export const narrowed: ConditionVisitor<unknown> = {
  ...complete,
  in: ({ values }) => values,
  // @ts-expect-error Property 'values' does not exist on type
  compare: ({ values }) => values,
}
