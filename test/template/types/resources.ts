import { defineError, defineResource, defineType } from '#kernel'
import { Song } from './entities.ts'

defineResource(Song, {
  type: 'songs',
  uriType: 'all-songs',
  server: ['default', 'admin'],
  fields: ({ id }) => [
    id()
      .allowClientId()
      .requireClientId()
      .uuid(4)
      .ulid()
      .numeric()
      .pattern('[0-9]+')
      .matchAs(/[0-9]+/)
      .generated()
      .generateUsing(() => 1)
      .encodeUsing({ encode: (key: number) => key.toString(16), decode: (wire) => Number.parseInt(wire, 16) }),
  ],
  operations: ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'],
  readOnly: false,
  emitsSelfLink: false,
  errors: [defineError('SONG_FULL', 409, 'Song is full', 'The song is full.')],
  serializer: { attributes: { title: (song) => song.title } },
  hydrator: {
    hydrate(song, data, { creating }) {
      if (creating) song.title = String(data.title)
    },
  },
  meta: (song, request) => ({ plays: song.plays, hasRequest: request !== null }),
  links: (song) => ({ about: `https://songs.example/${song.id}` }),
})

defineType<{ id: string; name: string }>({
  type: 'moods',
  id: ({ id }) => id().pattern('[a-z]+'),
  serializer: { attributes: { name: (mood) => mood.name } },
})

// @ts-expect-error Property 'type' is missing
defineResource(Song, {
  fields: ({ id }) => [id()],
})

// @ts-expect-error Property 'fields' is missing
defineResource(Song, {
  type: 'songs',
})

defineResource(Song, {
  type: 'songs',
  // @ts-expect-error Property 'shiny' does not exist
  fields: ({ id, shiny }) => [id(), shiny()],
})

defineResource(Song, {
  type: 'songs',
  // @ts-expect-error is not assignable to type 'UnknownKey<"shiny">'
  shiny: true,
  fields: ({ id }) => [
    // @ts-expect-error Property 'shiny' does not exist
    id().shiny(),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id('id'),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    id().uuid('4'),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    id().pattern(4),
    // @ts-expect-error Property 'decode' is missing
    id().encodeUsing({ encode: String }),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id().allowClientId(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id().requireClientId(true),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id().ulid(4),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id().numeric(4),
    // @ts-expect-error Argument of type 'number' is not assignable to parameter of type
    id().matchAs(4),
    // @ts-expect-error Expected 0 arguments, but got 1.
    id().generated(true),
    // @ts-expect-error Argument of type 'string' is not assignable to parameter of type
    id().generateUsing('1'),
  ],
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error Type '"Fetch"' is not assignable to type
  operations: ['Fetch'],
  // @ts-expect-error Type 'string' is not assignable to type
  readOnly: 'yes',
  // @ts-expect-error Property 'titel' does not exist
  meta: (song) => ({ title: song.titel }),
  // @ts-expect-error Property 'band' does not exist
  links: (song) => ({ band: song.band }),
  // @ts-expect-error Property 'titel' does not exist
  serializer: { attributes: { title: (song) => song.titel } },
  // @ts-expect-error Property 'hydrate' is missing
  hydrator: {},
})

defineType<{ id: string; name: string }>({
  type: 'moods',
  // @ts-expect-error Property 'nmae' does not exist
  serializer: { attributes: { name: (mood) => mood.nmae } },
})

// @ts-expect-error Argument of type '{}' is not assignable to parameter of type
defineResource({}, { type: 'songs', fields: () => [] })
