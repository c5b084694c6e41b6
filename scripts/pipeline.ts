import { matchResourcePath, parseQueryString, toOperationKind } from '#kernel/operations'
import { type App, buildRoutePath, type Plugin, type Server } from '#kernel/plugin'
import { exitWithUsage, readArguments } from './support/arguments.ts'
import { describePlan } from './support/plan-text.ts'
import { readPluginMembers } from './support/plugin-members.ts'
import { withApp } from './support/project.ts'
import { pluginsOfStage } from './support/stage-plugins.ts'
import { formatTable } from './support/table.ts'

const usage = `npm run pipeline -- ['GET /albums?include=artist']

Prints every hook and stage in call order with the plugins that take part in it, then what each plugin adds to the application. With a
request: the operation that it runs, the stages of the operation and of the resource type with the plugins that add steps to
them, the plugins that read the parameters, and the plan of the query: how rows are read, and whether the query is kept.`

const { positionals } = readArguments({ usage, positionals: 1 })

await withApp((app, { disabledPlugins }) => {
  if (positionals[0] !== undefined) return printRequest(app, positionals[0])
  print('Plugins, in the order of app/plugins.ts', list(app.plugins.map(({ name }) => name)))
  if (disabledPlugins.length > 0) print('Disabled plugins', list(disabledPlugins))
  print('Boot hooks, in call order', implementers('BootHooks', app))
  print('Request hooks, in call order', implementers('RequestHooks', app))
  print('Stages of endpoints, in call order, with the plugins that add steps', formatStages('Stages', app))
  print('Stages of types, with the plugins that add steps', formatStages('TypeStages', app))
  print(
    'Query families',
    owners(app, ({ parameters }) => Object.keys(parameters ?? {})),
  )
  print('Modifiers', owners(app, listModifiers))
  print('Routes', owners(app, createRouteLister(app)))
  print(
    'Profiles',
    owners(app, ({ profiles }) => profiles ?? []),
  )
  print(
    'Extensions',
    owners(app, ({ extensions }) => extensions ?? []),
  )
  print(
    'Migrations',
    owners(app, ({ migrations }) => Object.keys(migrations ?? {})),
  )
  print(
    'Errors',
    owners(app, ({ errors }) => (errors ?? []).map(({ code, status }) => `${status} ${code}`)),
  )
})

function printRequest(app: App, request: string): void {
  const [, method = '', path = '', search = ''] = /^([A-Z]+) (\/[^?]*)\??(.*)$/.exec(request) ?? []
  const servers = app.servers.filter(({ prefix }) => path.startsWith(`${prefix}/`))
  const server = servers.toSorted((a, b) => b.prefix.length - a.prefix.length)[0]
  const match = server && matchResourcePath(app, server, path.slice(server.prefix.length))
  if (!server || !match) exitWithUsage(`'${request}' is not a request for a resource, such as 'GET /albums/1'`, usage)
  const { type, shape, relation: segment } = match
  const relation = segment === undefined ? null : (type.relationsBySegment.get(segment) ?? null)
  const kind = toOperationKind(method, { kind: shape, server, type })
  if (!kind || (segment !== undefined && !relation)) exitWithUsage(`'${request}' selects no operation`, usage)
  const endpoint = { server, kind, target: { type, ...(relation && { relation }) }, profiles: new Set<string>() }
  print('Operation', [kind, type.name, relation?.name, `on the server '${server.name}'`].filter(Boolean).join(' '))
  print('Stages, with the plugins that add steps', formatPlugins(app.plans.ofEndpoint(app, endpoint).plugins))
  print(`Stages of ${type.name}, with the plugins that add steps`, formatPlugins(type.steps.plugins))
  print('Query parameters', formatPlugins(findParameterOwners(app, server, search)))
  const { strictQueryParameters: strict, limits } = app.config
  const target = { kind: shape, server, ...endpoint.target }
  const context = { app, server, kind, target, request: null, profiles: null, visibility: null, strict, limits }
  print('Plan of the query', formatTable(describePlan(context, search)))
  print('Statements', `npm run explain -- '${request}' prints them with their query plans`)
}

function formatStages(part: 'Stages' | 'TypeStages', app: App): string {
  const blocks = readPluginMembers(part).map(
    ({ name, comment }) => `${name}: ${comment}\n  ${list(pluginsOfStage(app, name))}`,
  )
  return blocks.join('\n')
}

function formatPlugins(names: Readonly<Record<string, readonly string[]>>): string {
  const rows = Object.entries(names).map(([name, plugins]) => [name, list(plugins)])
  return rows.length > 0 ? formatTable(rows) : list([])
}

/** The plugin that reads each query parameter of a request. */
function findParameterOwners(
  { plugins }: App,
  { listParameters: lists }: Server,
  search: string,
): Readonly<Record<string, readonly string[]>> {
  const families = [...parseQueryString(search, { lists }).keys()]
  return Object.fromEntries(
    families.map((family) => [
      family,
      plugins.filter(({ parameters = {} }) => family in parameters).map(({ name }) => name),
    ]),
  )
}

function print(title: string, text: string): void {
  console.log(`${title}\n${text.replace(/^/gm, '  ')}\n`)
}

function list(names: readonly string[]): string {
  return names.join(', ') || '(none)'
}

function implementers(part: Parameters<typeof readPluginMembers>[0], { plugins }: App): string {
  const blocks = readPluginMembers(part).map(({ name, comment }) => {
    const implementing = plugins.filter((plugin) => name in plugin).map((plugin) => plugin.name)
    return `${name}: ${comment}\n  ${list(implementing)}`
  })
  return blocks.join('\n')
}

function owners({ plugins }: App, read: (plugin: Plugin) => readonly string[]): string {
  const rows = plugins.flatMap((plugin) => read(plugin).map((item) => [item, plugin.name]))
  return rows.length > 0 ? formatTable(rows) : list([])
}

function listModifiers({ modifiers = {} }: Plugin): string[] {
  const { attribute = {}, relation = {} } = modifiers
  const names = new Set([...Object.keys(attribute), ...Object.keys(relation)])
  return [...names].map((name) => {
    const kinds = [...(name in attribute ? ['attributes'] : []), ...(name in relation ? ['relations'] : [])]
    return `${name}() on ${kinds.join(' and ')}`
  })
}

function createRouteLister({ servers }: App): (plugin: Plugin) => string[] {
  return ({ routes }) =>
    servers.flatMap((server) =>
      (routes?.(server) ?? []).map(
        (route) => `${list(route.methods)} ${buildRoutePath(server, route)} (${route.name})`,
      ),
    )
}
