import { codecOf, phrase } from '#kernel/plugin'
import type { CompiledAttribute } from '../compile/compiled-attribute.ts'
import { comparable } from '../compile/temporal-bounds.ts'
import type { ComparisonName, Rules } from '../rules.ts'
import {
  appliesNow,
  isStoredHidden,
  pointerTo,
  reportFault,
  sentValue,
  type ValidationContext,
} from './validation-context.ts'

const operators: Readonly<Record<ComparisonName, { template: string; holds(a: never, b: never): boolean }>> = {
  EqualTo: { template: "'{name}' must be equal to '{other}'.", holds: (a, b) => a === b },
  NotEqualTo: { template: "'{name}' must not be equal to '{other}'.", holds: (a, b) => a !== b },
  GreaterThan: { template: "'{name}' must be greater than '{other}'.", holds: (a, b) => a > b },
  GreaterThanOrEqual: { template: "'{name}' must be greater than or equal to '{other}'.", holds: (a, b) => a >= b },
  LessThan: { template: "'{name}' must be less than '{other}'.", holds: (a, b) => a < b },
  LessThanOrEqual: { template: "'{name}' must be less than or equal to '{other}'.", holds: (a, b) => a <= b },
}

/** Compares sibling attributes: the sent value, else the stored one. Skips pairs of which neither was sent. */
export function checkComparisons(
  writable: readonly CompiledAttribute[],
  attributes: readonly CompiledAttribute[],
  context: ValidationContext,
): void {
  for (const compiled of attributes) {
    if (!compiled.hasComparisons) continue
    for (const { field, comparison } of currentComparisons(compiled.rules, sentValue(compiled, context), context)) {
      const other = attributes.find(({ attribute }) => attribute.name === field)
      const sent = [compiled, other].find((side) => side && isSent(side, writable, context))
      if (!other || !sent) continue
      const [a, b] = [operand(compiled, writable, context), operand(other, writable, context)]
      const { template, holds } = operators[comparison]
      if (a === undefined || b === undefined || holds(a as never, b as never)) continue
      const message = phrase(template, { name: compiled.attribute.name, other: field })
      reportFault(context, pointerTo(sent, context), message)
    }
  }
}

function isSent(
  compiled: CompiledAttribute,
  writable: readonly CompiledAttribute[],
  context: ValidationContext,
): boolean {
  return writable.includes(compiled) && sentValue(compiled, context) !== undefined
}

function currentComparisons(
  rules: Rules,
  value: unknown,
  context: ValidationContext,
): NonNullable<Rules['comparisons']> {
  const nested = (rules.parts ?? [])
    .filter((part) => part.kind !== 'any' && appliesNow(part, value, context))
    .flatMap(({ ruleSets }) => ruleSets.flatMap((inner) => currentComparisons(inner, value, context)))
  return [...(rules.comparisons ?? []), ...nested]
}

/** Returns undefined for null, for a value of another kind, and for a stored value of another form or that is hidden. */
function operand(
  compiled: CompiledAttribute,
  writable: readonly CompiledAttribute[],
  context: ValidationContext,
): unknown {
  const { attribute } = compiled
  const { fromWire, toWire } = codecOf(attribute)
  if (isSent(compiled, writable, context)) {
    const sent = sentValue(compiled, context)
    return sent === null ? undefined : comparable(fromWire(sent))
  }
  const { property, fill, deserialize } = attribute
  if (!property || fill || deserialize) return undefined
  const stored = context.stored?.[property]
  if (stored === null || stored === undefined || isStoredHidden(attribute, context)) return undefined
  return comparable(fromWire(toWire ? toWire(stored) : stored))
}
