import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The plugins of `--plugins core`: reading, writing, authorization, errors, limits and the OpenAPI document. */
const core = [
  'authorization',
  'bearer-auth',
  'error-mapping',
  'filtering',
  'health',
  'http-headers',
  'includes',
  'lifecycle',
  'limits',
  'openapi',
  'pagination',
  'request-log',
  'responses',
  'security-headers',
  'sorting',
  'sparse-fieldsets',
  'validation',
]

/**
 * The plugins to keep, with the plugins that they require: names, `core`, or `default`, those that app/plugins.ts enables. Null,
 * for `all`, keeps every folder.
 */
export function readPluginList(root: string, list: string): readonly string[] | null {
  if (list === 'all') return null
  const names = list.split(',').map((name) => name.trim())
  if (names.includes('all')) throw new TypeError('--plugins accepts all only without other names')
  const all = shippedPlugins(root)
  const groups = new Map([
    ['core', core],
    ['default', enabledPlugins(root)],
  ])
  const named = names.flatMap((name) => groups.get(name) ?? name)
  const unknown = named.filter((name) => !all.includes(name))
  if (unknown.length > 0)
    throw new TypeError(`--plugins accepts all, core, default, ${all.join(', ')}, not '${unknown.join(', ')}'`)
  const kept = new Set(named)
  for (const name of kept) for (const other of requiredBy(root, name)) kept.add(other)
  return all.filter((name) => kept.has(name))
}

/** The plugins whose line in app/plugins.ts is commented out. */
export function optionalPlugins(root: string): string[] {
  const enabled = enabledPlugins(root)
  return shippedPlugins(root).filter((name) => !enabled.includes(name))
}

/** Sentences about the declarations and settings without which enabled plugins have no effect. */
export function settingsOfPlugins(root: string, plugins: readonly string[]): string[] {
  const owners = plugins.filter((name) => existsSync(join(root, 'plugins', name, 'resources')))
  const paths = ['resources', ...owners.map((name) => `plugins/${name}/resources`)]
  return [
    ...(plugins.includes('change-log')
      ? ["Declare 'changes: true' in the types whose changes are recorded: docs/change-log.md."]
      : []),
    ...(owners.length > 0 ? [`Set RESOURCE_PATHS=${paths}: it adds the resource types of ${owners.join(', ')}.`] : []),
  ]
}

function enabledPlugins(root: string): string[] {
  const list = readFileSync(join(root, 'app/plugins.ts'), 'utf8')
  return [...list.matchAll(/^import \{[^}]*\} from '#plugins\/([\w-]+)\//gm)].map(([, name = '']) => name)
}

export function shippedPlugins(root: string): string[] {
  const folder = join(root, 'plugins')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []))
}

function requiredBy(root: string, plugin: string): string[] {
  const file = join(root, 'plugins', plugin, 'index.ts')
  const [, names = ''] = /\brequires: \[([^\]]*)\]/.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? []
  return [...names.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name)
}
