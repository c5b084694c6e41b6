import type { MomentOfType, Plugin } from './plugin.ts'
import type { ResourceType } from './resource-type.ts'

export interface Joining {
  /** The plugins that join in at a moment. */
  with(moment: keyof Plugin): readonly Plugin[]
  /** Those that join in for a type. */
  joining(moment: MomentOfType, type: ResourceType): readonly Plugin[]
}
