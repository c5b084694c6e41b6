import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import type { TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from '../../authorization/test/open-policy.ts'
import { data } from '../index.ts'

class Hidden extends OpenPolicy {
  override view(principal: Principal | null) {
    return principal?.identifier === 'bob'
  }
}

class OutOfScope extends OpenPolicy {
  static override readonly writesOutsideScope = true
  override scope() {
    return { name: 'Public' }
  }
}

class HiddenRow extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, view: ['name'] }
  static override readonly rowsByView = true
  override view(_principal: Principal | null, row?: object) {
    return (row as Shelf | undefined)?.name === 'Public'
  }
}

class Books extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, find: [] }
  find = () => true
}

describe('A resource that an action returns, but the requester may not view', () => {
  let library: TestApp
  before(async () => {
    await emptyLibrary()
    const { orm } = await libraryDatabase()
    await orm.em.getConnection().execute("insert into shelves (id, name) values (101, 'Public'), (102, 'Private')")
    await orm.em.getConnection().execute("insert into books (id, title) values (101, 'Emma')")
  })
  afterEach(() => library.close())
  after(emptyLibrary)

  const policies: Readonly<Record<string, typeof OpenPolicy>> = {
    'view denies the type': Hidden,
    'the scope excludes the row': OutOfScope,
    'view denies the row': HiddenRow,
  }
  for (const [reason, policy] of Object.entries(policies)) {
    for (const method of ['GET', 'POST'] as const) {
      it(`is a 404 for ${method}, if ${reason}`, async () => {
        const shelves = defineResource(Shelf, {
          type: 'shelves',
          policy,
          fields: ({ id, string }) => [id(), string('name')],
        })
        const books = defineResource(Book, {
          type: 'books',
          policy: Books,
          fields: ({ id, string }) => [id(), string('title')],
          actions: ({ action }) => [
            action('find', {
              method,
              answers: { data: 'shelves' },
              handle: async ({ unit }) => data(await unit.em.findOneOrFail(Shelf, 102)),
            }),
          ],
        })
        const resources = [books, shelves].map((resource) => ({ file: 'test', resource }))
        library = await startLibrary({ resources, plugins: pluginsWithTokens('ada', 'bob') })
        const response = await library.client.send(method, '/books/101/-actions/find', { headers: as('ada') })
        expect([response.status, response.text.includes('Private')]).to.deep.equal([404, false])
      })
    }
  }
})
