import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { unlistedPlugins } from '#discovery'
import { defineResource, defineType } from '#kernel'
import type { DeclaredResource, Plugin } from '#kernel/plugin'
import { memoryProvider } from '#memory'
import { open } from '#plugins/authorization/index.ts'
import { buildApp, root, type TestApp, type TestAppOptions } from '#test/support/app.ts'
import { query } from '#test/template/support/idempotency-keys.ts'
import { CardPolicy } from '#test/template/support/library/card-policy.ts'
import { CardMark, type CardOverrides, cardsWith, startCards } from '#test/template/support/library/cards.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { Magazine, Publication } from '#test/template/support/library/publications.ts'

const declared = (...resources: DeclaredResource['resource'][]): DeclaredResource[] =>
  resources.map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))

async function listBootFaults(resources: readonly DeclaredResource[], options: TestAppOptions = {}): Promise<string[]> {
  const outcome = await buildApp({ resources, database: await libraryDatabase(), ...options }).then(
    async ({ close }) => {
      await close()
      return ''
    },
    ({ message }: Error) => message,
  )
  return outcome.split('\n')
}

describe('softDeletes: the application does not start when', () => {
  const faults = (overrides: CardOverrides) => listBootFaults(cardsWith(overrides))
  const fault = (text: string) => [`cards.softDeletes (cards.ts): ${text}`]

  it('the value is neither a boolean nor names a property', async () => {
    const expected = fault("It is true, or { property: 'deletedAt' } with the name of a property.")
    for (const softDeletes of ['deletedAt', null]) {
      expect(await faults({ softDeletes: softDeletes as never })).to.deep.equal(expected)
    }
    for (const softDeletes of [{}, { property: 1 }]) {
      expect(await faults({ softDeletes: softDeletes as never })).to.deep.equal([
        'cards.softDeletes.property (cards.ts): It is the name of a property.',
      ])
    }
  })

  it('the entity has no such property', async () => {
    expect(await faults({ softDeletes: { property: 'goneAt' as never } })).to.deep.equal(
      fault("Card has no property 'goneAt': add goneAt: p.datetime(3).nullable()."),
    )
  })

  it('the property is not a nullable time', async () => {
    for (const property of ['code', 'count', 'handle', 'deck', 'tags'] as const) {
      expect(await faults({ softDeletes: { property } }), property).to.include(
        `cards.softDeletes (cards.ts): '${property}' must be a nullable time: p.datetime(3).nullable().`,
      )
    }
  })

  it('clients could write the property', async () => {
    const writable: CardOverrides = { fields: ({ id, dateTime }) => [id(), dateTime('deletedAt').nullable()] }
    expect(await faults(writable)).to.include(
      fault("Clients could set 'deletedAt', which DELETE sets: declare the attribute with readOnly().")[0],
    )
    const shown: CardOverrides = {
      fields: ({ id, dateTime, string }) => [id(), string('code'), dateTime('deletedAt').readOnly()],
    }
    expect((await faults(shown)).filter((text) => text.includes('softDeletes'))).to.deep.equal([])
  })

  it('the type declares the filter or the action of the plugin itself', async () => {
    const overrides: CardOverrides = {
      filters: ({ whereNull }) => [whereNull('trashed', 'deletedAt')],
      actions: ({ action }) => [action('restore', { answers: 'noContent', handle: () => ({ answer: 'noContent' }) })],
    }
    expect(await faults(overrides)).to.deep.equal([
      "cards.filters (cards.ts): The filter 'trashed' is added by a plugin: choose another key.",
      'cards.actions.restore (cards.ts): The type has another action with this name.',
    ])
  })

  it('the policy lacks the abilities of the actions', async () => {
    class Incomplete extends CardPolicy {
      override restore = undefined as never
      override forceDelete = undefined as never
      static override readonly needs = { view: [], update: [], delete: [] }
    }
    expect(await faults({ policy: Incomplete })).to.deep.equal([
      "cards.actions (cards.ts): Incomplete has no method 'restore' for the action 'restore'.",
      "cards.actions (cards.ts): Incomplete has no method 'forceDelete' for the action 'forceDelete'.",
    ])
  })

  it('the type is not stored in the database', async () => {
    const notes = defineType<{ id: string; deletedAt: Date | null }>({
      type: 'notes',
      serializer: { attributes: { text: () => 'x' } },
      provider: memoryProvider([]),
      operations: ['FetchOne'],
      softDeletes: true,
    })
    expect(await listBootFaults(declared(notes))).to.deep.equal([
      'notes.softDeletes (notes.ts): It needs an entity, read and written by the database: without provider and persister.',
    ])
  })

  it('the persister cannot delete rows for good', async () => {
    const withoutPurge: Plugin = {
      name: 'without-purge',
      onCompile({ types }) {
        for (const type of types.values()) Object.assign(type, { persister: { ...type.persister, purge: undefined } })
      },
    }
    expect(await listBootFaults(cardsWith({}), { plugins: [withoutPurge, ...plugins] })).to.include(
      'cards.softDeletes (cards.ts): It needs an entity, read and written by the database: without provider and persister.',
    )
  })

  it('the rows are members of a many-to-many relation', async () => {
    const marks = defineResource(CardMark, {
      type: 'marks',
      fields: ({ id, integer }) => [id(), integer('place')],
      policy: open,
      softDeletes: { property: 'place' },
    })
    expect(await listBootFaults([...cardsWith({}), ...declared(marks)])).to.include(
      'marks.softDeletes (marks.ts): Its rows are members of a many-to-many relation, which reads them without soft deletes.',
    )
  })

  it('the plugin is disabled or not in the list', async () => {
    const message =
      "cards.softDeletes (cards.ts): needs the plugin 'soft-delete', which is off; without it 'softDeletes' would be ignored."
    expect(await listBootFaults(cardsWith({}), { disabled: ['soft-delete'] })).to.deep.equal([message])
    const others = plugins.filter(({ name }) => name !== 'soft-delete')
    const unlisted = await unlistedPlugins(root, others)
    expect(await listBootFaults(cardsWith({}), { plugins: others, unlisted })).to.deep.equal([message])
    expect(await listBootFaults(cardsWith({ softDeletes: false }), { disabled: ['soft-delete'] })).to.deep.equal([''])
  })
})

describe('softDeletes: types of entities that inherit from each other', () => {
  it('have soft deletes together', async () => {
    const magazines = defineResource(Magazine, {
      type: 'magazines',
      fields: ({ id, string }) => [id(), string('name')],
      softDeletes: { property: 'withdrawnAt' },
    })
    const publications = defineResource(Publication, {
      type: 'publications',
      fields: ({ id, string }) => [id(), string('name')],
    })
    const { client, close } = await startLibrary({ resources: declared(magazines, publications) })
    try {
      await query(`insert into publications (kind, name) values ('magazine', 'Wired'), ('weekly', 'Time')`)
      expect((await client.delete('/publications/1')).status).to.equal(204)
      expect((await client.delete('/magazines/2')).status).to.equal(204)
      expect(await query('select id from publications where withdrawn_at is not null')).to.have.length(2)
      for (const path of ['/publications', '/magazines']) expect((await client.get(path)).body.data).to.deep.equal([])
      expect((await client.get('/magazines?filter[trashed]=only')).body.data).to.have.length(2)
    } finally {
      await close()
      await emptyLibrary()
    }
  })
})

describe('softDeletes: the OpenAPI document', () => {
  let running: TestApp
  after(emptyLibrary)
  afterEach(() => running.close())
  const documentOf = async () => JSON.parse(await (await fetch(`${running.client.url}/docs.json`)).text())
  const trashedAt = (document: ReturnType<typeof JSON.parse>, path: string) =>
    document.paths[path].get.parameters.find(({ name }: { name?: string }) => name === 'filter[trashed]')

  it('has the filter, the meta member, the actions and their errors', async () => {
    running = await startCards()
    const document = await documentOf()
    for (const path of ['/cards', '/cards/{id}', '/decks/{id}/cards']) {
      expect(trashedAt(document, path)?.schema, path).to.deep.equal({ type: 'string', enum: ['with', 'only'] })
    }
    for (const path of ['/decks', '/decks/{id}', '/decks/{id}/relationships/cards']) {
      expect(trashedAt(document, path), path).to.equal(undefined)
    }
    const { meta } = document.components.schemas.CardsResource.properties
    expect(JSON.stringify(meta)).to.include('"trashed"')
    const { restore, forceDelete } = {
      restore: document.paths['/cards/{id}/-actions/restore'].post,
      forceDelete: document.paths['/cards/{id}/-actions/forceDelete'].post,
    }
    expect([restore.operationId, forceDelete.operationId]).to.deep.equal([
      'action.cards.restore',
      'action.cards.forceDelete',
    ])
    expect(Object.keys(restore.responses)).to.include.members(['200', '404', '409'])
    expect(Object.keys(forceDelete.responses)).to.include.members(['204', '404'])
  })

  it('has none of them without softDeletes', async () => {
    running = await startCards({ softDeletes: false })
    expect(JSON.stringify(await documentOf())).not.to.match(/trashed|forceDelete/i)
  })
})
