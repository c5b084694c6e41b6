import type { Context, ResourceType } from '#kernel/store'
import { emOf } from '../unit.ts'

/** Deletes the row at the next flush, or changes it if the type has soft deletes. */
export function removeEntity({ deletedValues }: ResourceType, entity: object, context: Context): void {
  if (deletedValues) Object.assign(entity, deletedValues())
  else emOf(context).remove(entity)
}
