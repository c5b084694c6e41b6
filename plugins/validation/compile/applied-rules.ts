import type { RulePart, Rules, WhenCondition, WriteTiming } from '../rules.ts'

/** A rule set of a field, and the conditions of `when()` under which it applies. */
export interface AppliedRules {
  readonly rules: Rules
  readonly conditions: readonly WhenCondition[]
}

/** Lists a rule set and its nested ones that apply to a write of this timing. Leaves out alternatives. */
export function appliedRules(
  rules: Rules,
  timing: WriteTiming,
  conditions: readonly WhenCondition[] = [],
): readonly AppliedRules[] {
  const nested = selectParts(rules, timing).flatMap((part) => {
    if (part.kind === 'any') return []
    const all = part.kind === 'when' ? [...conditions, part.condition] : conditions
    return part.ruleSets.flatMap((inner) => appliedRules(inner, timing, all))
  })
  return [{ rules, conditions }, ...nested]
}

/** The parts of a rule set, without those for the other timing. */
export function selectParts({ parts = [] }: Rules, timing: WriteTiming): readonly RulePart[] {
  return parts.filter((part) => part.kind !== 'timing' || part.timing === timing)
}

/** Whether rules of creates and of updates differ, so that the stored value decides which ones apply. */
export function dependsOnTiming({ required, parts = [] }: Rules): boolean {
  return (
    required !== undefined || parts.some(({ kind, ruleSets }) => kind === 'timing' || ruleSets.some(dependsOnTiming))
  )
}

/** When a member must be sent, and which empty values it may have. */
export interface Requirement {
  /** Rejects an empty value; a create also rejects a missing one. */
  readonly isRequired: boolean
  /** An update rejects a missing member as long as no value is stored. */
  readonly requiresStoredValue: boolean
  readonly nullable: boolean
}

/** The requirement of rule sets that apply together. */
export function findRequirement(applied: readonly AppliedRules[], timing: WriteTiming): Requirement {
  const requires = (when: string) => applied.some(({ rules }) => rules.required === when)
  return {
    isRequired: requires('always') || requires(timing),
    requiresStoredValue: timing === 'onUpdate' && requires('onUpdate'),
    nullable: applied.some(({ rules }) => rules.nullable),
  }
}

/** Whether the conditions of `when()` change the requirement. */
export function isConditional(applied: readonly AppliedRules[]): boolean {
  return applied.some(
    ({ rules, conditions }) => conditions.length > 0 && (rules.required !== undefined || rules.nullable !== undefined),
  )
}
