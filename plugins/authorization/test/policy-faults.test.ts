import { expect } from 'chai'
import { defineResource, type Principal, type ResourceDeclaration } from '#kernel'
import { BootError } from '#kernel/plugin'
import { noContent } from '#plugins/actions/index.ts'
import { buildApp } from '#test/support/app.ts'
import { pluginsWithTokens } from '#test/support/principals.ts'
import { Book } from '#test/template/support/library/entities.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { OpenPolicy } from './open-policy.ts'

// A policy that would deny every request, or show rows that it should not, refuses to boot.

const readsTitle = (_: Principal | null, { title }: Pick<Book, 'title'>) => title === 'Emma'

describe('Boot with a policy that cannot work', () => {
  const faultsOf = async (overrides: Partial<ResourceDeclaration<Book>>): Promise<readonly string[]> => {
    const resource = defineResource(Book, {
      type: 'books',
      fields: ({ id, string }) => [id(), string('title')],
      ...overrides,
    })
    const options = { resources: [{ file: 'books.ts', resource }], database: await libraryDatabase() }
    const app = await buildApp({ ...options, plugins: pluginsWithTokens('ada') }).catch((error: Error) => error)
    if (app instanceof BootError) return app.message.split('\n')
    if (app instanceof Error) throw app
    await app.close()
    return []
  }

  it('fails when needs is a list', async () => {
    class BookPolicy extends OpenPolicy {
      static override readonly needs = ['title'] as never
      override scope = () => true
    }
    expect(await faultsOf({ policy: BookPolicy })).to.deep.equal([
      "books.policy (books.ts): BookPolicy.needs lists columns by method: { view: [], update: ['owner.email'] }.",
    ])
  })

  it('fails when a path of needs leads through something else than a to-one', async () => {
    class BookPolicy extends OpenPolicy {
      static override readonly needs = { ...OpenPolicy.needs, update: ['title.length', 'nothing.id', 'tags.id'] }
    }
    const fault = (path: string, name: string) =>
      `books.policy (books.ts): BookPolicy.needs.update names '${path}', but Book has no to-one relation '${name}' to a single entity.`
    expect(await faultsOf({ policy: BookPolicy })).to.deep.equal([
      fault('title.length', 'title'),
      fault('nothing.id', 'nothing'),
      fault('tags.id', 'tags'),
    ])
  })

  it('fails when an action has no method', async () => {
    class BookPolicy extends OpenPolicy {
      dust = () => true
    }
    const overrides: Partial<ResourceDeclaration<Book>> = {
      policy: BookPolicy,
      actions: ({ action }) => [
        action('dust', { answers: 'noContent', handle: () => noContent() }),
        action('burn', { answers: 'noContent', handle: () => noContent() }),
      ],
    }
    expect(await faultsOf(overrides)).to.deep.equal([
      "books.actions (books.ts): BookPolicy has no method 'burn' for the action 'burn'.",
    ])
  })

  describe('because of view', () => {
    class RowPolicy extends OpenPolicy {
      static override readonly needs = { ...OpenPolicy.needs, view: ['title'] }
      override view = readsTitle
    }
    class BlindPolicy extends OpenPolicy {
      override view = undefined as never
    }
    const operations = ['FetchCollection'] as const

    it('fails when view reads the row and neither scope nor rowsByView is declared', async () => {
      expect(await faultsOf({ policy: RowPolicy })).to.deep.equal([
        "books.policy (books.ts): RowPolicy.view depends on the row: add 'scope' to keep other rows out of every " +
          "statement, 'static needs = { view: [] }' if it reads no row, or 'static rowsByView = true'.",
      ])
    })

    it('fails when the policy has no view, also if no resource can be read at its URL', async () => {
      expect(await faultsOf({ policy: BlindPolicy, operations })).to.have.members([
        "books.policy (books.ts): BlindPolicy has no method 'view', which decides where rows are shown.",
        "books.policy (books.ts): BlindPolicy.needs names 'view', but BlindPolicy has no such method.",
      ])
    })

    it('does not fail when the declaration switches the check off', async () => {
      class UncheckedPolicy extends OpenPolicy {
        static override readonly needs = { update: [], delete: [] }
        override view = undefined as never
      }
      const abilities = { read: false, list: false } as const
      expect(await faultsOf({ policy: UncheckedPolicy, operations, abilities })).to.deep.equal([])
      expect(await faultsOf({ policy: RowPolicy, abilities })).to.deep.equal([])
    })
  })
})
