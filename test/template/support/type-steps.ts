import type { RowCheck, Scope } from '#app/kernel/contract/stages.ts'
import type { Plugin, TypeStages } from '#kernel/plugin'

/** A `planType` that adds steps to types with one of the names; to all types without names. */
export function typeSteps(steps: Partial<TypeStages>, names?: readonly string[]): Pick<Plugin, 'planType'> {
  return {
    planType(draft) {
      if (names && !names.includes(draft.type.name)) return
      for (const [stage, step] of Object.entries(steps)) (draft[stage as keyof TypeStages] as unknown[]).push(step)
    },
  }
}

/** A step of the stage `scope`, for the types of `typeSteps`. */
export function scopeSteps(
  of: Scope['of'],
  condition: Scope['condition'],
  names?: readonly string[],
): Pick<Plugin, 'planType'> {
  return typeSteps({ scope: { of, condition } }, names)
}

/** A step of the stage `checkRows` for all types. */
export function checkSteps<Of extends RowCheck['of']>(
  of: Of,
  check: Extract<RowCheck, { readonly of: Of }>['check'],
): Pick<Plugin, 'planType'> {
  return typeSteps({ checkRows: { of, check } as RowCheck })
}
