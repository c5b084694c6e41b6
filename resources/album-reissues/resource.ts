import { defineType } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import type { Release } from '#resources/releases/entity.ts'

/** The input of the action `reissue` of albums. */
export interface AlbumReissue {
  readonly id: string
  readonly label: string
  readonly format?: Release['format']
}

export default defineType<AlbumReissue>()({
  type: 'album-reissues',
  server: ['default', 'admin'],
  emitsSelfLink: false,
  fields: ({ id, string, integer, boolean, oneOf }) => [
    id(),
    string('label').required().maxLength(200).example('XL Recordings'),
    oneOf('format')
      .discriminator('medium')
      .variant('vinyl', integer('rpm').required().min(16).max(78), boolean('coloured'))
      .variant('cd', integer('discs').required().min(1))
      .variant('digital', string('codec').required().maxLength(16), integer('bitrateKbps').min(32))
      .nullable(),
  ],
  policy: open,
})
