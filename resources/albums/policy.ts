import { Policy } from '#plugins/authorization/index.ts'
import type { Album } from './entity.ts'

/** Published albums are open to all callers; unpublished albums are hidden from all callers. */
export class AlbumPolicy extends Policy<Album> {
  static override readonly needs = { view: [], update: [], delete: [] }

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
}
