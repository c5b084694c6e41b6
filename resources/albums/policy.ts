import type { Principal } from '#kernel'
import { Policy } from '#plugins/authorization/index.ts'
import type { Album } from './entity.ts'

/** Published albums are open to all requesters, except that only administrators reissue them; others are hidden from all. */
export class AlbumPolicy extends Policy<Album> {
  static override readonly needs = { view: [], update: [], delete: [], reissue: [], summary: [], artwork: [] }

  override scope() {
    return { published: true }
  }
  override viewAny() {
    return true
  }
  override view() {
    return true
  }
  override create() {
    return true
  }
  override update() {
    return true
  }
  override delete() {
    return true
  }
  reissue(principal: Principal | null) {
    return principal?.roles.includes('admin') ?? false
  }
  summary() {
    return true
  }
  artwork() {
    return true
  }
}
