import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'

/** All requesters may read and write cards; `ada` may also see, restore and delete trashed ones. */
export class CardPolicy extends Policy {
  static override readonly needs: Readonly<Record<string, readonly string[]>> = {
    view: [],
    update: [],
    delete: [],
    restore: [],
    forceDelete: [],
  }
  override viewAny = () => true
  override view = () => true
  override create = () => true
  override update = () => true
  override delete = () => true
  viewTrashed = isAda
  restore = isAda
  forceDelete = isAda
}

export function isAda(principal: Principal | null): boolean {
  return principal?.identifier === 'ada'
}
