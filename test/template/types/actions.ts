import { defineResource } from '#kernel'
import { type ActionContext, data, defineAction, meta, noContent, seeOther } from '#plugins/actions/index.ts'
import { Song } from './entities.ts'

// Custom actions: subject, input and returned value are typed by the declaration.

interface Rename {
  readonly title: string
}

defineAction(Song, { answers: 'data', handle: ({ subject }) => data(subject) })

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  actions: ({ action }) => [
    action('rename', {
      input: 'document',
      inputType: 'renames',
      answers: ['data', 'noContent'],
      handle({ subject, input }: ActionContext<Song, Rename>) {
        subject.title = input.title
        return subject.live ? data(subject) : noContent()
      },
    }),
    action('upload', {
      input: 'raw',
      accepts: ['audio/mpeg'],
      answers: 'meta',
      handle: ({ input: { mediaType, bytes } }) => meta({ mediaType, size: bytes.length }),
    }),
    action('next', { on: 'collection', method: 'GET', answers: 'seeOther', handle: () => seeOther('/songs/2') }),
  ],
  beforeAction: (subject, { action }) => void [subject?.title, action],
  afterAction: async (subject, { response }) => void [subject?.title, response.status],
  beforeRestore: (song, { action }) => void [song.title, action],
  afterRestore: (song, { response }) => void [song.title, response.status],
  beforeForceDelete: (song) => void song.title,
  afterForceDelete: async (song) => void song.title,
})

defineResource(Song, {
  type: 'songs',
  fields: ({ id }) => [id()],
  // @ts-expect-error is not assignable to type
  actions: [],
  // @ts-expect-error Property 'tune' does not exist on type 'Song'
  beforeAction: (subject) => void (subject as Song).tune,
  // @ts-expect-error Property 'entity' does not exist on type 'AfterActionContext'
  afterAction: (_subject, { entity }) => entity,
  // @ts-expect-error Property 'tune' does not exist on type 'Song'
  beforeRestore: (song) => void song.tune,
  // @ts-expect-error Property 'tune' does not exist on type 'Song'
  afterRestore: (song) => void song.tune,
  // @ts-expect-error Property 'tune' does not exist on type 'Song'
  beforeForceDelete: (song) => void song.tune,
  // @ts-expect-error Property 'tune' does not exist on type 'Song'
  afterForceDelete: (song) => void song.tune,
})

// @ts-expect-error Type 'NoContentAnswer' is not assignable to type
defineAction(Song, { answers: 'data', handle: () => noContent() })
// @ts-expect-error 'subject' is possibly 'null'
defineAction(Song, { on: 'collection', answers: 'meta', handle: ({ subject }) => meta({ title: subject.title }) })
// @ts-expect-error 'input' is possibly 'null'
defineAction(Song, { answers: 'meta', handle: ({ input }) => meta({ size: input.bytes }) })
