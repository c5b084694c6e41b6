import type { WriteTiming } from '../rules.ts'
import type { AppliedRules } from './applied-rules.ts'

/** When a member must be sent, and which empty values it may have. */
export interface Requirement {
  /** Rejects an empty value; a create also rejects a missing one. */
  readonly isRequired: boolean
  /** An update rejects a missing member as long as no value is stored. */
  readonly requiresStoredValue: boolean
  readonly nullable: boolean
}

/** The requirement of rule sets that apply together. */
export function requirementOf(applied: readonly AppliedRules[], timing: WriteTiming): Requirement {
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
