import { phrase, verbatim } from '#kernel/errors'
import type { Attribute } from '#kernel/plugin'
import type { ValidationContext } from '../check/validation-context.ts'
import type { RulePart, Rules, WriteTiming } from '../rules.ts'
import { selectParts } from './applied-rules.ts'
import { compileShape } from './compile-shape.ts'
import type { ValueFault } from './joi-schemas.ts'
import { compileBounds } from './temporal-bounds.ts'
import { findFamily, itemFamily } from './value-family.ts'
import { compileValueRules, noFaults, type RuleTarget } from './value-rules.ts'

/**
 * Returns the faults of a value of the right kind. It may stop when there are more faults than the limit, so that a list of
 * invalid items costs no more than a valid one.
 */
export type CheckRules = (value: unknown, context: ValidationContext, limit: number) => readonly ValueFault[]

/** Compiles the rules of an attribute for writes of one timing. Returns null if no value of the kind can break one. */
export function compileRules(attribute: Attribute, timing: WriteTiming): CheckRules | null {
  const { name, kind, options } = attribute
  // Joi throws on an empty label. An empty name is reported with the other faults of the registry.
  const target: RuleTarget = { label: name || 'unnamed', family: findFamily(attribute), kind }
  return compileSet(options.rules ?? {}, { attribute, timing, target })
}

interface Compilation {
  readonly attribute: Attribute
  readonly timing: WriteTiming
  readonly target: RuleTarget
}

function compileSet(rules: Rules, compilation: Compilation): CheckRules | null {
  const { attribute, timing, target } = compilation
  const inner: Compilation = { ...compilation, target: { ...target, kind: null, isNested: true } }
  return inSequence([
    compileValueRules(rules, target),
    ...(rules.shapes ?? []).map((shape) => compileShape(shape, target.label)),
    compileBounds(rules, attribute),
    compileItems(rules, compilation),
    ...selectParts(rules, timing).map((part) => compilePart(part, inner)),
  ])
}

/** All of the checks, one after the other. */
function inSequence(checks: readonly (CheckRules | null)[], stopsAtFault = false): CheckRules | null {
  const [first, ...others] = checks.filter((check) => check !== null)
  if (!first || others.length === 0) return first ?? null
  return (value, context, limit) => {
    let faults = first(value, context, limit)
    for (const check of others) {
      if (faults.length > (stopsAtFault ? 0 : limit)) break
      const found = check(value, context, limit)
      if (found.length > 0) faults = faults.concat(found)
    }
    return faults
  }
}

/** Checks the items of a list; skips a list with more than `maxItems` items. */
function compileItems(
  { each, maxItems = Number.POSITIVE_INFINITY }: Rules,
  compilation: Compilation,
): CheckRules | null {
  if (!each) return null
  const target = { label: compilation.target.label, family: itemFamily(each), kind: null, isItem: true }
  const check = compileSet(each, { ...compilation, target })
  if (!check) return null
  return (value, context, limit) => {
    if (!Array.isArray(value) || value.length > maxItems) return noFaults
    const faults: ValueFault[] = []
    for (let index = 0; index < value.length && faults.length <= limit; index++) {
      for (const fault of check(value[index], context, limit)) faults.push({ ...fault, path: [index, ...fault.path] })
    }
    return faults
  }
}

function compilePart(part: RulePart, compilation: Compilation): CheckRules | null {
  const sets = part.ruleSets.map((rules) => compileSet(rules, compilation))
  if (part.kind === 'any') return compileAlternatives(sets)
  const check = inSequence(sets, part.kind === 'sequential')
  if (part.kind !== 'when' || !check) return check
  const { condition } = part
  return (value, context, limit) =>
    condition(value, context.operation.context.request) ? check(value, context, limit) : noFaults
}

/** Reasons that are reported of each alternative. */
const maxReasons = 5

/** One fault with the reasons of all alternatives; none if the value satisfies one of them. */
function compileAlternatives(alternatives: readonly (CheckRules | null)[]): CheckRules | null {
  const checks = alternatives.filter((check) => check !== null)
  if (checks.length === 0 || checks.length < alternatives.length) return null
  return (value, context) => {
    const failed: ValueFault[] = []
    for (const check of checks) {
      const faults = check(value, context, maxReasons)
      if (faults.length === 0) return noFaults
      failed.push(...faults.slice(0, maxReasons))
    }
    const reasons = verbatim(failed.map(({ message }) => message).join(' '))
    return [{ path: [], message: phrase('At least one of these must be true: {reasons}', { reasons }) }]
  }
}
