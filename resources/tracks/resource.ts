import { defineResource } from '#kernel'
import { open } from '#plugins/authorization/index.ts'
import { Track } from './entity.ts'

export default defineResource(Track, {
  type: 'tracks',
  exampleId: '1',
  fields: ({ id, string, integer, boolean, arrayList, time, belongsTo, belongsToMany }) => [
    id(),
    string('title').required().sortable().example('Karma Police'),
    integer('trackNumber').min(1).sortable(),
    integer('durationSeconds').storedAs('lengthSeconds'),
    boolean('explicit'),
    arrayList('genres')
      .minItems(1)
      .each((genre) => genre.minLength(1))
      .uniqueItems(),
    time('previewOffset').nullable(),
    string('displayTitle')
      .computedUsing(({ trackNumber, title }) => `${trackNumber}. ${title}`)
      .needs('trackNumber', 'title'),
    belongsTo('album', 'albums').example({ type: 'albums', id: '1' }),
    belongsToMany('playlists', 'playlists').cannotReplace().countable().withData(),
  ],
  filters: ({ where, boolean, whereIn, custom }) => [
    where('title', 'title', 'like'),
    boolean('explicit').default(false),
    whereIn('genres'),
    custom('q').handledBy('search', 'title'),
  ],
  meta: { served_by: 'music-catalog' },
  policy: open,
})
