import type { Attribute, Relation, ResourceType } from '#kernel'
import type { ComparisonOperator } from '#plugins/filter-expressions/expression.ts'
import { findKind } from '#plugins/filter-expressions/operators.ts'
import type { RandomSource } from '#test/conformance/random.ts'

/** A drawn expression, from which its text is written and with which rows are compared. */
export type Drawn =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Drawn[] }
  | { readonly kind: 'not'; readonly part: Drawn }
  | { readonly kind: 'has'; readonly relation: Relation; readonly part: Drawn | null }
  | DrawnComparison

export interface DrawnComparison {
  readonly kind: 'comparison'
  /** To-one relations that lead to the attribute. */
  readonly path: readonly Relation[]
  /** Null for the id. */
  readonly attribute: Attribute | null
  readonly operator: ComparisonOperator
  readonly values: readonly DrawnValue[]
}

export type DrawnValue = number | string | boolean

/** Values by the name of an attribute, or by `type.id`. */
export type Samples = (type: ResourceType, attribute: Attribute | null) => readonly DrawnValue[]

const maxHops = 3

export function drawExpression(
  type: ResourceType,
  samples: Samples,
  draw: RandomSource,
  depth = 4,
  hops = maxHops,
): Drawn {
  const inner = () => drawExpression(type, samples, draw, depth - 1, hops)
  if (depth > 1 && draw.chance(35)) {
    const parts = Array.from({ length: 1 + draw.below(3) }, inner)
    return { kind: draw.pick(['and', 'or']), parts }
  }
  if (depth > 1 && draw.chance(20)) return { kind: 'not', part: inner() }
  const relations = type.relations.filter(isFilterable)
  if (depth > 1 && hops > 0 && relations.length > 0 && draw.chance(35)) {
    const relation = draw.pick(relations)
    const part = draw.chance(70) ? drawExpression(relation.target, samples, draw, depth - 1, hops - 1) : null
    return { kind: 'has', relation, part }
  }
  return drawComparison(type, samples, draw, hops)
}

function drawComparison(type: ResourceType, samples: Samples, draw: RandomSource, hops: number): DrawnComparison {
  const toOne = type.relations.filter((relation) => isFilterable(relation) && !relation.toMany)
  if (hops > 0 && toOne.length > 0 && draw.chance(25)) {
    const relation = draw.pick(toOne)
    const { path, ...rest } = drawComparison(relation.target, samples, draw, hops - 1)
    return { ...rest, path: [relation, ...path] }
  }
  const attribute = draw.chance(15) ? null : draw.pick([null, ...type.attributes.filter(isFilterable)])
  const operator = draw.pick(attribute ? (findKind(attribute, {})?.operators ?? []) : (['eq', 'ne', 'in'] as const))
  const values = samples(type, attribute)
  const count = operator === 'null' ? 0 : operator === 'in' ? 1 + draw.below(3) : 1
  return {
    kind: 'comparison',
    path: [],
    attribute,
    operator,
    values: Array.from({ length: count }, () => draw.pick(values)),
  }
}

export function isFilterable({ options }: Attribute | Relation): boolean {
  return options.filterable === true
}

/** Writes the expression, with white space between some of its parts. */
export function printExpression(drawn: Drawn, draw: RandomSource): string {
  const space = () => (draw.chance(5) ? ' ' : '')
  const write = (operator: string, ...parts: readonly string[]) =>
    `${space()}${operator}${space()}(${parts.map((part) => space() + part + space()).join()})`
  switch (drawn.kind) {
    case 'and':
    case 'or':
      return write(drawn.kind, ...drawn.parts.map((part) => printExpression(part, draw)))
    case 'not':
      return write('not', printExpression(drawn.part, draw))
    case 'has':
      return write('has', drawn.relation.name, ...(drawn.part ? [printExpression(drawn.part, draw)] : []))
    case 'comparison': {
      const path = [...drawn.path.map(({ name }) => name), drawn.attribute?.name ?? 'id'].join('.')
      return write(drawn.operator, path, ...drawn.values.map(printLiteral))
    }
  }
}

function printLiteral(value: DrawnValue): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}
