import { escapePointer, isObject, isWritable, phrase } from '#kernel/plugin'
import type { CompiledAttribute } from '../compile/compiled-attribute.ts'
import { listedValueFault, type ValueFault } from '../compile/joi-schemas.ts'
import { mergeRequirements, type Requirement, requirementOf } from '../compile/requirement.ts'
import type { Rules } from '../rules.ts'
import { checkComparisons } from './check-comparisons.ts'
import { customRulesOf } from './check-custom-rules.ts'
import { forward, ruleFaults, take } from './check-value.ts'
import { appliesNow, pointerTo, reportFault, sentValue, type ValidationContext } from './validation-context.ts'

/** Reports every fault of the sent attributes. Ignores attributes that the caller may not write. */
export function checkAttributes(attributes: readonly CompiledAttribute[], context: ValidationContext): void {
  const writable: CompiledAttribute[] = []
  for (const compiled of attributes) if (isWritable(compiled.attribute, context.operation)) writable.push(compiled)
  for (const compiled of writable) checkAttribute(compiled, sentValue(compiled, context), context)
  checkComparisons(writable, attributes, context)
}

function checkAttribute(compiled: CompiledAttribute, value: unknown, context: ValidationContext): void {
  const { name } = compiled.attribute
  const requirement = compiled.requirement ?? currentRequirement(compiled.rules, value, context)
  if (value === undefined) {
    if (isMissing(compiled, requirement, context))
      reportFault(context, context.basePointer, phrase("'{name}' is required.", { name }))
    return
  }
  const pointer = pointerTo(compiled, context)
  if (value === null) {
    if (!requirement.nullable) reportFault(context, pointer, phrase("'{name}' must not be null.", { name }))
    return
  }
  const kindFault = compiled.checkKind(value)
  if (kindFault) {
    reportFault(context, pointer, kindFault)
    return
  }
  const before = context.faults.count
  for (const { path, message, isLast } of valueFaults(compiled, value, requirement, context)) {
    reportFault(context, pointer + path.map((step) => `/${escapePointer(String(step))}`).join(''), message)
    if (isLast) context.faults.truncate()
  }
  if (isObject(value)) checkChildren(compiled, value, pointer, context)
  if (context.faults.count > before) return
  for (const rule of customRulesOf(compiled.rules, value, context)) context.due.push({ rule, value, name, pointer })
}

/**
 * Yields the faults of a value of the right kind, but only the first of an empty value. The limits of the column are
 * checked only if no rule is broken.
 */
function* valueFaults(
  compiled: CompiledAttribute,
  value: unknown,
  { requiredOn }: Requirement,
  context: ValidationContext,
): Generator<ValueFault> {
  const hasContent = !isEmpty(value)
  if (!hasContent && requiredOn.has(context.timing)) {
    yield { path: [], message: phrase("'{name}' must not be empty.", { name: compiled.attribute.name }) }
    return
  }
  const faults = ruleFaults(compiled.rules, value, compiled, context)
  const hasFault = yield* forward(hasContent ? faults : take(faults, 1))
  const columnFault = hasFault ? null : compiled.checkColumn?.(value)
  if (columnFault) yield { path: [], message: columnFault }
}

/** Adds the requirements of nested rule sets that apply to this write. */
function currentRequirement(rules: Rules, value: unknown, context: ValidationContext): Requirement {
  return (rules.parts ?? [])
    .filter((part) => part.kind !== 'any' && appliesNow(part, value, context))
    .flatMap(({ ruleSets }) => ruleSets)
    .map((nested) => currentRequirement(nested, value, context))
    .reduce(mergeRequirements, requirementOf(rules))
}

function isMissing(
  { attribute: { name, property } }: CompiledAttribute,
  { requiredOn, requiresStoredValue }: Requirement,
  { timing, stored }: ValidationContext,
): boolean {
  if (timing === 'onCreate') return requiredOn.has('onCreate')
  return requiresStoredValue && (stored?.[property ?? name] ?? null) === null
}

function isEmpty(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() === '') || (Array.isArray(value) && value.length === 0)
}

function checkChildren(
  { attribute, children, variants }: CompiledAttribute,
  value: Readonly<Record<string, unknown>>,
  pointer: string,
  context: ValidationContext,
): void {
  const { kind, property, on, discriminator } = attribute
  const inner = { ...context, basePointer: pointer, sent: value, around: [...(context.around ?? []), attribute] }
  const before = property && !on ? context.stored?.[property] : undefined
  const stored = isObject(before) ? before : null
  if (kind === 'map') checkAttributes(children, inner)
  if (kind === 'obj') checkAttributes(children, against(stored, inner))
  if (kind !== 'oneOf') return

  const selected = value[discriminator] ?? stored?.[discriminator]
  const variant = typeof selected === 'string' ? variants.get(selected) : undefined
  if (variant) {
    checkAttributes(variant, against(stored?.[discriminator] === selected ? stored : null, inner))
    return
  }
  const at = discriminator in value ? `${pointer}/${escapePointer(discriminator)}` : pointer
  const constants = [...variants.keys()]
  reportFault(context, at, listedValueFault(discriminator, constants, selected))
}

/** Without a stored object the members are checked as on create. */
function against(stored: ValidationContext['stored'], context: ValidationContext): ValidationContext {
  return { ...context, stored, timing: stored ? context.timing : 'onCreate' }
}
