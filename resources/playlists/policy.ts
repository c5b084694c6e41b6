import type { Principal } from '#kernel'
import { type Needs, Policy, type PolicyRow } from '#plugins/authorization/index.ts'
import type { Playlist } from './entity.ts'

/** All requesters may read and create playlists; the owner may update one, an administrator may delete and restore it. */
export class PlaylistPolicy extends Policy<Playlist> {
  static override readonly needs = {
    view: [],
    update: ['owner.email'],
    delete: [],
    restore: [],
    forceDelete: [],
    adminOnly: [],
  } satisfies Needs<Playlist>

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override update(principal: Principal | null, playlist: PolicyRow<Playlist>) {
    return principal !== null && playlist.owner?.email === principal.identifier
  }
  override delete(principal: Principal | null) {
    return isAdmin(principal)
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
  adminOnly(principal: Principal | null) {
    return isAdmin(principal)
  }
}

function isAdmin(principal: Principal | null): boolean {
  return principal?.roles.includes('admin') ?? false
}
