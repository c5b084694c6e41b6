import type { Plugin, TypeHook } from './plugin.ts'
import type { ResourceType } from './resource-type.ts'

export interface HookLookup {
  /** The plugins that join in at a moment. */
  hooks(moment: keyof Plugin): readonly Plugin[]
  /** Those that join in for a type. */
  hooksFor(moment: TypeHook, type: ResourceType): readonly Plugin[]
}
