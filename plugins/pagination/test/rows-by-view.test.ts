import { expect } from 'chai'
import { defineResource, type Principal } from '#kernel'
import { BootError, type DeclaredResource, type ServerOptions } from '#kernel/plugin'
import type { Paginator } from '#kernel/queries'
import type { PolicyRow } from '#plugins/authorization/index.ts'
import { defaultServers } from '#test/support/app.ts'
import { Box } from '#test/template/support/library/boxes.ts'
import { Book, Label } from '#test/template/support/library/entities.ts'
import { startLibrary } from '#test/template/support/library/index.ts'
import { OpenPolicy } from '../../authorization/test/open-policy.ts'
import { menu, offset, page } from '../index.ts'

// A polymorphic relation has the paginator of the server, not that of a related type.

const counting = page({ withCount: true })
const fault = 'boxes.contents (boxes.ts): The policy sets rowsByView: page by number or offset, without counting.'

describe('Pagination of a polymorphic to-many whose members a view denies', () => {
  const faultOf = async (servers: Readonly<Record<string, ServerOptions>>, declared: Declared = {}) => {
    try {
      const library = await startLibrary({ resources: declare(declared), servers })
      await library.close()
      return null
    } catch (error) {
      expect(error).to.be.instanceOf(BootError)
      return (error as BootError).message
    }
  }

  it('fails the boot when the paginator of the server counts', async () => {
    for (const paginator of [counting, menu(page(), offset({ withCount: true }))]) {
      expect(await faultOf({ ...defaultServers, default: { paginator } })).to.equal(fault)
    }
  })

  it('fails the boot when the paginator of another server with the type counts', async () => {
    const servers = { ...defaultServers, admin: { prefix: '/admin', paginator: counting } }
    expect(await faultOf(servers, { server: ['default', 'admin'] })).to.equal(fault)
    expect(await faultOf(servers, { server: ['default'] })).to.equal(null)
  })

  it('fails the boot when its own paginator counts', async () => {
    expect(await faultOf(defaultServers, { paginator: counting })).to.equal(fault)
  })

  it('boots when its own paginator counts nothing', async () => {
    expect(await faultOf({ ...defaultServers, default: { paginator: counting } }, { paginator: page() })).to.equal(null)
  })
})

class NotEmma extends OpenPolicy {
  static override readonly needs = { ...OpenPolicy.needs, view: ['title'] }
  static override readonly rowsByView = true
  override view(_: Principal | null, { title }: PolicyRow<Book>) {
    return title !== 'Emma'
  }
}

interface Declared {
  readonly paginator?: Paginator
  readonly server?: readonly string[]
}

function declare({ paginator, server = ['default'] }: Declared): readonly DeclaredResource[] {
  const boxes = defineResource(Box, {
    type: 'boxes',
    server,
    fields: ({ id, string, morphToMany }) => {
      const contents = morphToMany('contents', ['books', 'labels']).throughProperty('thing')
      return [id(), string('name'), paginator ? contents.paginate(paginator) : contents]
    },
  })
  const books = defineResource(Book, {
    type: 'books',
    server: ['default', 'admin'],
    policy: NotEmma,
    pagination: () => page(),
    fields: ({ id, string }) => [id(), string('title')],
  })
  const labels = defineResource(Label, {
    type: 'labels',
    server: ['default', 'admin'],
    fields: ({ id, string }) => [id(), string('text')],
  })
  return [boxes, books, labels].map((resource) => ({ file: `${resource.declaration.type}.ts`, resource }))
}
