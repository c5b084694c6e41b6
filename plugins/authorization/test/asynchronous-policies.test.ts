import { expect } from 'chai'
import { defineResource } from '#kernel'
import { BootError, type DeclaredResource } from '#kernel/plugin'
import { buildApp, type TestApp } from '#test/support/app.ts'
import { as, pluginsWithTokens } from '#test/support/principals.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import type { PolicyClass } from '../index.ts'
import { OpenPolicy } from './open-policy.ts'

const ada = as('ada')
const plugins = pluginsWithTokens('ada')

/** Results of a policy method and the status of a request that they decide. */
const results: readonly (readonly [value: unknown, status: number])[] = [
  [true, 200],
  [false, 403],
  [undefined, 403],
  ['yes', 403],
  [1, 403],
]

describe('A policy method that returns a promise', () => {
  let library: TestApp
  const statusOf = async (policy: PolicyClass<Book>) => {
    library = await startLibrary({ resources: declare(policy), plugins })
    return (await library.client.get('/books/1', ada)).status
  }
  before(fillLibrary)
  afterEach(() => library.close())
  after(emptyLibrary)

  for (const [value, status] of results) {
    it(`returns ${status} when the promise of view resolves to ${JSON.stringify(value) ?? 'undefined'}`, async () => {
      class AsynchronousPolicy extends OpenPolicy {
        override view = async () => value as boolean
      }
      expect(await statusOf(AsynchronousPolicy)).to.equal(status)
    })
  }

  for (const [value, status] of results.filter(([result]) => result !== undefined)) {
    it(`returns ${status} when the promise of before resolves to ${JSON.stringify(value)}, whatever view returns`, async () => {
      class AsynchronousPolicy extends OpenPolicy {
        override before = async () => value as boolean
        override view = () => value !== true
      }
      expect(await statusOf(AsynchronousPolicy)).to.equal(status)
    })
  }

  for (const [isAllowed, status] of [
    [true, 200],
    [false, 403],
  ] as const) {
    it(`returns ${status} when the promise of before resolves to undefined and view returns ${isAllowed}`, async () => {
      class AsynchronousPolicy extends OpenPolicy {
        override before = async () => undefined
        override view = () => isAllowed
      }
      expect(await statusOf(AsynchronousPolicy)).to.equal(status)
    })
  }
})

describe('A scope that returns a promise', () => {
  before(fillLibrary)
  after(emptyLibrary)

  for (const [value, titles] of [
    [true, ['Emma']],
    [{ title: 'Emma' }, ['Emma']],
    [{ title: 'Ulysses' }, []],
    [undefined, []],
    [{}, []],
  ] as const) {
    it(`shows ${titles.length} rows when the promise resolves to ${JSON.stringify(value) ?? 'undefined'}`, async () => {
      class AsynchronousPolicy extends OpenPolicy {
        override scope = async () => value as boolean
      }
      const library = await startLibrary({ resources: declare(AsynchronousPolicy), plugins })
      const { body } = await library.client.get('/books', ada)
      await library.close()
      expect(body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title)).to.deep.equal(
        titles,
      )
    })
  }
})

describe('A decision of a policy', () => {
  let library: TestApp | null = null
  const start = async (policy: PolicyClass<Book>) => {
    library = await startLibrary({ resources: declare(policy), plugins })
    return library
  }
  before(fillLibrary)
  afterEach(async () => {
    await library?.close()
    library = null
  })
  after(emptyLibrary)

  describe('keeps the response out of shared caches', () => {
    const varyOf = async (policy: PolicyClass<Book>, abilities: object) => {
      const [{ file, resource }] = declare(policy) as [DeclaredResource]
      const declaration = { ...resource.declaration, abilities }
      // No plugin that reads `Authorization`.
      const others = plugins.filter(({ name }) => !/^(bearer-auth|api-keys|rate-limit|idempotency)$/.test(name))
      library = await startLibrary({ resources: [{ file, resource: { ...resource, declaration } }], plugins: others })
      return (await library.client.get('/books')).headers.get('vary') ?? ''
    }
    class ScopePolicy extends OpenPolicy {
      override scope = () => true
    }
    const unchecked = { list: false, read: false }

    it('when a method decides', async () => {
      expect(await varyOf(OpenPolicy, {})).to.match(/\bAuthorization\b/i)
    })

    it('when only the scope decides', async () => {
      expect(await varyOf(ScopePolicy, unchecked)).to.match(/\bAuthorization\b/i)
    })

    it('unless no policy decides', async () => {
      expect(await varyOf(OpenPolicy, unchecked)).not.to.match(/\bAuthorization\b/i)
    })
  })

  it('is skipped for app.dispatch without a principal', async () => {
    class ClosedPolicy extends OpenPolicy {
      override viewAny = () => false
      override view = () => false
    }
    const { app } = await start(ClosedPolicy)
    const response = await app.dispatch({ kind: 'FetchOne', type: 'books', id: '1' })
    expect(response.kind).to.equal('data')
    const collection = await app.dispatch({ kind: 'FetchCollection', type: 'books' })
    expect(collection.kind === 'data' && collection.data).to.have.length(1)
  })

  it('is refused at boot when the property of the ability is not a function', async () => {
    class WrongPolicy extends OpenPolicy {
      override update = true as never
    }
    const failure = await buildApp({
      resources: declare(WrongPolicy),
      plugins,
      database: await libraryDatabase(),
    }).catch((error) => error)
    expect(failure).to.be.instanceOf(BootError)
    expect(failure.message).to.include("WrongPolicy has no method 'update' for Update")
  })
})

function declare(policy: PolicyClass<Book>): readonly DeclaredResource[] {
  const resource = defineResource(Book, { type: 'books', fields: ({ id, string }) => [id(), string('title')], policy })
  return [{ file: 'plugins/authorization/test/asynchronous-policies.test.ts', resource }]
}

async function fillLibrary(): Promise<void> {
  await emptyLibrary()
  const connection = (await libraryDatabase()).orm.em.getConnection()
  await connection.execute("insert into books (title) values ('Emma')")
}
