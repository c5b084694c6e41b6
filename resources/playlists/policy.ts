import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Playlist } from './entity.ts'

/** Everybody may look and begin a playlist; only its owner may change it, and only an administrator remove it. */
export class PlaylistPolicy extends Policy<Playlist> {
  static override readonly needs = []

  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override async update(principal: Principal | null, playlist: Playlist) {
    if (!principal) return false
    const owner = await playlist.owner?.load()
    return owner?.email === principal.identifier
  }
  override delete(principal: Principal | null) {
    return isAdmin(principal)
  }
  adminOnly(principal: Principal | null) {
    return isAdmin(principal)
  }
}

function isAdmin(principal: Principal | null): boolean {
  return principal?.roles.includes('admin') ?? false
}
