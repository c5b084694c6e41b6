import { slugify } from '#app/slugify.ts'
import { defineResource } from '#kernel'
import { page } from '#plugins/pagination/index.ts'
import { Playlist, PlaylistEntry } from './entity.ts'
import { claim, PlaylistNotEmptyError, refuseWhileFilled } from './hooks.ts'
import { PlaylistPolicy } from './policy.ts'

export default defineResource(Playlist, {
  type: 'playlists',
  exampleId: '00000000-0000-4000-8000-000000000001',
  examplePrincipal: 'ada@example.com',
  server: ['default', 'admin'],
  tags: ['Library'],
  fields: ({ id, string, slug, boolean, uuid, belongsTo, belongsToMany }) => [
    id().uuid().generated(),
    string('title').required().maxLength(200).example('Evening Mix'),
    slug('slug').readOnly(),
    boolean('public'),
    uuid('externalId').nullable(),
    belongsTo('owner', 'users').security({ read: 'adminOnly' }),
    belongsTo('publicOwner', 'public-profiles').storedAs('owner'),
    belongsToMany('tracks', 'tracks')
      .paginate(page({ size: 2 }))
      .countable(),
    belongsToMany('orderedTracks', 'tracks')
      .through(PlaylistEntry)
      .fields(({ integer, dateTime }) => [
        integer('position').required().min(1).example(1),
        integer('weight').compareWith('position', 'GreaterThanOrEqual'),
        dateTime('addedAt').readOnly(),
      ])
      .paginate(page({ size: 2 }))
      .withFilters(({ where }) => [where('position', 'pivot.position'), where('weight', 'pivot.weight')]),
  ],
  hydrator: {
    hydrate(playlist, { title }) {
      if (typeof title === 'string') playlist.slug = slugify(title)
    },
  },
  policy: PlaylistPolicy,
  softDeletes: true,
  beforeCreate: claim,
  beforeDelete: refuseWhileFilled,
  exceptions: [[PlaylistNotEmptyError, 409]],
})
