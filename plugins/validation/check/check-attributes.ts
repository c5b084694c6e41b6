import { phrase } from '#kernel/errors'
import { escapePointer, isObject } from '#kernel/plugin'
import { findRequirement, type Requirement } from '../compile/applied-rules.ts'
import type { CompiledAttribute, CompiledAttributes, CompiledMembers } from '../compile/compile-attributes.ts'
import { listedValueFault } from '../compile/joi-schemas.ts'
import { kindFault } from '../compile/kind-check.ts'
import type { WriteTiming } from '../rules.ts'
import { checkComparisons } from './check-comparisons.ts'
import { allHold, isReadOnlyNow, pointerTo, reportFault, type ValidationContext } from './validation-context.ts'

/** Reports every fault of the sent attributes. Ignores attributes that the requester may not write. */
export function checkAttributes(
  { timing, writable, comparisons }: CompiledAttributes,
  context: ValidationContext,
): void {
  const { sent } = context
  for (const compiled of writable) {
    const { name } = compiled.attribute
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (value === undefined && compiled.isOptional) continue
    if (compiled.isReadOnly && isReadOnlyNow(compiled, context)) continue
    checkAttribute(compiled, value, timing, context)
  }
  if (comparisons.length > 0) checkComparisons(comparisons, context)
}

function checkAttribute(
  compiled: CompiledAttribute,
  value: unknown,
  timing: WriteTiming,
  context: ValidationContext,
): void {
  const { attribute, members, customRules } = compiled
  const { name } = attribute
  const requirement = compiled.requirement ?? currentRequirement(compiled, value, timing, context)
  if (value === undefined) {
    if (isMissing(compiled, requirement, timing, context))
      reportFault(context, context.basePointer, phrase("'{name}' is required.", { name }))
    return
  }
  if (value === null) {
    if (!requirement.nullable)
      reportFault(context, pointerTo(attribute, context), phrase("'{name}' must not be null.", { name }))
    return
  }
  if (compiled.readKind(value) === undefined) {
    reportFault(context, pointerTo(attribute, context), kindFault(attribute, value, compiled.column))
    return
  }
  const before = customRules.length > 0 ? context.faults.count : 0
  checkValue(compiled, value, requirement, context)
  if (members) checkMembers(compiled, members, value as Json, context)
  if (customRules.length === 0 || context.faults.count > before) return
  const pointer = pointerTo(attribute, context)
  for (const { rule, conditions } of customRules) {
    if (allHold(conditions, value, context)) context.due.push({ rule, value, name, pointer })
  }
}

type Json = Readonly<Record<string, unknown>>

/**
 * Reports the faults of a value of the right kind, but only the first of an empty value. The limits of the column are
 * checked only if no rule is broken.
 */
function checkValue(
  { attribute, checkRules, checkColumn }: CompiledAttribute,
  value: unknown,
  { isRequired }: Requirement,
  context: ValidationContext,
): void {
  if (isRequired && isEmpty(value)) {
    const message = phrase("'{name}' must not be empty.", { name: attribute.name })
    reportFault(context, pointerTo(attribute, context), message)
    return
  }
  const { errors } = context.operation.context.app.config.limits
  const faults = checkRules?.(value, context, errors || Number.POSITIVE_INFINITY) ?? []
  if (faults.length === 0) {
    const fault = checkColumn?.(value)
    if (fault) reportFault(context, pointerTo(attribute, context), fault)
    return
  }
  const pointer = pointerTo(attribute, context)
  for (const { path, message, isLast } of isEmpty(value) ? faults.slice(0, 1) : faults) {
    reportFault(context, pointer + path.map((step) => `/${escapePointer(String(step))}`).join(''), message)
    if (isLast) context.faults.truncate()
  }
}

/** The requirement of the rule sets whose conditions are true. */
function currentRequirement(
  { applied }: CompiledAttribute,
  value: unknown,
  timing: WriteTiming,
  context: ValidationContext,
): Requirement {
  const current = applied.filter(({ conditions }) => allHold(conditions, value, context))
  return findRequirement(current, timing)
}

function isMissing(
  { attribute: { name, property } }: CompiledAttribute,
  { isRequired, requiresStoredValue }: Requirement,
  timing: WriteTiming,
  { stored }: ValidationContext,
): boolean {
  if (timing === 'onCreate') return isRequired
  return requiresStoredValue && (stored?.[property ?? name] ?? null) === null
}

function isEmpty(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
}

function checkMembers(
  { attribute }: CompiledAttribute,
  { members, variants }: CompiledMembers,
  value: Json,
  context: ValidationContext,
): void {
  const { kind, property, on, discriminator } = attribute
  const pointer = pointerTo(attribute, context)
  const around = [...context.around, attribute]
  const inner = { ...context, basePointer: pointer, sent: value, around }
  if (kind === 'map') {
    checkAttributes(members.stored, inner)
    return
  }
  const before = property && !on ? context.stored?.[property] : undefined
  const stored = isObject(before) ? before : null
  if (kind === 'obj') {
    checkAttributes(stored ? members.stored : members.added, { ...inner, stored })
    return
  }
  const selected = value[discriminator] ?? stored?.[discriminator]
  const variant = typeof selected === 'string' ? variants.get(selected) : undefined
  if (variant) {
    const kept = stored?.[discriminator] === selected ? stored : null
    checkAttributes(kept ? variant.stored : variant.added, { ...inner, stored: kept })
    return
  }
  const at = discriminator in value ? `${pointer}/${escapePointer(discriminator)}` : pointer
  reportFault(context, at, listedValueFault(discriminator, [...variants.keys()], selected))
}
