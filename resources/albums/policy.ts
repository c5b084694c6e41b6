import { Policy } from '#plugins/authorization/index.ts'
import type { Album } from './entity.ts'

/** Everybody may do everything with a published album; an unpublished one does not exist for anybody. */
export class AlbumPolicy extends Policy<Album> {
  static override readonly needs = []

  override viewAny() {
    return { published: true }
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
