import { Migration } from '@mikro-orm/migrations'
import { expect } from 'chai'
import type { RowCheck } from '#app/kernel/contract/stages.ts'
import { plugins } from '#app/plugins.ts'
import { discover, loadMigrations } from '#discovery'
import { defineResource } from '#kernel'
import { addSteps, type Operation, type Plugin, type TypePlanBuilder, type TypeStages } from '#kernel/plugin'
import type { Store } from '#kernel/store'
import { Artist } from '#resources/artists/entity.ts'
import { migrate, pendingMigrations } from '#store'
import { root, startApp, type TestApp } from '#test/support/app.ts'
import { add, atomicHeaders } from '#test/support/batch.ts'
import { openTestDatabase, projectSchema, resetTestDatabase } from '#test/support/database.ts'
import { configFrom } from '#test/template/support/config-from.ts'
import { readHookTable } from '#test/template/support/hook-table.ts'
import { type PluginMember, readPluginMembers } from '../../../../scripts/support/plugin-members.ts'
import { findChanges } from '../../../../scripts/support/schema-changes.ts'

const stages = memberNames(readPluginMembers('Stages'))
const requestHooks = readHookTable()
  .map(({ hook }) => hook)
  .filter((hook) => [...memberNames(readPluginMembers('RequestHooks')), ...stages].includes(hook))
const typeStages = memberNames(readPluginMembers('TypeStages'))
const bootHooks = memberNames(readPluginMembers('BootHooks'))
const writing = ['check', 'validate', 'beforeSave']

describe('The hooks of a plugin', () => {
  const { probe, takeCalls, observeUnits, unitsOf } = createProbe()
  let running: TestApp
  const admin = { authorization: 'Bearer admin' }
  const owner = { authorization: 'Bearer ada@example.com' }

  before(async () => {
    await resetTestDatabase()
    running = await startApp({ plugins: [probe, ...plugins] })
    observeUnits(running.app.store)
  })

  it('run at boot in the order of the interface', async () => {
    const calls = takeCalls().map(({ hook }) => hook)
    await running.app.start()
    expect(distinct(calls.filter((hook) => bootHooks.includes(hook)))).to.deep.equal(
      bootHooks.filter((hook) => !['supervise', 'start', 'close'].includes(hook)),
    )
    expect(takeCalls().map(({ hook }) => hook)).to.deep.equal(['start'])
  })

  const album = { type: 'albums', attributes: { title: 'Mezzanine' } }
  const track = { type: 'tracks', id: '4' }
  const requests: readonly [string, string, object | undefined, Record<string, string>, number, readonly string[]][] = [
    ['GET', '/albums?include=tracks,artist', undefined, {}, 200, ['check', 'afterOperation']],
    ['GET', '/albums/1/tracks', undefined, {}, 200, ['check', 'afterOperation']],
    ['POST', '/albums', { data: album }, {}, 201, [...writing, 'afterSave', 'afterCommit']],
    [
      'PATCH',
      '/albums/1/relationships/tracks',
      { data: [track] },
      {},
      200,
      ['check', 'validate', 'beforeSave', 'afterCommit'],
    ],
    [
      'PATCH',
      '/playlists/00000000-0000-4000-8000-000000000001/relationships/tracks',
      { data: [track] },
      owner,
      200,
      ['check', 'validate', 'beforeSave', 'afterCommit'],
    ],
    ['DELETE', '/tracks/1', undefined, {}, 204, ['check', 'beforeSave', 'afterCommit']],
    [
      'POST',
      '/operations',
      { 'atomic:operations': [add('albums', album.attributes), add('tracks', { title: 'Angel' })] },
      atomicHeaders,
      200,
      [...writing, 'afterSave', 'afterCommit'],
    ],
    ['POST', '/albums/-actions/summary', undefined, {}, 200, ['check', 'beforeSave', 'afterCommit']],
    ['GET', '/albums/99', undefined, {}, 404, ['onError']],
    ['GET', '/albums?sort=nonsense', undefined, {}, 400, ['onError']],
  ]
  for (const [method, path, body, headers, expected, hooks] of requests) {
    it(`run in the documented order for ${method} ${path}, which answers ${expected}`, async () => {
      takeCalls()
      const { status } = await running.client.send(method, path, {
        headers: { ...admin, ...headers },
        ...(body && { body }),
      })
      expect(status).to.equal(expected)
      const calls = takeCalls().filter(({ hook }) => !typeStages.includes(hook))
      expect(calls.map(({ hook }) => hook)).to.include.members([...hooks])
      for (const sequence of callSequences(calls)) expect(sequence).to.deep.equal(inInterfaceOrder(sequence))
    })
  }

  it('have all been called by these requests', () => {
    expect([...probe.called].filter((hook) => requestHooks.includes(hook))).to.have.members(requestHooks)
    expect([...probe.called].filter((hook) => typeStages.includes(hook))).to.have.members(typeStages)
  })

  it('run inside or outside of the transaction as docs/life-of-a-request.md says', () => {
    const documented = readHookTable().filter(
      ({ hook, transaction }) => transaction !== '' && !['plan', 'planType'].includes(hook),
    )
    // These requests have no idempotency key: no plugin renders the response before the commit.
    expect(documented.map(({ hook }) => [hook, unitsOf(hook)])).to.deep.equal(
      documented.map(({ hook, transaction }) => [hook, [transaction === 'yes']]),
    )
  })

  it('end with close', async () => {
    await running.close()
    expect(takeCalls().map(({ hook }) => hook)).to.deep.equal(['close'])
  })
})

describe('The routes of a plugin', () => {
  it('are listed once per server, before `setup`, also if the home page and the OpenAPI document are requested', async () => {
    const calls: string[] = []
    const routed: Plugin = {
      name: 'routed',
      routes({ name, types }) {
        calls.push(`${name}: ${types.get('albums')?.operations.has('Create')}`)
        const handle = () => undefined
        return [{ name: `${name}.routed`, methods: ['GET'], path: '/routed', title: 'Routed', handle }]
      },
      setup: () => void calls.push('setup'),
    }
    const running = await startApp({ plugins: [...plugins, routed] })
    expect((await running.client.get('/')).text).to.contain('Routed')
    expect((await running.client.get('/docs.json')).status).to.equal(200)
    expect(calls).to.deep.equal(['default: true', 'admin: true', 'setup'])
    await running.close()
  })
})

describe('Two applications built from one list of plugins', () => {
  const artists = {
    file: 'resources/artists/resource.ts',
    resource: defineResource(Artist, {
      type: 'artists',
      fields: ({ id, string }) => [id(), string('name').required().maxLength(3), string('slug')],
    }),
  }
  let first: TestApp
  let second: TestApp
  before(async () => {
    await resetTestDatabase()
    first = await startApp({
      config: configFrom({ RATE_LIMIT: '2', CORS_ORIGINS: 'https://a.example' }),
      undescribed: ['default', 'admin'],
    })
    second = await startApp({ config: configFrom({}), resources: [artists] })
  })
  after(async () => {
    await first.close()
    await second.close()
  })

  it('apply their own configuration', async () => {
    const ask = ({ client }: TestApp) => client.get('/artists/1', { origin: 'https://a.example' })
    const answers = [await ask(first), await ask(first), await ask(first)]
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 429])
    expect(answers[0]?.headers.get('access-control-allow-origin')).to.equal('https://a.example')
    const { status, headers } = await ask(second)
    expect(status).to.equal(200)
    expect(headers.get('ratelimit')).to.equal(null)
    expect(headers.get('access-control-allow-origin')).to.equal(null)
  })

  it('apply their own declarations', async () => {
    const attributes = { name: 'Massive Attack', slug: 'massive-attack' }
    const { status, body } = await second.client.post('/artists', { data: { type: 'artists', attributes } })
    expect(status).to.equal(422)
    expect(body.errors[0].source).to.deep.equal({ pointer: '/data/attributes/name' })
    expect((await second.client.get('/albums')).status).to.equal(404)
    const { paths } = JSON.parse((await second.client.get('/docs.json')).text)
    expect(Object.keys(paths)).to.include('/artists').and.not.to.include('/albums')
  })
})

describe('Migrations of a plugin', () => {
  class CreateProbes extends Migration {
    override up(): void {
      this.addSql('create table "probes" ("id" serial primary key, "album_id" int references "albums" ("id"))')
    }
  }
  const probe = { name: 'probe', migrations: { '29990101000000_probes': CreateProbes } } satisfies Plugin

  it('run after earlier migrations of the resources, under the name of the plugin', async () => {
    const migrations = await loadMigrations(await discover(root), [probe])
    expect(migrations.at(-1)?.name).to.equal('probe/29990101000000_probes')
    const database = await openTestDatabase({ ...(await projectSchema()), migrations })
    expect(await pendingMigrations(database)).to.include('probe/29990101000000_probes')
    expect((await migrate(database)).at(-1)).to.equal('probe/29990101000000_probes')
    expect(await pendingMigrations(database)).to.deep.equal([])
    expect(await database.orm.em.fork().execute('select * from "probes"')).to.deep.equal([])
    await database.close()
  })

  it('create tables that npm run migrate -- create and npm run doctor leave alone', async () => {
    const discovery = await discover(root)
    const migrations = await loadMigrations(discovery, [probe])
    const database = await openTestDatabase({ ...(await projectSchema()), migrations })
    await migrate(database)
    expect(await findChanges(database.orm, discovery)).to.deep.equal([])
    await database.close()
  })

  it('do not run if the plugin is disabled', async () => {
    const migrations = await loadMigrations(await discover(root), [probe], ['probe'])
    expect(migrations.map(({ name }) => name)).not.to.include('probe/29990101000000_probes')
  })
})

interface Call {
  readonly hook: string
  readonly operation: Operation | null
}

/** A plugin that implements every hook, changes nothing and records its calls. */
function createProbe() {
  const results: Readonly<Record<string, (...args: never[]) => unknown>> = {
    middleware: () => null,
    filterRows: (_: never, rows: readonly unknown[]) => rows.map(() => true),
    onError: () => null,
    meta: () => null,
  }
  const calls: Call[] = []
  const called = new Set<string>()
  const units = new Map<string, Set<boolean>>()
  let isInside = false
  const around = (run: Store['read']): Store['read'] =>
    ((work, ...rest) =>
      run(
        async (unit) => {
          isInside = true
          try {
            return await work(unit)
          } finally {
            isInside = false
          }
        },
        ...rest,
      )) as Store['read']
  const hooks = [...bootHooks, ...requestHooks, ...typeStages].map((hook) => {
    const record = (...args: readonly unknown[]) => {
      called.add(hook)
      units.set(hook, (units.get(hook) ?? new Set()).add(isInside))
      calls.push({ hook, operation: args.find(isOperation) ?? null })
      return results[hook]?.(...(args as never[]))
    }
    return [hook, record]
  })
  const recorders = Object.fromEntries(hooks)
  const { validate, ...steps } = Object.fromEntries(stages.map((stage) => [stage, recorders[stage]]))
  const plan = addSteps({ ...steps, validate: { of: 'row', check: (...args) => void validate?.(...args) } })
  const { scope, checkRows, ...others } = Object.fromEntries(typeStages.map((stage) => [stage, recorders[stage]]))
  const planType = (draft: TypePlanBuilder) => {
    for (const rows of ['addressed', 'visible', 'written'] as const)
      draft.scope.push({ of: rows, condition: scope as never })
    for (const rows of ['members', 'links', 'written'] as const)
      draft.checkRows.push({ of: rows, check: (...args: unknown[]) => checkRows?.(...args) } as RowCheck)
    for (const [stage, step] of Object.entries(others)) (draft[stage as keyof TypeStages] as unknown[]).push(step)
  }
  const members = Object.entries(recorders).filter(([hook]) => ![...stages, ...typeStages].includes(hook))
  const probe = { name: 'probe', called, plan, planType, ...Object.fromEntries(members) } as Plugin & {
    called: ReadonlySet<string>
  }
  return {
    probe,
    takeCalls: () => calls.splice(0),
    /** Records whether the hooks are called inside a unit of the store. */
    observeUnits: (store: Store) =>
      Object.assign(store, { read: around(store.read.bind(store)), write: around(store.write.bind(store)) }),
    unitsOf: (hook: string) => [...(units.get(hook) ?? [])],
  }
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'context' in value && 'target' in value
}

/** The calls of each operation, between those of the request that are no operation's. */
function callSequences(calls: readonly Call[]): string[][] {
  const operations = new Set(calls.map(({ operation }) => operation))
  return [...operations].map((one) =>
    distinct(calls.filter(({ operation }) => operation === null || operation === one).map(({ hook }) => hook)),
  )
}

function inInterfaceOrder(hooks: readonly string[]): string[] {
  return hooks.toSorted((a, b) => requestHooks.indexOf(a) - requestHooks.indexOf(b))
}

/** Without immediate repetitions. */
function distinct(hooks: readonly string[]): string[] {
  return hooks.filter((hook, index) => hook !== hooks[index - 1])
}

function memberNames(members: readonly PluginMember[]): string[] {
  return members.map(({ name }) => name)
}
