import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'
import { isShipped } from '#test/template/support/shipped.ts'
import { readManifest } from '../../../scripts/manifest/manifest.ts'

// Tables beside the objects that they are about: WeakMap, WeakSet, the least recently used map, and in plugins and resources a
// Map by app, server, resource type or relation. What is derived from an app, a server, a type, a field or a plan lies on it. The list may
// only become shorter.

const max = 40

/** `const codecs = new WeakMap<…>`, `readonly #types = new Map<ResourceType, …>` */
const table = /([#\w]+)(?: =|:) new (WeakMap|WeakSet|LruMap|Map<(?:App|Server|ResourceType|Relation)\b)/g

/** Why a file has tables, by the names of the tables. */
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'app/http/connections.ts': { bySocket: 'Sockets belong to Node.' },
  'app/http/http-server.ts': { rejected: 'Sockets belong to Node.' },
  'app/kernel/codecs/codecs.ts': { codecs: 'Attributes are copied while declarations are compiled.' },
  'app/kernel/compile/registry.ts': { shown: 'On the type: fieldsets of clients, with a limit.' },
  'app/kernel/compile/servers.ts': { serializers: 'On the server: fieldsets of clients, with a limit.' },
  'app/kernel/contract/visibility.ts': {
    hiddenTests: 'Attributes are copied while declarations are compiled.',
    visibilities: 'Decided once per request of Koa.',
  },
  'app/kernel/data/shown-fields.ts': { selections: 'On the fieldset: includes of clients, with a limit.' },
  'app/kernel/plan/plan-cache.ts': {
    '#plans': 'Plans by the shape of the query, with a limit.',
    '#queries': 'Queries by their text, with a limit.',
    '#sent': 'Texts that were sent once, with a limit.',
  },
  'app/kernel/schema/restrictions.ts': {
    reported: 'Logs a wrong answer of a function once per declaration, an object of the owner.',
  },
  'app/memory/persister.ts': { drafts: 'Entities belong to the owner.' },
  'app/store/connection/entity-manager.ts': { withRuntimeFilters: 'The configuration belongs to MikroORM.' },
  'app/store/driver/prepared-names.ts': {
    executions: 'Texts that were sent once or twice, with a limit.',
    preparedNames: 'Names of statements on all connections, with a limit.',
  },
  'app/store/driver/server-client.ts': { '#prepared': 'Statements of one connection, with a limit.' },
  'app/store/sql/column-types.ts': { columnTypes: 'Properties belong to MikroORM.' },
  'app/store/sql/run-statement.ts': { statements: 'The limit of all compiled statements of the process.' },
  'plugins/api-keys/index.ts': { created: 'Keys of one request, which must not be logged with its state.' },
  'plugins/authorization/authorizer.ts': { '#scopes': 'Scopes of one operation, by requester.' },
  'plugins/change-log/index.ts': { identified: 'Units of the store: the requester is recorded once per transaction.' },
  'plugins/history/fetch-history.ts': { keys: 'Rows of one response.', visible: 'Rows of one response.' },
  'plugins/includes/paths.ts': { groups: 'Paths of one request.' },
  'plugins/lifecycle/index.ts': {
    originals: 'The values of one operation before its write.',
    written: 'The entity of one operation.',
  },
  'plugins/pagination/paginators.ts': { failures: 'Faults of one compilation.' },
  'plugins/soft-delete/trash.ts': {
    '#unscoped': 'Operations that see trashed rows.',
    '#viewers': 'Requests that see trashed rows.',
  },
  'plugins/tracing/statement-spans.ts': { descriptions: 'Texts of statements, with a limit.' },
  'plugins/tracing/step-spans.ts': { tracedSteps: 'Steps are functions of plugins.' },
}

describe('Tables beside the objects that they are about', () => {
  const tables = globSync(['app/**/*.ts', 'plugins/**/*.ts', 'resources/**/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const found = [...readFileSync(join(root, file), 'utf8').matchAll(table)]
      const listed = found.filter(([, , kind = '']) => !kind.startsWith('Map') || !file.startsWith('app/'))
      return listed.map(([, name = '']) => ({ file, name }))
    })
  const shipped = tables.filter(({ file }) => isShipped(file))

  it('are listed with their reasons', () => {
    expect(shipped.filter(({ file, name }) => reasons[file]?.[name] === undefined)).to.deep.equal([])
  })

  it('exist if they are listed', () => {
    const listed = Object.entries(reasons)
      .filter(([file]) => existsSync(join(root, file)))
      .flatMap(([file, names]) => Object.keys(names).map((name) => ({ file, name })))
    expect(tables).to.deep.include.members(listed)
  })

  it('do not exist in the resources of the demo, which are examples', function () {
    if (readManifest(root)?.commit) return this.skip()
    expect(tables.filter(({ file }) => file.startsWith('resources/'))).to.deep.equal([])
  })

  it(`are at most ${max}`, () => {
    expect(shipped.length).to.be.above(10).and.at.most(max)
  })
})

describe('The state of a request, `ctx.state`', () => {
  const sources = globSync(['app/**/*.ts', 'plugins/**/*.ts'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts') && isShipped(file))
    .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') }))

  it('has only members that RequestState declares', () => {
    const declared = new Set(
      sources.flatMap(({ source }) =>
        [...source.matchAll(/interface RequestState \{\n(.*?)\n *\}\n/gs)].flatMap(([, body = '']) =>
          [...body.matchAll(/^ *(\w+)\??:/gm)].map(([, name = '']) => name),
        ),
      ),
    )
    const used = sources.flatMap(({ file, source }) => membersOfState(source).map((name) => ({ file, name })))
    expect([...declared]).to.include.members(['principal', 'requestTimes'])
    expect(used).to.deep.include({ file: 'plugins/load-shedding/index.ts', name: 'load' })
    expect(used.filter(({ name }) => !declared.has(name))).to.deep.equal([])
  })
})

/** `ctx.state.load`, `const { load } = ctx.state`, `{ state: { load } }: Koa.Context`. */
function membersOfState(source: string): string[] {
  const read = [
    ...source.matchAll(/(?:ctx|context|request|contexts\.getStore\(\)\?|currentContext\(\)\?)\.state\??\.(\w+)/g),
  ]
  const destructured = [
    ...source.matchAll(/\{([^{}]*)\} = ctx\.state\b/g),
    ...source.matchAll(/\{ state: \{([^{}]*)\} \}: Koa\.Context/g),
  ]
  return [
    ...read.map(([, name = '']) => name),
    ...destructured.flatMap(([, names = '']) => names.split(',').map((name) => name.split(':')[0]?.trim() ?? '')),
  ].filter(Boolean)
}
