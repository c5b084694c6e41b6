import type { SqlEntityManager } from '@mikro-orm/sql'
import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { compare } from '#kernel'
import { addSteps, type Context, isData, listMembers, type Plugin } from '#kernel/plugin'
import { observeStatements } from '#store'
import type { TestApp } from '#test/support/app.ts'
import { manualClock } from '#test/support/clock.ts'
import { Book, Shelf } from '#test/template/support/library/entities.ts'
import { emptyLibrary, libraryDatabase, startLibrary } from '#test/template/support/library/index.ts'
import { scopeSteps, typeSteps } from '#test/template/support/type-steps.ts'
import { type InterleavedDatabase, interleavedDatabase } from './interleaved-write.ts'
import { newState, oldState, snapshotResources } from './resources.ts'

const begin = 'begin'

describe('The statements of a read', () => {
  let interleaved: InterleavedDatabase
  let library: TestApp

  const start = async (hooks: Partial<Plugin> = {}, clock = manualClock()) => {
    interleaved = await interleavedDatabase()
    const { database } = interleaved
    const plugin: Plugin = { name: 'hooks', ...hooks }
    library = await startLibrary({ database, clock, resources: snapshotResources, plugins: [...plugins, plugin] })
    return library.client
  }
  beforeEach(async () => {
    for (const sql of oldState) await execute(sql)
  })
  afterEach(async () => {
    await library?.close()
    await emptyLibrary()
  })

  it('are one select without a transaction when one statement is enough', async () => {
    const client = await start()
    expect(await recordCommands(() => client.get('/labels/1'))).to.deep.equal(['select'])
    expect(await recordCommands(() => client.get('/books'))).to.deep.equal(['select'])
    expect(await recordCommands(() => client.get('/shelves/1/books'))).to.deep.equal(['select'])
    expect(await recordCommands(() => client.get('/shelves/1/relationships/books'))).to.deep.equal(['select'])
    expect(await recordCommands(() => client.get('/shelves/9/books'))).to.deep.equal(['select'])
  })

  it('are in one read-only transaction when there are several', async () => {
    const client = await start()
    const commands = await recordCommands(() => client.get('/labels/1?include=shelf'))
    expect(commands.slice(0, 3)).to.deep.equal([begin, 'select', 'select'])
    expect(commands.slice(3).every((command) => command === 'commit' || command === 'select')).to.equal(true)
    expect(commands.filter((command) => command === 'commit')).to.have.length(1)
  })

  for (const path of ['/shelves/1/books', '/shelves/1/relationships/books', '/labels/1/shelf']) {
    it(`returns 500 when a step changes the query of primary data, which belongs to onQuery: GET ${path}`, async () => {
      const client = await start({
        ...typeSteps({
          beforeRelationLoad({ query, primary }) {
            if (primary) query.where.push(compare('id', '=', 2))
          },
        }),
      })
      expect((await client.get(path)).status).to.equal(500)
    })
  }

  it('read a filtered to-one include again when a step adds the filter after the statement of the parent', async () => {
    const client = await start({
      ...typeSteps({
        beforeRelationLoad({ query, included }) {
          if (included) query.where.push(compare('id', '=', 9))
        },
      }),
    })
    const { body } = await client.get('/labels/1?include=shelf')
    expect(body.included).to.deep.equal([])
  })

  it('show the related page that a hook of the query filters', async () => {
    const client = await start({
      onQuery({ target }, query) {
        if (target.relation) query.where.push(compare('id', '=', 2))
      },
    })
    expect(await recordCommands(() => client.get('/shelves/1/books'))).to.deep.equal(['select'])
    const { body } = await client.get('/shelves/1/books')
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['2'])
  })

  it('show no related page whose parent a hook removes', async () => {
    const client = await start({
      ...typeSteps({
        beforeRelationLoad(load) {
          if (load.primary) load.parents = []
        },
      }),
    })
    const { body } = await client.get('/shelves/1/books')
    expect(body.data).to.deep.equal([])
  })

  it('end with a rollback when the read fails', async () => {
    const client = await start()
    const commands = await recordCommands(async () => {
      expect((await client.get('/labels/9/shelf')).status).to.equal(404)
    })
    expect(commands.at(0)).to.equal(begin)
    expect(commands.at(-1)).to.equal('rollback')
  })

  it('begin after the policies and hooks that need no row', async () => {
    const seen: string[] = []
    const stop = observeStatements(({ sql }) => seen.push(firstWord(sql)))
    try {
      const atScope: (readonly string[])[] = []
      const client = await start({
        ...scopeSteps('addressed', async () => {
          atScope.push([...seen])
          return undefined
        }),
      })
      await client.get('/labels/1')
      seen.length = 0
      atScope.length = 0
      await client.get('/labels/1?include=shelf.books')
      expect(atScope).to.deep.equal([[], [], []])
    } finally {
      stop()
    }
  })

  it('start again in a snapshot when a hook sends a second one', async () => {
    const shown: unknown[] = []
    const client = await start({
      plan: addSteps({
        async afterOperation({ context, target }) {
          if (target.type.name === 'labels') shown.push((await findShelf(context)).name)
          return undefined
        },
      }),
    })
    interleaved.arm((await isEmbedded()) ? 2 : 3, newState) // the test sees the refused attempt on a server only
    const { body } = await client.get('/labels/1')
    await interleaved.written()
    expect([body.data.attributes.text, ...shown]).to.deep.equal(['old', 'old'])
  })

  it('start again in a snapshot when a hook catches the error of its second one', async () => {
    const shown: unknown[] = []
    const client = await start({
      plan: addSteps({
        async afterOperation({ context }) {
          shown.push(await findShelf(context).catch(() => null))
          return undefined
        },
      }),
    })
    expect((await client.get('/labels/1')).status).to.equal(200)
    expect(shown.at(-1)).to.include({ name: 'old' })
  })

  it('share the snapshot with a dispatch inside a hook', async () => {
    const shown: unknown[] = []
    const client = await start({
      plan: addSteps({
        async afterOperation({ context, kind }) {
          if (kind !== 'FetchOne') return undefined
          const nested = await context.app.dispatch({
            kind: 'FetchRelated',
            type: 'labels',
            id: '1',
            relation: 'shelf',
          })
          if (isData(nested)) shown.push(listMembers(nested)[0]?.record.name)
          return undefined
        },
      }),
    })
    interleaved.arm(2, newState)
    const { body } = await client.get('/labels/1?include=shelf')
    await interleaved.written()
    expect([body.data.attributes.text, body.included[0].attributes.name, ...shown]).to.deep.equal(['old', 'old', 'old'])
  })

  it('share the snapshot with the EntityManager of the unit', async () => {
    await start()
    interleaved.arm(2, newState)
    const found = await library.app.store.read(async ({ em }) => [
      (await em.findOneOrFail(Shelf, 1)).name,
      (await em.findOneOrFail(Book, 1)).title,
    ])
    await interleaved.written()
    expect(found).to.deep.equal(['old', 'old'])
  })

  it('cannot write with the EntityManager of the unit', async () => {
    await start()
    const writing = library.app.store.read(({ em }) => em.nativeUpdate(Shelf, {}, { name: 'written' }))
    expect(await writing.catch((error) => error.message)).to.match(/read-only transaction/)
    expect(await namesOfShelves()).to.deep.equal(['old'])
  })

  for (const path of ['/labels/1', '/labels/1?include=shelf']) {
    it(`are followed by a later snapshot when a hook of GET ${path} dispatches a write, once`, async () => {
      let writes = 0
      const shown: unknown[] = []
      const client = await start({
        plan: addSteps({
          async afterOperation({ context, target, kind }) {
            if (target.type.name !== 'labels' || kind !== 'FetchOne') return undefined
            writes++
            const attributes = { name: `write ${writes}` }
            await context.app.dispatch({ kind: 'Update', type: 'shelves', id: '1', attributes })
            shown.push((await findShelf(context)).name)
            return undefined
          },
        }),
      })
      expect((await client.get(path)).status).to.equal(200)
      expect(shown).to.deep.equal(['write 1'])
      expect(await namesOfShelves()).to.deep.equal(['write 1'])
    })
  }

  it('release the connection at the deadline of the request', async () => {
    const clock = manualClock()
    let isBlocking = true
    const client = await start(
      {
        plan: addSteps({
          async afterOperation() {
            if (!isBlocking) return undefined
            clock.advance(60_000)
            return new Promise(() => {})
          },
        }),
      },
      clock,
    )
    for (let time = 0; time < 15; time++) {
      expect((await client.get('/labels/1?include=shelf')).status).to.equal(503)
    }
    isBlocking = false
    expect((await client.get('/labels/1?include=shelf')).status).to.equal(200)
  })

  it('release the connection when a hook throws', async () => {
    let isFailing = true
    const client = await start({
      plan: addSteps({
        async afterOperation() {
          if (isFailing) throw new Error('The hook fails.')
          return undefined
        },
      }),
    })
    for (let time = 0; time < 15; time++) {
      expect((await client.get('/labels/1?include=shelf')).status).to.equal(500)
    }
    isFailing = false
    expect((await client.get('/labels/1?include=shelf')).status).to.equal(200)
  })
})

async function findShelf({ unit }: Context): Promise<Shelf> {
  return (unit.em as SqlEntityManager).findOneOrFail(Shelf, 1)
}

async function namesOfShelves(): Promise<string[]> {
  const rows = (await execute('select name from shelves')) as { name: string }[]
  return rows.map(({ name }) => name)
}

async function isEmbedded(): Promise<boolean> {
  return (await libraryDatabase()).kind === 'embedded'
}

async function execute(sql: string): Promise<unknown> {
  return (await libraryDatabase()).orm.em.getConnection().execute(sql)
}

/** Returns the first words of the statements that are sent during the work. */
async function recordCommands(work: () => Promise<unknown>): Promise<string[]> {
  const commands: string[] = []
  const stop = observeStatements(({ sql }) => commands.push(firstWord(sql)))
  try {
    await work()
  } finally {
    stop()
  }
  return commands
}

function firstWord(sql: string): string {
  return sql.split(' ', 1)[0] as string
}
