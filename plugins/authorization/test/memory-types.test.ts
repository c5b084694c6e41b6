import { expect } from 'chai'
import { defineType, type Principal } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import { memoryStore } from '#memory'
import type { TestApp } from '#test/support/app.ts'
import type { Client } from '#test/support/client.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyRow } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

// Types in the memory store have no transaction: a denied write must not have changed anything.

const ada = as('ada')
const owner = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'owners', id })) })

describe('A policy of a type in the memory store', () => {
  let library: TestApp
  let client: Client
  beforeEach(async () => {
    library = await startLibrary({ resources: declare(), plugins: pluginsWithTokens('ada') })
    client = library.client
  })
  afterEach(() => library.close())

  it('returns null linkage for a to-one whose target is outside the scope', async () => {
    for (const path of ['/notes', '/notes/2', '/notes/2?include=owner', '/notes/2/relationships/owner']) {
      const { status, text } = await client.get(path, ada)
      expect(status).to.equal(200)
      expect(text, path).not.to.include('hidden')
    }
    const { body } = await client.patch('/notes/2', note({ text: 'two' }, '2'), ada)
    expect(body.data.relationships.owner.data).to.equal(null)
  })

  it('receives null for a property that the row lacks', async () => {
    expect((await client.get('/notes/2', ada)).body.data.attributes.state).to.equal(null)
    expect((await client.patch('/notes/2', note({ text: 'two' }, '2'), ada)).status).to.equal(200)
    expect((await client.post('/notes', note({ text: 'new' }), ada)).status).to.equal(201)
  })

  it('returns 403 and changes nothing when check denies the row', async () => {
    const before = await client.get('/notes', ada)
    expect((await client.post('/notes', note({ text: 'new', state: 'locked' }), ada)).status).to.equal(403)
    expect((await client.patch('/notes/1', note({ state: 'locked' }, '1'), ada)).status).to.equal(403)
    expect((await client.get('/notes', ada)).body.data).to.deep.equal(before.body.data)
  })

  it('returns 403 and changes nothing when update denies a member that a replacement would remove', async () => {
    const path = '/notes/1/relationships/readers'
    for (const replacement of [owner(), owner('ada')]) {
      expect((await client.patch(path, replacement, ada)).status).to.equal(403)
    }
    expect((await client.get(path, ada)).body.data).to.deep.equal(owner('ada', 'locked').data)
    expect((await client.patch(path, owner('locked'), ada)).status).to.equal(200)
  })
})

class OwnerPolicy extends OpenPolicy {
  static override readonly needs = { view: [], update: ['name'], delete: [] }
  override scope = () => ({ name: { $ne: 'hidden' } })
  override update = (_: Principal | null, { name }: PolicyRow<{ id: string; name: string }>) => name !== 'locked'
}

interface Note {
  readonly id: string
  readonly text: string
  readonly state: string | null
  readonly owner: string
  readonly readers: readonly string[]
}

class NotePolicy extends OpenPolicy {
  static override readonly rowsByView = true
  static override readonly needs = { view: ['state'], update: ['state'], delete: [], check: ['state'] }
  override view = (_: Principal | null, { state }: PolicyRow<Note>) => state !== 'locked'
  override update = (_: Principal | null, { state }: PolicyRow<Note>) => state !== 'locked'
  override check = (_: Principal | null, { state }: PolicyRow<Note>) => state !== 'locked'
}

const operations = ['FetchCollection', 'FetchOne', 'Create', 'Update', 'Delete'] as const

function declare(): readonly DeclaredResource[] {
  const owners = defineType<{ id: string; name: string }>({
    type: 'owners',
    operations,
    fields: ({ id, string }) => [id(), string('name')],
    policy: OwnerPolicy,
    ...memoryStore(['ada', 'hidden', 'locked'].map((name) => ({ id: name, name }))),
  })
  const notes = defineType<Note>({
    type: 'notes',
    operations,
    fields: ({ id, string, belongsTo, belongsToMany }) => [
      id(),
      string('text'),
      string('state').nullable(),
      belongsTo('owner', 'owners'),
      belongsToMany('readers', 'owners').withData(),
    ],
    policy: NotePolicy,
    ...memoryStore([
      { id: '1', text: 'one', state: 'open', owner: 'ada', readers: ['ada', 'locked'] },
      { id: '2', text: 'two', owner: 'hidden', readers: [] },
    ]),
  })
  return [owners, notes].map((resource) => ({ file: 'plugins/authorization/test/memory-types.test.ts', resource }))
}

function note(attributes: object, id?: string): object {
  return { data: { type: 'notes', ...(id && { id }), attributes } }
}
