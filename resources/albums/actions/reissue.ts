import { type ActionContext, data, defineAction } from '#plugins/actions/index.ts'
import type { AlbumReissue } from '#resources/album-reissues/resource.ts'
import { Release } from '#resources/releases/entity.ts'
import { Album } from '../entity.ts'

/** Publishes the album under another label, in another format if there is one. */
export default defineAction(Album, {
  input: 'document',
  inputType: 'album-reissues',
  answers: 'data',
  asLink: true,
  description: 'Publishes the album under another label. A format adds a release.',

  async handle({ subject: album, input, unit }: ActionContext<Album, Omit<AlbumReissue, 'id'>>) {
    album.label = input.label
    album.status = 'released'
    if (input.format) {
      const catalogNumber = `REISSUE ${album.id}`
      unit.em.create(Release, { catalogNumber, format: input.format, album })
    }
    return data(album)
  },
})
