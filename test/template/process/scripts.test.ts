import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import type { ResourceType, Server, Target } from '#kernel/plugin'
import { namedRoutes, routeName } from '#routes'
import { catalogue } from '#test/support/catalogue.ts'
import { runCommand } from '#test/template/support/run-command.ts'
import { type ProcessResult, runNode } from '#test/template/support/run-node.ts'
import { describePlan } from '../../../scripts/support/plan-text.ts'
import { readPluginMembers } from '../../../scripts/support/plugin-members.ts'

describe('npm run routes', () => {
  it('prints methods, path and name of every route', async () => {
    const { lines } = read(await runNode(['scripts/routes.ts']))
    expect(lines[0]).to.match(/^METHODS +PATH +NAME$/)
    expect(lines.map(toCells)).to.include.deep.members([
      ['GET, HEAD', '/albums', 'jsonapi.albums.index'],
      ['POST', '/albums', 'jsonapi.albums.create'],
      ['GET, HEAD', '/albums/{id}', 'jsonapi.albums.show'],
      ['PATCH', '/albums/{id}', 'jsonapi.albums.update'],
      ['DELETE', '/albums/{id}', 'jsonapi.albums.delete'],
      ['GET, HEAD', '/albums/{id}/tracks', 'jsonapi.albums.tracks.related'],
      ['GET, HEAD', '/albums/{id}/relationships/tracks', 'jsonapi.albums.tracks.relationship'],
      ['PATCH', '/albums/{id}/relationships/artist', 'jsonapi.albums.artist.relationship.update'],
      ['POST', '/albums/{id}/relationships/artist', 'jsonapi.albums.artist.relationship.add'],
      ['DELETE', '/albums/{id}/relationships/artist', 'jsonapi.albums.artist.relationship.remove'],
      ['GET, HEAD', '/admin/albums', 'jsonapi.admin.albums.index'],
      ['POST', '/operations', 'jsonapi.atomic_operations'],
      ['POST', '/admin/operations', 'jsonapi.admin.atomic_operations'],
    ])
  })

  it('omits the routes of a disabled plugin', async () => {
    const { lines } = await run('routes', { DISABLED_PLUGINS: 'atomic' })
    expect(lines.filter((line) => line.includes('atomic'))).to.deep.equal([])
    expect(lines.some((line) => line.includes('jsonapi.albums.index'))).to.equal(true)
  })

  it('prints the faults that prevent the application from starting', async () => {
    const { lines, code } = await run('routes', { DISABLED_PLUGINS: 'pagination,polls' })
    expect(code).to.equal(1)
    expect(lines).to.include.members([
      "DISABLED_PLUGINS names 'polls', which is not a plugin.",
      "Plugin 'cursor-profile' needs 'pagination': disable both, or neither.",
    ])
  })
})

describe('route names', () => {
  it('start with the name of the server unless it is the default one', () => {
    expect(routeName({ name: 'default' }, 'albums', 'index')).to.equal('jsonapi.albums.index')
    expect(routeName({ name: 'admin' }, 'albums', 'index')).to.equal('jsonapi.admin.albums.index')
  })

  it('are unique', async () => {
    const { app } = await catalogue()
    const names = namedRoutes(app).map(({ name }) => name)
    expect(names).to.have.length(new Set(names).size)
  })

  it('cover exactly the methods that OPTIONS announces on their path', async () => {
    const { app, client } = await catalogue()
    const idAt = (path: string) => (path.startsWith('/products') ? 'prod-1' : '1')
    const paths = Map.groupBy(namedRoutes(app), ({ path }) => path.replace('{id}', idAt(path)))
    for (const [path, routes] of paths) {
      const { headers } = await client.send('OPTIONS', path)
      const announced = headers.get('allow')?.split(', ')
      expect([...routes.flatMap(({ methods }) => methods), 'OPTIONS'], path).to.have.members(announced ?? [])
    }
  })

  it('omit the related URL of a type that the server does not serve', async () => {
    const { app } = await catalogue()
    const names = namedRoutes(app).map(({ name }) => name)
    expect(names).to.include('jsonapi.admin.albums.artist.relationship')
    expect(names).not.to.include('jsonapi.admin.albums.artist.related')
  })
})

describe('npm run pipeline', () => {
  let printed: Output
  before(async () => {
    printed = read(await runNode(['scripts/pipeline.ts']))
  })

  it('prints the plugins in the order of the list, and the disabled plugins', async () => {
    const { section } = await run('pipeline', { DISABLED_PLUGINS: 'atomic' })
    const names = plugins.map(({ name }) => name).filter((name) => name !== 'atomic')
    expect(section('Plugins, in the order of app/plugins.ts')).to.deep.equal([names.join(', ')])
    expect(section('Disabled plugins')).to.deep.equal(['atomic'])
  })

  for (const [part, title] of [
    ['BootHooks', 'Boot hooks, in call order'],
    ['RequestHooks', 'Request hooks, in call order'],
  ] as const) {
    it(`prints all ${part} in call order, with a comment and the plugins that implement them`, () => {
      const lines = readPluginMembers(part).flatMap(({ name, comment }) => {
        const implementing = plugins.filter((plugin) => name in plugin).map((plugin) => plugin.name)
        return [`${name}: ${comment}`, `  ${implementing.join(', ')}`]
      })
      expect(printed.section(title)).to.deep.equal(lines)
    })
  }

  it('prints the steps of a request with their plugins, and exits with 1 for another URL', async () => {
    const { section } = await run('pipeline', {}, 'GET /albums/1?include=artist')
    expect(section('Operation')).to.deep.equal(["FetchOne albums on the server 'default'"])
    const stages = section('Stages, with the plugins that add steps').map(toCells)
    const ofType = section('Stages of albums, with the plugins that add steps').map(toCells)
    expect(ofType).to.deep.include(['allows', 'authorization'])
    expect(stages).to.deep.include(['check', 'authorization'])
    expect(stages).to.deep.include(['authorize', '(none)'])
    expect(section('Query parameters').map(toCells)).to.deep.equal([['include', 'includes']])
    expect(section('Plan of the query').map(toCells)).to.deep.include.members([
      ['read', 'in a snapshot, by several statements'],
      ['kept', 'with its plan from the second request with this text on'],
    ])
    const { code, stderr } = await runCommand(['scripts/pipeline.ts', 'GET /nope/1'])
    expect([code, stderr.split('\n')[0]]).to.deep.equal([
      1,
      "'GET /nope/1' is not a request for a resource, such as 'GET /albums/1'.",
    ])
  })

  it('prints how the row of a write is written', async () => {
    const { app } = await catalogue()
    const [server] = app.servers as [Server]
    const { strictQueryParameters: strict, limits } = app.config
    const planOf = (kind: 'Create' | 'Update', name: string) => {
      const type = app.registry.types.get(name) as ResourceType
      const target: Target = { kind: kind === 'Create' ? 'collection' : 'resource', server, type }
      const context = { app, server, kind, target, request: null, profiles: null, visibility: null, strict, limits }
      return describePlan(context, '')
    }
    expect(planOf('Update', 'albums')).to.deep.equal([
      ['writer', 'statements'],
      ['stored row', 'locked and read first'],
      ['commit', 'of a transaction'],
    ])
    expect(planOf('Create', 'tracks')).to.deep.equal([
      ['writer', 'statements'],
      ['commit', 'by the statement that writes, unless its input needs others'],
    ])
    expect(planOf('Create', 'playlists')).to.deep.include(['writer', 'entities: the type has a hydrator'])
  })

  it('prints why a query is not kept, and the faults of a query', async () => {
    const planOf = async (request: string) =>
      (await run('pipeline', {}, request)).section('Plan of the query').map(toCells)
    expect(await planOf(`GET /albums?filter[title]=${'a'.repeat(500)}`)).to.deep.include([
      'kept',
      'only the plan, for queries of the same shape: the text is longer than 500 characters',
    ])
    const [[status, fault] = []] = await planOf('GET /albums?sort=nme')
    expect([status, fault]).to.deep.equal([
      '400',
      "Cannot sort resources of type 'albums' by 'nme'. Sortable: title, releasedAt, status.",
    ])
  })

  it('prints the query families, modifiers, routes, profiles, extensions and errors of each plugin', async () => {
    const { section } = printed
    expect(section('Query families').map(toCells)).to.deep.include(['sort', 'sorting'])
    expect(section('Modifiers').map(toCells)).to.deep.include(['sortable() on attributes', 'sorting'])
    expect(section('Modifiers').map(toCells)).to.deep.include([
      'sparseByDefault() on attributes and relations',
      'sparse-fieldsets',
    ])
    expect(section('Routes').map(toCells)).to.deep.include([
      'POST /admin/operations (jsonapi.admin.atomic_operations)',
      'atomic',
    ])
    expect(section('Routes').map(toCells)).to.deep.include([
      'GET, HEAD /admin/docs.json (jsonapi.admin.openapi.json)',
      'openapi',
    ])
    expect(section('Profiles')[0]).to.match(/^https:.* cursor-profile$/)
    expect(section('Extensions')[0]).to.match(/^https:.* atomic$/)
    expect(section('Errors').map(toCells)).to.deep.include(['400 SORTING_UNRECOGNIZED', 'sorting'])
  })
})

interface Output {
  readonly code: number
  readonly lines: readonly string[]
  /** The lines under a heading, without their indentation. */
  section(title: string): string[]
}

/** Runs a script on the settings of the project's defaults, whatever the environment of the tests. */
async function run(script: string, env: Record<string, string> = {}, ...args: string[]): Promise<Output> {
  return read(await runCommand([`scripts/${script}.ts`, ...args], env))
}

function read({ stdout, stderr, code }: ProcessResult): Output {
  const lines = (stdout + stderr).trimEnd().split('\n')
  const section = (title: string) => {
    const start = lines.indexOf(title) + 1
    return start === 0 ? [] : lines.slice(start, [...lines, ''].indexOf('', start)).map((line) => line.slice(2))
  }
  return { code, lines, section }
}

function toCells(line: string): string[] {
  return line.trim().split(/ {2,}/)
}
