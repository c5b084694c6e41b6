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

/** The plugins to keep, by `core` or a list of names, with the plugins that they require. Null keeps all. */
export function readPluginList(root: string, list: string | undefined): readonly string[] | null {
  if (list === undefined) return null
  const all = shippedPlugins(root)
  const named = list.split(',').flatMap((name) => (name.trim() === 'core' ? core : name.trim()))
  const unknown = named.filter((name) => !all.includes(name))
  if (unknown.length > 0) throw new TypeError(`--plugins accepts core, ${all.join(', ')}, not '${unknown.join(', ')}'`)
  const kept = new Set(named)
  for (const name of kept) for (const other of requiredBy(root, name)) kept.add(other)
  return all.filter((name) => kept.has(name))
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
