import type { App, Plugin } from '#kernel/plugin'
import { readPluginMembers } from './support/plugin-members.ts'
import { withApp } from './support/project.ts'
import { formatTable } from './support/table.ts'

/** Who joins in where: every member of `Plugin` with the plugins that have it, then what each of them owns. */
await withApp((app, { disabledPlugins }) => {
  print('Plugins, in the order in which they are asked', list(app.plugins.map(({ name }) => name)))
  if (disabledPlugins.length > 0) print('Off', list(disabledPlugins))
  print('Members, in the order in which they are called', joining(app.plugins))
  print(
    'Query families',
    ownedIn(app, ({ parameters }) => Object.keys(parameters ?? {})),
  )
  print('Words', ownedIn(app, wordsOf))
  print('Routes', ownedIn(app, routesIn(app)))
  print(
    'Profiles',
    ownedIn(app, ({ profiles }) => profiles ?? []),
  )
  print(
    'Extensions',
    ownedIn(app, ({ extensions }) => extensions ?? []),
  )
  print(
    'Errors',
    ownedIn(app, ({ errors }) => (errors ?? []).map(({ code, status }) => `${status} ${code}`)),
  )
})

function print(title: string, text: string): void {
  console.log(`${title}\n${text.replace(/^/gm, '  ')}\n`)
}

function list(names: readonly string[]): string {
  return names.join(', ') || '(none)'
}

function joining(plugins: readonly Plugin[]): string {
  const blocks = readPluginMembers().map(({ name: member, moment }) => {
    const joined = plugins.filter((plugin) => member in plugin).map(({ name }) => name)
    return `${member}${moment && `: ${moment}`}\n  ${list(joined)}`
  })
  return blocks.join('\n')
}

function ownedIn({ plugins }: App, read: (plugin: Plugin) => readonly string[]): string {
  const rows = plugins.flatMap((plugin) => read(plugin).map((thing) => [thing, plugin.name]))
  return rows.length > 0 ? formatTable(rows) : list([])
}

function wordsOf({ modifiers = {} }: Plugin): string[] {
  const { attribute = {}, relation = {} } = modifiers
  const words = new Set([...Object.keys(attribute), ...Object.keys(relation)])
  return [...words].map((word) => {
    const places = [...(word in attribute ? ['attributes'] : []), ...(word in relation ? ['relations'] : [])]
    return `${word}() on ${places.join(' and ')}`
  })
}

function routesIn({ servers }: App): (plugin: Plugin) => string[] {
  return ({ routes }) =>
    servers.flatMap((server) =>
      (routes?.(server) ?? []).map(({ methods, path, name }) => `${list(methods)} ${server.prefix}${path} (${name})`),
    )
}
