// The syntax tree of an expression. `at` is the index of the first character of a part.

export const comparisonOperators = [
  'eq',
  'ne',
  'gt',
  'ge',
  'lt',
  'le',
  'in',
  'contains',
  'starts',
  'ends',
  'null',
] as const
export type ComparisonOperator = (typeof comparisonOperators)[number]

export type Expression = Group | Negation | Has | Comparison

interface Part {
  readonly at: number
}

export interface Group extends Part {
  readonly kind: 'and' | 'or'
  readonly parts: readonly Expression[]
}

export interface Negation extends Part {
  readonly kind: 'not'
  readonly part: Expression
}

/** `has(tracks)`, `has(tracks, eq(explicit, true))`. */
export interface Has extends Part {
  readonly kind: 'has'
  readonly relation: Name
  readonly part: Expression | null
}

/** `eq(artist.name, 'Portishead')`. The operator `null` has no values, `in` one or more, the others one. */
export interface Comparison extends Part {
  readonly kind: 'comparison'
  readonly operator: ComparisonOperator
  readonly path: Name
  readonly values: readonly Literal[]
}

export interface Name extends Part {
  readonly text: string
}

export interface Literal extends Part {
  readonly kind: 'text' | 'number' | 'boolean'
  readonly text: string
}

/** The numbers of an expression that are limited. */
export interface Measures {
  /** Comparisons and `has`. */
  readonly terms: number
  /** Operators inside of each other. */
  readonly depth: number
  /** Values that are compared. */
  readonly values: number
  /** Relations that lead to an attribute. */
  readonly hops: number
}

export function measure(expression: Expression): Measures {
  switch (expression.kind) {
    case 'comparison': {
      const { values, path } = expression
      return { terms: 1, depth: 1, values: values.length, hops: path.text.split('.').length - 1 }
    }
    case 'has': {
      const { terms, depth, values, hops } = expression.part ? measure(expression.part) : nothing
      return { terms: terms + 1, depth: depth + 1, values, hops: hops + 1 }
    }
    case 'not':
      return nest([expression.part])
    default:
      return nest(expression.parts)
  }
}

const nothing: Measures = { terms: 0, depth: 0, values: 0, hops: 0 }

function nest(parts: readonly Expression[]): Measures {
  let { terms, depth, values, hops } = nothing
  for (const part of parts.map(measure)) {
    terms += part.terms
    depth = Math.max(depth, part.depth)
    values += part.values
    hops = Math.max(hops, part.hops)
  }
  return { terms, depth: depth + 1, values, hops }
}
