import type { Need, ResourceType } from '#kernel/plugin'
import { hookNames } from './hooks.ts'

/** A hook may reject or change a write. */
export function neededBy({ declaration }: ResourceType): readonly Need[] {
  const declared = Object.entries(declaration).filter(([key, value]) => hookNames.includes(key) && value !== undefined)
  return declared.map(([member]) => ({ member, ignored: `'${member}'` }))
}
