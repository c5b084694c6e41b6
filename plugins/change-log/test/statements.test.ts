import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { defineResource } from '#kernel'
import type { OperationKind } from '#kernel/plugin'
import { data } from '#plugins/actions/index.ts'
import { open } from '#plugins/authorization/index.ts'
import { type Database, observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { add, relate, remove, sendBatch, update } from '#test/support/batch.ts'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { Card, Deck } from '#test/template/support/library/cards.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import {
  openRecordedLibrary,
  recordedBooks,
  recordedTags,
  startRecordedLibrary,
} from '#test/template/support/recorded-library.ts'
import { changeLog } from '../index.ts'

// Decks and their cards are not recorded, and not related to a type that is.

const shelves = defineResource(Shelf, {
  type: 'shelves',
  changes: true,
  history: true,
  policy: open,
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
  actions: ({ action }) => [
    action('rename', {
      answers: 'data',
      handle({ subject }) {
        Object.assign(subject as Shelf, { name: `name ${Math.random()}` })
        return data(subject as Shelf)
      },
    }),
  ],
})
const unrecordedShelves = defineResource(Shelf, {
  type: 'shelves',
  policy: open,
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('books', 'books')],
})
const decks = defineResource(Deck, {
  type: 'decks',
  policy: open,
  actions: ({ action }) => [
    action('rename', {
      answers: 'data',
      handle({ subject }) {
        Object.assign(subject as Deck, { name: `name ${Math.random()}` })
        return data(subject as Deck)
      },
    }),
  ],
  fields: ({ id, string, hasMany }) => [id(), string('name').required(), hasMany('cards', 'cards')],
})
const cards = defineResource(Card, {
  type: 'cards',
  policy: open,
  softDeletes: true,
  fields: ({ id, string, belongsTo }) => [id(), string('code').required(), belongsTo('deck', 'decks')],
})
const resources = [shelves, recordedBooks, recordedTags, decks, cards].map((resource) => {
  return { file: 'statements.test.ts', resource }
})

/** The type of a parent, of its members, and the relation from a member to its parent. */
interface Family {
  readonly parents: string
  readonly named: string
  readonly members: string
  readonly titled: string
  readonly parent: string
}

const recorded: Family = { parents: 'shelves', named: 'name', members: 'books', titled: 'title', parent: 'shelf' }
const unrecorded: Family = { parents: 'decks', named: 'name', members: 'cards', titled: 'code', parent: 'deck' }

type Write = (client: Client, ids: readonly [parent: string, member: string]) => Promise<ClientResponse>

/** Writes of a family, on a parent and a member that were created for it. */
function writesOf({ parents, named, members, titled, parent }: Family): Readonly<Record<string, Write>> {
  const text = () => `text ${Math.random()}`
  const member = (id: string) => ({ type: members, id })
  const linkage = ([parentId, memberId]: readonly [string, string]) => ({
    path: `/${parents}/${parentId}/relationships/${members}`,
    data: [member(memberId)],
  })
  return {
    create: (client) => client.post(`/${parents}`, { data: { type: parents, attributes: { [named]: text() } } }),
    'create with a relationship': (client, [parentId]) => {
      const relationships = { [parent]: { data: { type: parents, id: parentId } } }
      return client.post(`/${members}`, { data: { type: members, attributes: { [titled]: text() }, relationships } })
    },
    update: (client, [id]) =>
      client.patch(`/${parents}/${id}`, { data: { type: parents, id, attributes: { [named]: text() } } }),
    'update with a relationship': (client, [parentId, id]) => {
      const relationships = { [parent]: { data: { type: parents, id: parentId } } }
      return client.patch(`/${members}/${id}`, { data: { ...member(id), relationships } })
    },
    delete: (client, [id]) => client.delete(`/${parents}/${id}`),
    'soft delete': (client, [, id]) => client.delete(`/${members}/${id}`),
    restore: (client, [, id]) => client.post(`/${members}/${id}/-actions/restore`, undefined),
    'deletion for good': (client, [, id]) => client.post(`/${members}/${id}/-actions/forceDelete`, undefined),
    'action that saves through the unit': (client, [id]) => client.post(`/${parents}/${id}/-actions/rename`, undefined),
    'PATCH of a to-one relationship': (client, [parentId, id]) =>
      client.patch(`/${members}/${id}/relationships/${parent}`, { data: { type: parents, id: parentId } }),
    'POST to a to-many relationship': (client, ids) => client.post(linkage(ids).path, { data: linkage(ids).data }),
    'PATCH of a to-many relationship': (client, ids) => client.patch(linkage(ids).path, { data: linkage(ids).data }),
    'DELETE from a to-many relationship': (client, ids) =>
      client.delete(linkage(ids).path, { data: linkage(ids).data }),
    'batch of creates': (client) =>
      sendBatch(
        client,
        [1, 2, 3].map(() => add(parents, { [named]: text() })),
      ),
    batch: (client, [parentId, memberId]) =>
      sendBatch(client, [
        add(parents, { [named]: text() }),
        update({ type: parents, id: parentId }, { [named]: text() }),
        relate('add', { type: parents, id: parentId, relationship: members }, [member(memberId)]),
        remove(member(memberId)),
      ]),
  }
}

/** The statements as the server sees them, with those of transactions, without values. */
async function allStatementsOf(work: () => Promise<void>): Promise<string[]> {
  const statements: string[] = []
  const stop = observeStatements(({ sql }) => statements.push(sql.replaceAll(/\d+(?:\.\d+)?/g, '?')))
  await work().finally(stop)
  return statements
}

const isOfTransaction = (sql: string) => /^(begin|commit)/i.test(sql)
const isIdentification = (sql: string) => sql.startsWith(`select set_config('change_log.principal'`)

/** Writes of shelves, of which only the books are recorded, without and with a change of books. */
const writesOfShelves: Readonly<Record<string, [expected: 'none' | 'one', Write]>> = {
  create: ['none', writesOf(recorded).create as Write],
  update: ['none', writesOf(recorded).update as Write],
  delete: ['one', writesOf(recorded).delete as Write],
  'PATCH of a to-many relationship': ['one', writesOf(recorded)['PATCH of a to-many relationship'] as Write],
  'create with a to-many relationship': [
    'one',
    (client, [, id]) => {
      const relationships = { books: { data: [{ type: 'books', id }] } }
      return client.post('/shelves', { data: { type: 'shelves', attributes: { name: 'x' }, relationships } })
    },
  ],
  'batch of creates': ['none', writesOf(recorded)['batch of creates'] as Write],
}

describe('Statements of writes with the change log', () => {
  let database: Database
  let started: TestApp
  let without: TestApp
  before(async () => {
    database = await openRecordedLibrary()
    started = await startRecordedLibrary(database, { resources })
    const { name, keys } = changeLog()
    without = await startRecordedLibrary(database, {
      resources,
      plugins,
      unlisted: [{ name, keys: keys ?? {}, modifiers: {} }],
    })
  })
  after(async () => {
    await started?.close()
    await without?.close()
    await database?.close()
  })

  /** The statements of a write whose plan is known, without its values. */
  async function send(title: string, write: Write, { client }: TestApp, { parents, named, members, titled }: Family) {
    const isOfTrash = ['restore', 'deletion for good'].includes(title)
    for (let attempt = 1; ; attempt++) {
      const parent = await client.post(`/${parents}`, { data: { type: parents, attributes: { [named]: 'x' } } })
      const member = await client.post(`/${members}`, {
        data: { type: members, attributes: { [titled]: `${Math.random()}` } },
      })
      const ids = [parent.body.data.id, member.body.data.id] as const
      if (isOfTrash) expect((await client.delete(`/${members}/${ids[1]}`)).status).to.equal(204)
      const statements = await allStatementsOf(async () => {
        const { status, text } = await write(client, ids)
        expect(status, text).to.be.within(200, 204)
      })
      if (attempt === 3) return statements
    }
  }

  for (const [title, write] of Object.entries(writesOf(recorded)))
    it(`are one more in a transaction for a recorded type: ${title}`, async () => {
      const [sent, before] = [await send(title, write, started, recorded), await send(title, write, without, recorded)]
      expect(sent.filter(isIdentification)).to.have.length(1)
      const others = sent.filter((sql) => !isIdentification(sql))
      if (before.some(isOfTransaction)) expect(others).to.deep.equal(before)
      else expect(others).to.deep.equal(['begin', ...before, 'commit'])
    })

  for (const [title, write] of Object.entries(writesOf(unrecorded)))
    it(`are the same for another type: ${title}`, async () => {
      const [sent, before] = [
        await send(title, write, started, unrecorded),
        await send(title, write, without, unrecorded),
      ]
      expect(sent).to.deep.equal(before).and.not.to.deep.equal([])
    })

  for (const [title, [expected, write]] of Object.entries(writesOfShelves))
    it(`have ${expected} more for a type whose relationship is recorded: ${title}`, async () => {
      const declared = [unrecordedShelves, recordedBooks, recordedTags].map((resource) => {
        return { file: 'statements.test.ts', resource }
      })
      const related = await startRecordedLibrary(database, { resources: declared })
      const sent = await send(title, write, related, recorded)
      if (expected === 'one') expect(sent.filter(isIdentification)).to.have.length(1)
      else expect(sent).to.deep.equal(await send(title, write, without, recorded))
      await related.close()
    })

  const kinds: readonly OperationKind[] = [
    'Create',
    'Update',
    'Delete',
    'UpdateRelationship',
    'AddToRelationship',
    'RemoveFromRelationship',
    'FetchCollection',
    'FetchOne',
  ]
  /** The plugins of each stage of the plan of an endpoint. */
  function planOf({ app }: TestApp, kind: OperationKind, { parents, members }: Family) {
    const type = app.registry.types.get(parents)
    const relation = kind.endsWith('Relationship') ? type?.relations.find(({ name }) => name === members) : undefined
    const [server] = app.servers
    if (!type || !server) throw new Error('The type is missing.')
    const target = { type, ...(relation && { relation }) } as never
    return app.plans.ofEndpoint(app, { server, kind, target, profiles: null }).plugins
  }

  for (const kind of kinds)
    it(`leave the plan of ${kind} of another type unchanged`, () => {
      expect(planOf(started, kind, unrecorded)).to.deep.equal(planOf(without, kind, unrecorded))
    })

  it('are in the plans of writes of a recorded type, and not in those of reads', () => {
    const changed = kinds.filter((kind) => JSON.stringify(planOf(started, kind, recorded)).includes('change-log'))
    expect(changed).to.deep.equal(kinds.slice(0, 6))
  })
})
