import { defineAction, noContent } from '#plugins/actions/index.ts'
import { Album } from '../entity.ts'

/** Stores an image of at most 256 kB as a data URL. */
export default defineAction(Album, {
  input: 'raw',
  accepts: ['image/png', 'image/jpeg'],
  maxBytes: 256 * 1024,
  answers: 'noContent',
  summary: 'Upload the artwork of an album',
  description: 'Replaces the artwork by a PNG or JPEG image of at most 256 kB.',

  handle({ subject: album, input: { mediaType, bytes } }) {
    album.artwork = `data:${mediaType};base64,${bytes.toString('base64')}`
    return noContent()
  },
})
