import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { Album } from './entity.ts'

/**
 * All requesters may use published albums; only administrators may reissue them. Unpublished albums are hidden from all.
 * Anonymous requesters may create, update and delete albums and upload artwork, because the demo is tried without a token: in
 * a real application, require a role in these methods, as `reissue` does.
 */
export class AlbumPolicy extends Policy<Album> {
  static override readonly needs = {
    view: [],
    update: [],
    delete: [],
    reissue: [],
    summary: [],
    artwork: [],
  } satisfies Needs<Album>

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
