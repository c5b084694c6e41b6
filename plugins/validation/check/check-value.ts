import { phrase, verbatim } from '#kernel/plugin'
import type { CompiledAttribute } from '../compile/compiled-attribute.ts'
import { faultsBySchema, type ValueFault } from '../compile/joi-schemas.ts'
import { boundFaults } from '../compile/temporal-bounds.ts'
import type { RulePart, Rules } from '../rules.ts'
import { appliesNow, type ValidationContext } from './validation-context.ts'

/** Yields the faults of a value of the right kind. A generator, so that the caller can stop at its limit. */
export function* ruleFaults(
  rules: Rules,
  value: unknown,
  compiled: CompiledAttribute,
  context: ValidationContext,
): Generator<ValueFault> {
  const checks = compiled.checks.get(rules)
  if (!checks) return
  if (checks.schema) yield* faultsBySchema(checks.schema, value)
  for (const check of checks.shapes) yield* check(value)
  yield* boundFaults(rules, value, compiled.attribute)
  yield* itemFaults(rules, value, compiled, context)
  for (const part of rules.parts ?? []) {
    if (appliesNow(part, value, context)) yield* partFaults(part, value, compiled, context)
  }
}

function* partFaults(
  part: RulePart,
  value: unknown,
  compiled: CompiledAttribute,
  context: ValidationContext,
): Generator<ValueFault> {
  if (part.kind === 'any') {
    yield* alternativeFaults(part.ruleSets, value, compiled, context)
    return
  }
  for (const rules of part.ruleSets) {
    const hasFault: boolean = yield* forward(ruleFaults(rules, value, compiled, context))
    if (hasFault && part.kind === 'sequential') return
  }
}

/** Yields the same faults, and returns whether there were any. */
export function* forward(faults: Iterable<ValueFault>): Generator<ValueFault, boolean> {
  let hasFault = false
  for (const fault of faults) {
    hasFault = true
    yield fault
  }
  return hasFault
}

/** Reasons that are reported of each alternative. */
const maxReasons = 5

/** Yields one fault with the reasons of all alternatives; nothing if the value satisfies one of them. */
function* alternativeFaults(
  alternatives: readonly Rules[],
  value: unknown,
  compiled: CompiledAttribute,
  context: ValidationContext,
): Generator<ValueFault> {
  const failed = alternatives.map((rules) => take(ruleFaults(rules, value, compiled, context), maxReasons))
  if (failed.length === 0 || failed.some((faults) => faults.length === 0)) return
  const reasons = verbatim(failed.flatMap((faults) => faults.map(({ message }) => message)).join(' '))
  yield { path: [], message: phrase('At least one of these must be true: {reasons}', { reasons }) }
}

export function take(faults: Iterable<ValueFault>, count: number): ValueFault[] {
  const taken: ValueFault[] = []
  for (const fault of faults) if (taken.push(fault) === count) break
  return taken
}

/** Yields the faults of the items; skips a list with more than `maxItems` items. */
function* itemFaults(
  { each, maxItems }: Rules,
  value: unknown,
  compiled: CompiledAttribute,
  context: ValidationContext,
): Generator<ValueFault> {
  if (!each || !Array.isArray(value) || value.length > (maxItems ?? Number.POSITIVE_INFINITY)) return
  for (const [index, item] of value.entries()) {
    for (const fault of ruleFaults(each, item, compiled, context)) {
      yield { ...fault, path: [index, ...fault.path] }
    }
  }
}
