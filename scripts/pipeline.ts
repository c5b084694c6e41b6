import { type App, type Plugin, pathOf } from '#kernel/plugin'
import { readArguments } from './support/arguments.ts'
import { readPluginMembers } from './support/plugin-members.ts'
import { withApp } from './support/project.ts'
import { formatTable } from './support/table.ts'

readArguments({
  usage: `npm run pipeline

Prints every hook in call order with the plugins that implement it, then what each plugin adds to the application.`,
})

await withApp((app, { disabledPlugins }) => {
  print('Plugins, in the order of app/plugins.ts', list(app.plugins.map(({ name }) => name)))
  if (disabledPlugins.length > 0) print('Disabled plugins', list(disabledPlugins))
  print('Boot hooks, in call order', implementers('BootHooks', app))
  print('Request hooks, in call order', implementers('RequestHooks', app))
  print('Row hooks, called whenever rows are read or written', implementers('RowHooks', app))
  print('Around hooks, for tracing and profiling', implementers('AroundHooks', app))
  print(
    'Query families',
    owners(app, ({ parameters }) => Object.keys(parameters ?? {})),
  )
  print('Modifiers', owners(app, modifiersOf))
  print('Routes', owners(app, routesOf(app)))
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

function modifiersOf({ modifiers = {} }: Plugin): string[] {
  const { attribute = {}, relation = {} } = modifiers
  const names = new Set([...Object.keys(attribute), ...Object.keys(relation)])
  return [...names].map((name) => {
    const kinds = [...(name in attribute ? ['attributes'] : []), ...(name in relation ? ['relations'] : [])]
    return `${name}() on ${kinds.join(' and ')}`
  })
}

function routesOf({ servers }: App): (plugin: Plugin) => string[] {
  return ({ routes }) =>
    servers.flatMap((server) =>
      (routes?.(server) ?? []).map((route) => `${list(route.methods)} ${pathOf(server, route)} (${route.name})`),
    )
}
