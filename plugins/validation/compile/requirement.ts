import type { Rules, WriteTiming } from '../rules.ts'

/** When a member must be sent, and which empty values it may have. */
export interface Requirement {
  /** The writes that reject an empty value; a create also rejects a missing one. */
  readonly requiredOn: ReadonlySet<WriteTiming>
  /** An update rejects a missing member as long as no value is stored. */
  readonly requiresStoredValue: boolean
  readonly nullable: boolean
}

export function requirementOf({ required, nullable = false }: Rules): Requirement {
  const requiredOn = new Set<WriteTiming>()
  if (required && required !== 'onUpdate') requiredOn.add('onCreate')
  if (required && required !== 'onCreate') requiredOn.add('onUpdate')
  return { requiredOn, requiresStoredValue: required === 'onUpdate', nullable }
}

export function mergeRequirements(a: Requirement, b: Requirement): Requirement {
  return {
    requiredOn: new Set([...a.requiredOn, ...b.requiredOn]),
    requiresStoredValue: a.requiresStoredValue || b.requiresStoredValue,
    nullable: a.nullable || b.nullable,
  }
}
