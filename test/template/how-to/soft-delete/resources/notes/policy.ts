import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Note } from './entity.ts'

/** All requesters read; authenticated requesters write; administrators see the trash, restore and delete for good. */
export class NotePolicy extends Policy<Note> {
  static override readonly needs = { view: [], update: [], delete: [], restore: [], forceDelete: [] }

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: Principal | null) {
    return principal !== null
  }
  override update(principal: Principal | null) {
    return principal !== null
  }
  override delete(principal: Principal | null) {
    return principal !== null
  }
  viewTrashed(principal: Principal | null) {
    return isAdmin(principal)
  }
  restore(principal: Principal | null) {
    return isAdmin(principal)
  }
  forceDelete(principal: Principal | null) {
    return isAdmin(principal)
  }
}

function isAdmin(principal: Principal | null): boolean {
  return principal?.roles.includes('admin') ?? false
}
