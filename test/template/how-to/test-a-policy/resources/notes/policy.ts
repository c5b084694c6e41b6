import type { Principal } from '#kernel'
import { type Needs, Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import type { Note } from './entity.ts'

/** Shared notes are public; the owner sees and writes all notes of their own. */
export class NotePolicy extends Policy<Note> {
  static override readonly needs = { view: [], update: ['owner'], delete: ['owner'] } satisfies Needs<Note>

  override scope(principal: Principal | null) {
    return principal ? { $or: [{ shared: true }, { owner: principal.identifier }] } : { shared: true }
  }
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create(principal: Principal | null) {
    return principal !== null
  }
  override update(principal: Principal | null, note: Pick<PolicyRow<Note>, 'owner'>) {
    return note.owner === principal?.identifier
  }
  override delete(principal: Principal | null, note: Pick<PolicyRow<Note>, 'owner'>) {
    return note.owner === principal?.identifier
  }
}
