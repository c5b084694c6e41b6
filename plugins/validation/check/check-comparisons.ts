import { phrase } from '#kernel/errors'
import { type CompiledComparison, isComparedWhenStored, type Side } from '../compile/compile-comparisons.ts'
import { comparable } from '../compile/temporal-bounds.ts'
import type { ComparisonName } from '../rules.ts'
import {
  allHold,
  isReadOnlyNow,
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
export function checkComparisons(comparisons: readonly CompiledComparison[], context: ValidationContext): void {
  for (const { sides, comparison, conditions } of comparisons) {
    const [declaring, other] = sides
    const sent = isSent(declaring, context) ? declaring : isSent(other, context) ? other : null
    if (!sent || !allHold(conditions, sentValue(declaring.attribute, context), context)) continue
    const [a, b] = [operand(declaring, context), operand(other, context)]
    const { template, holds } = operators[comparison]
    if (a === undefined || b === undefined || holds(a as never, b as never)) continue
    const message = phrase(template, { name: declaring.attribute.name, other: other.attribute.name })
    reportFault(context, pointerTo(sent.attribute, context), message)
  }
}

function isSent({ attribute, writable }: Side, context: ValidationContext): boolean {
  return writable !== null && sentValue(attribute, context) !== undefined && !isReadOnlyNow(writable, context)
}

/** Returns undefined for null, for a value of another kind, and for a stored value of another form or that is hidden. */
function operand(side: Side, context: ValidationContext): unknown {
  const { attribute, fromWire, toWire } = side
  if (isSent(side, context)) {
    const sent = sentValue(attribute, context)
    return sent === null ? undefined : comparable(fromWire(sent))
  }
  if (!isComparedWhenStored(side)) return undefined
  const stored = context.stored?.[attribute.property as string]
  if (stored === null || stored === undefined || isStoredHidden(attribute, context)) return undefined
  return comparable(fromWire(toWire ? toWire(stored) : stored))
}
