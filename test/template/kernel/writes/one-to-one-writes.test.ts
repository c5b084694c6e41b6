import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { addSteps, type Plugin } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { add, addAs, relate, remove, sendBatch } from '#test/support/batch.ts'
import { fillLibrary } from '#test/template/specification/library-rows.ts'
import { Shelf } from '#test/template/support/library/entities.ts'
import { libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { libraryResources } from '#test/template/support/library/resources.ts'

// Shelf 1 has label 1. MikroORM takes the target of a one-to-one from the entity that holds it, if both entities are in
// its identity map; no request may change a row that it does not name.

describe('Writes of a one-to-one relationship', () => {
  let library: TestApp

  before(async () => {
    library = await startLibrary()
  })
  beforeEach(async () => {
    await fillLibrary()
    await execute(`insert into labels (id, text) values (2, 'P')`)
  })
  after(() => library.close())

  const execute = async (sql: string) => (await libraryDatabase()).orm.em.fork().execute(sql)
  /** The texts of all labels, each with the id of its shelf. */
  const labels = async () =>
    (await execute('select text, shelf_id from labels order by id')).map((row) => `${row.text} ${row.shelf_id}`)
  const shelf = { type: 'shelves', id: '1' }
  const label = (id: string) => ({ type: 'labels', id })
  const created = { type: 'labels', lid: 'new' }
  const attachNew = [
    addAs('new', 'labels', { text: 'N' }),
    relate('update', { ...shelf, relationship: 'label' }, created),
  ]
  const takeShelf = {
    'a create': () => add('labels', { text: 'x' }, { shelf }),
    'an update': () => ({ op: 'update', data: { ...label('2'), relationships: { shelf: { data: shelf } } } }),
    'a relationship update': () => relate('update', { ...label('2'), relationship: 'shelf' }, shelf),
  }

  for (const [name, take] of Object.entries(takeShelf)) {
    it(`return 409 for ${name} in a batch that names the target of a row which an earlier operation has changed`, async () => {
      const { status, body } = await sendBatch(library.client, [...attachNew, take()])
      expect(status).to.equal(409)
      expect(body.errors[0]).to.include({ code: 'CONFLICT' })
      const member = name === 'a relationship update' ? '' : '/relationships/shelf/data'
      expect(body.errors[0].source.pointer).to.equal(`/atomic:operations/2/data${member}`)
      expect(await labels()).to.deep.equal(['F 1', 'P null'])
    })

    for (const [reason, free] of [
      ['freed', relate('update', { ...shelf, relationship: 'label' }, null)],
      ['freed by the removal of its row', remove(created)],
    ] as const) {
      it(`perform ${name} in a batch that names a target which an earlier operation has ${reason}`, async () => {
        expect((await sendBatch(library.client, [...attachNew, free, take()])).status).to.be.oneOf([200, 204])
        const holders = (await labels()).filter((text) => text.endsWith(' 1'))
        expect(holders).to.deep.equal([name === 'a create' ? 'x 1' : 'P 1'])
      })
    }
  }

  it('perform a create in a batch that names a target which another row has left for a new target', async () => {
    const loadShelf = relate('update', { ...shelf, relationship: 'books' }, [{ type: 'books', id: '1' }])
    const leave = relate('update', { ...label('1'), relationship: 'shelf' }, { type: 'shelves', id: '2' })
    const { status } = await sendBatch(library.client, [loadShelf, leave, takeShelf['a create']()])
    expect(status).to.equal(200)
    expect(await labels()).to.deep.equal(['F 2', 'P null', 'x 1'])
  })

  it('return 409 in a batch for the has-one side if a row that an earlier operation has soft-deleted still holds the target', async () => {
    const resources = libraryResources.map(({ file, resource }) => {
      const softDeletes = resource.declaration.type === 'labels' && { property: 'removedAt' }
      return { file, resource: { ...resource, declaration: { ...resource.declaration, softDeletes } } }
    })
    const soft = await startLibrary({ resources })
    try {
      const attachOther = relate('update', { ...shelf, relationship: 'label' }, label('2'))
      const { status } = await sendBatch(soft.client, [...attachNew, remove(created), attachOther])
      expect(status).to.equal(409)
      expect(await labels()).to.deep.equal(['F 1', 'P null'])
    } finally {
      await soft.close()
    }
  })

  it('return 409 if a hook has loaded the row that holds the target', async () => {
    const loading: Plugin = {
      name: 'loading',
      plan: addSteps({
        async check({ context: { unit } }) {
          await unit.em.find(Shelf, {}, { populate: ['label'] })
          return undefined
        },
        beforeSave: () => undefined,
      }),
    }
    const hooked = await startLibrary({ plugins: [...plugins, loading] })
    try {
      const [attributes, relationships] = [{ text: 'x' }, { shelf: { data: shelf } }]
      const created = await hooked.client.post('/labels', { data: { type: 'labels', attributes, relationships } })
      const updated = await hooked.client.patch('/labels/2', { data: { ...label('2'), relationships } })
      const related = await hooked.client.patch('/labels/2/relationships/shelf', relationships.shelf)
      expect([created.status, updated.status, related.status]).to.deep.equal([409, 409, 409])
      expect(await labels()).to.deep.equal(['F 1', 'P null'])
    } finally {
      await hooked.close()
    }
  })
})
