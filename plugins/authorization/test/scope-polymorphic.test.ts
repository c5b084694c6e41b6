import { expect } from 'chai'
import { defineResource } from '#kernel'
import type { DeclaredResource } from '#kernel/plugin'
import type { TestApp } from '#test/support/app.ts'
import { readIds } from '#test/template/specification/support.ts'
import { Box, BoxItem } from '#test/template/support/library/boxes.ts'
import { Book, Label } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from './open-policy.ts'

// Items 1 to 4: the books 1 (Ulysses) and 2 (Emma), the labels 1 (Sale) and 2 (New). Book 2 and label 2 are on the shelf.

const filters: readonly (readonly [filter: object, ids: readonly string[]])[] = [
  [{ thing: { title: 'Emma' } }, ['2']],
  [{ thing: { text: 'Sale' } }, ['3']],
  [{ thing: { id: 1 } }, ['1', '3']],
  [{ thing: { shelf: { name: 'Fiction' } } }, ['2', '4']],
  [{ thing: { shelf: { name: 'Fiction' }, title: { $like: 'E%' } } }, ['2']],
  [{ thing: { $or: [{ id: 2 }, { id: 1 }] }, position: { $gt: 2 } }, ['3', '4']],
  [{ $or: [{ thing: { title: 'Emma' } }, { thing: { text: 'Sale' } }] }, ['2', '3']],
  [{ $not: { thing: { title: 'Emma' } } }, ['1', '3', '4']],
  [{ box: { contents: { thing: { title: 'Emma' } } } }, ['1', '2']],
  [{ box: { contents: { $none: { thing: { title: 'Emma' } } } } }, ['3', '4']],
]

describe('A scope through a polymorphic relation', () => {
  let library: TestApp
  let scope: object
  let failure: string | undefined
  before(async () => {
    await fillLibrary()
    library = await startLibrary({
      resources: declare(
        class ItemPolicy extends OpenPolicy {
          override scope = () => scope
        },
      ),
      logger: {
        error: ({ err }: { err?: Error }) => {
          failure = err?.message
        },
        warn: () => {},
        info: () => {},
      },
    })
  })
  after(async () => {
    await library.close()
    await emptyLibrary()
  })

  for (const [filter, ids] of filters) {
    it(`makes the items ${ids.join(', ')} visible: ${JSON.stringify(filter)}`, async () => {
      scope = filter
      const { status, body, text } = await library.client.get('/box-items?sort=position')
      expect(status, text).to.equal(200)
      expect(readIds(body.data)).to.deep.equal(ids)
    })
  }

  it('returns 401 to an anonymous writer when a write moves the row out of it', async () => {
    scope = { thing: { title: 'Emma' } }
    const relationships = { thing: { data: { type: 'labels', id: '1' } } }
    const data = { type: 'box-items', id: '2', relationships }
    const { status } = await library.client.send('PATCH', '/box-items/2', { body: { data } })
    expect(status).to.equal(401)
    expect(readIds((await library.client.get('/box-items')).body.data)).to.deep.equal(['2'])
  })

  it('is a 500 when no target has the property, and the log names the policy and the relation', async () => {
    scope = { thing: { nme: 'Emma' } }
    expect((await library.client.get('/box-items')).status).to.equal(500)
    expect(failure).to.equal(
      "ItemPolicy.scope returned a filter that cannot be compiled. No target of 'thing' (Book, Label) has the properties nme.",
    )
  })
})

function declare(policy: typeof OpenPolicy): readonly DeclaredResource[] {
  const resources = [
    defineResource(BoxItem, {
      type: 'box-items',
      fields: ({ id, integer, morphTo }) => [
        id(),
        integer('position').sortable(),
        morphTo('thing', ['books', 'labels']),
      ],
      policy,
    }),
    defineResource(Book, { type: 'books', fields: ({ id, string }) => [id(), string('title')] }),
    defineResource(Label, { type: 'labels', fields: ({ id, string }) => [id(), string('text')] }),
  ]
  return resources.map((resource) => ({ file: 'plugins/authorization/test/scope-polymorphic.test.ts', resource }))
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const { orm } = await libraryDatabase()
  const em = orm.em.fork()
  await em.execute("insert into shelves (name) values ('Fiction')")
  await em.execute("insert into books (title, shelf_id) values ('Ulysses', null), ('Emma', 1)")
  await em.execute("insert into labels (text, shelf_id) values ('Sale', null), ('New', 1)")
  const [first, second] = [em.create(Box, { name: 'first' }), em.create(Box, { name: 'second' })]
  const things = [
    [first, em.getReference(Book, 1)],
    [first, em.getReference(Book, 2)],
    [second, em.getReference(Label, 1)],
    [second, em.getReference(Label, 2)],
  ] as const
  for (const [index, [box, thing]] of things.entries()) {
    em.persist(em.create(BoxItem, { box, thing, position: index + 1 } as never))
    await em.flush()
  }
}
