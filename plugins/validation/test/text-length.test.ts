import { defineEntity, p } from '@mikro-orm/core'
import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { Database } from '#store'
import { startApp, type TestApp } from '#test/support/app.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { openTestDatabase } from '#test/support/database.ts'
import { withDependents } from '#test/template/support/plugins.ts'
import { withoutNeeds } from '#test/template/support/without-needs.ts'
import { shape } from '../index.ts'

/** One code point, two UTF-16 units. */
const moon = '🌙'

describe('The length of a text', () => {
  let database: Database
  let app: TestApp
  let client: Client
  const create = (attributes: object, id = 'a') => client.post('/notes', { data: { type: 'notes', id, attributes } })

  before(async () => {
    database = await openTestDatabase({ entities: [Note], migrations: [] })
    await database.orm.schema.create()
  })
  after(() => database.close())

  describe('that a client sends', () => {
    before(async () => {
      app = await startApp({ resources, database, onWrite: () => {} })
      client = app.client
    })
    after(() => app.close())

    for (const attribute of ['ruled', 'stored', 'shaped', 'items']) {
      const write = (text: string) => {
        if (attribute === 'shaped') return create({ shaped: { text } })
        return create({ [attribute]: attribute === 'items' ? [text] : text })
      }

      it(`is counted in code points for '${attribute}'`, async () => {
        const { status, text } = await write(moon.repeat(4))
        expect(status, text).to.equal(201)
        await client.delete('/notes/a')
        const [error] = readErrors(await write(moon.repeat(5)))
        expect(error?.source.pointer).to.match(new RegExp(`^/data/attributes/${attribute}`))
        expect(error?.detail).to.match(/ 4 characters/)
        expect(readErrors(await write('abcde'))).to.have.length(1)
      })
    }

    it('is too small when it has fewer code points than minLength', async () => {
      for (const attributes of [{ ruled: moon }, { shaped: { text: moon } }]) {
        const [error, ...others] = readErrors(await create(attributes))
        expect(error?.detail).to.include('at least 2 characters')
        expect(others).to.deep.equal([])
      }
      expect(readErrors(await create({ ruled: '' }))[0]?.detail).to.include('not allowed to be empty')
    })

    it('is counted in code points for an id', async () => {
      const path = (id: string) => `/notes/${encodeURIComponent(id)}`
      expect((await create({}, moon.repeat(4))).status).to.equal(201)
      expect((await client.get(path(moon.repeat(4)))).status).to.equal(200)
      expect((await client.delete(path(moon.repeat(4)))).status).to.equal(204)
      expect((await create({}, moon.repeat(5))).status).to.equal(422)
    })
  })

  describe('that the database rejects', () => {
    before(async () => {
      const disabled = withDependents('validation')
      app = await startApp({ resources: withoutNeeds(resources, disabled), disabled, database, onWrite: () => {} })
      client = app.client
    })
    after(() => app.close())

    it('is counted in code points to find its attribute', async () => {
      const [error] = readErrors(await create({ stored: moon.repeat(4), other: 'abcde' }))
      expect(error?.source.pointer).to.equal('/data/attributes/other')
    })
  })
})

const schema = defineEntity({
  name: 'Note',
  tableName: 'notes',
  properties: {
    id: p.string().length(4).primary(),
    ruled: p.text().nullable(),
    stored: p.string().length(4).nullable(),
    other: p.string().length(4).nullable(),
    shaped: p.json().nullable(),
    items: p.json<string[]>().nullable(),
  },
})

class Note extends schema.class {}
schema.setClass(Note)

const notes = defineResource(Note, {
  type: 'notes',
  fields: (f) => [
    f.id().allowClientId(),
    f.string('ruled').nullable().minLength(2).maxLength(4),
    f.string('stored').nullable(),
    f.string('other').nullable(),
    f
      .arrayHash('shaped')
      .nullable()
      .constrain(shape.allOf({ type: 'object', properties: { text: { type: 'string', minLength: 2, maxLength: 4 } } })),
    f
      .arrayList('items')
      .nullable()
      .each((item) => item.maxLength(4)),
  ],
})

const resources: readonly DeclaredResource[] = [
  { file: 'plugins/validation/test/text-length.test.ts', resource: notes },
]

interface SentError {
  readonly detail: string
  readonly source: { readonly pointer: string }
}

/** The errors of a 422 response. */
function readErrors({ status, body, text }: ClientResponse): readonly SentError[] {
  expect(status, text).to.equal(422)
  return body.errors
}
